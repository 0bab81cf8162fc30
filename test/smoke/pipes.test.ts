import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namedFormats } from '../../src/print/formats.ts';
import { listOf, people } from '../support/service.ts';
import { BINARY, hogctl, shell, start, startService, temporaryDirectory } from './built-program.ts';

/** `pages` pages of 100 persons, each page more than what a pipe holds. */
function largePages(pages: number) {
  return Array.from({ length: pages }, (_, index) =>
    people(100, index * 100 + 1).map((row) => ({ ...row, name: `${row.id} ${'x'.repeat(1200)}` })),
  );
}

const patience = { timeout: 60_000 };

describe('the reader goes away', patience, () => {
  const variants = namedFormats.flatMap((format) => [`${format} | head -1`, `${format} | true`]);

  it.each(variants)('is a success, and soon the end: -o %s', async (ending) => {
    const { environment, log } = await startService(listOf(largePages(50)));
    const { code, stderr } = await shell(`hogctl persons list --all -o ${ending}`, environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(log.length).toBeLessThanOrEqual(3);
  });

  it.each(namedFormats)('is a success for one record in %s', async (format) => {
    const { environment } = await startService([{ json: largePages(1)[0]?.[0] }]);
    const { code, stderr } = await shell(`hogctl persons get 1 -o ${format} | true`, environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it.each(['--help', '--version', 'persons list --help'])('is a success for %s', async (words) => {
    const { environment } = await startService([]);
    const { code, stderr } = await shell(`hogctl ${words} | true`, environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('does not hide a failure that came before', async () => {
    const { environment } = await startService([{ status: 400, json: { detail: 'No.' } }]);
    const { code } = await shell('hogctl persons list | true', environment);
    expect(code).toBe(5);
  });

  it('does not mind that nobody reads stderr', async () => {
    const { environment } = await startService(listOf(largePages(2)));
    const { code, stdout } = await shell(
      'hogctl persons list -o ndjson --debug 2> >(true) | wc -l',
      environment,
    );
    expect({ code, stdout: String(stdout).trim() }).toEqual({ code: 0, stdout: '100' });
  });
});

describe('more than a pipe holds', patience, () => {
  it.each(['table', 'json', 'csv'])(
    'reaches a slow reader and a file with the same bytes: %s',
    async (format) => {
      const { environment } = await startService(listOf(largePages(12)));
      const directory = temporaryDirectory();
      const list = `hogctl persons list --all -o ${format}`;
      const line = `${list} > file && ${list} | (sleep 1; cat) > slow && ${list} --save saved && ${list} | cat > pipe`;
      const { code, stderr } = await shell(`cd '${directory}' && ${line}`, environment);
      expect({ code, stderr }).toEqual({ code: 0, stderr: 'Saved 1200 rows to saved.\n' });
      const [file, ...others] = ['file', 'slow', 'saved', 'pipe'].map((name) =>
        readFileSync(join(directory, name)),
      );
      expect(file?.length).toBeGreaterThan(1_400_000);
      for (const other of others) expect(other.equals(file ?? Buffer.of())).toBe(true);
      if (format === 'json') expect(JSON.parse(String(file))).toHaveLength(1200);
    },
  );

  it('reaches a slow reader before a failure is told', async () => {
    const failing = { on: /cursor=11$/, status: 400, json: { detail: 'No.' } };
    const { environment } = await startService([failing, ...listOf(largePages(12))]);
    const { code, stdout } = await shell(
      'hogctl persons list --all -o ndjson | (sleep 1; wc -l)',
      environment,
    );
    expect({ code, stdout: String(stdout).trim() }).toEqual({ code: 5, stdout: '1100' });
  });
});

describe('standard input', patience, () => {
  it('carries JSON for -', async () => {
    const { environment, log } = await startService([{ json: {} }]);
    const { code } = await hogctl(
      ['persons', 'update', '1', '--properties', '-'],
      environment,
      '{"plan":"pro"}',
    );
    expect(code).toBe(0);
    expect(log[0]?.json).toEqual({ properties: { plan: 'pro' } });
  });

  it.each(['< /dev/null', '<&-', '< <(printf y)'])('is not asked for a yes: %s', async (input) => {
    const { environment, log } = await startService([]);
    const { code, stderr } = await shell(`hogctl persons delete 42 ${input}`, { ...environment, CI: 'true' });
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(log).toEqual([]);
  });

  it('is not waited for where it stays open and silent', async () => {
    const { environment, log } = await startService([]);
    const { ended } = start([process.execPath, BINARY, 'persons', 'delete', '42'], environment, {
      stdin: 'pipe',
    });
    const { code, stderr } = await ended;
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(log).toEqual([]);
  });
});
