import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { person } from '../support/service.ts';
import { KEY, startService, temporaryDirectory } from './built-program.ts';
import { hasTerminal, onTerminal } from './pseudo-terminal.ts';

const patience = { timeout: 60_000 };
const CTRL_C = '\u0003';
const MARKED = "sed 's/^/paged: /'";

const rows = Array.from({ length: 100 }, (_, index) => person(index + 1));
const list = { json: { next: '?offset=100', results: rows }, times: 9 };

/** What a command shows on a terminal, line by line. */
async function shown(line: string, environment: Readonly<Record<string, string>>, answer: object = list) {
  const service = await startService([answer]);
  const { code, stdout } = await onTerminal(line, { ...service.environment, ...environment }).ended;
  const text = stripVTControlCharacters(String(stdout));
  return { code, lines: text.split(/\r*\n/).filter((one) => one !== '') };
}

describe.skipIf(!hasTerminal)('a pager', patience, () => {
  it('gets what a terminal is shown, and messages come after it', async () => {
    const { code, lines } = await shown('hogctl persons list', { HOGCTL_PAGER: MARKED, PAGER: 'false' });
    expect(code).toBe(0);
    expect(lines.filter((line) => line.startsWith('paged: '))).toHaveLength(102);
    expect(lines.at(-2)).toMatch(/^warning: these are the first 100 rows/);
    expect(lines.at(-1)).toBe('  of them');
  });

  it.each([
    ['PAGER, where there is no HOGCTL_PAGER', 'hogctl persons list', { PAGER: MARKED }],
    ['help', 'hogctl persons bulk-delete --help', { HOGCTL_PAGER: MARKED }],
    ['a table of this computer', 'hogctl endpoints', { HOGCTL_PAGER: MARKED }],
  ])('shows %s', async (_, line, environment) => {
    const { code, lines } = await shown(line, { HOGCTL_PAGER: undefined as never, ...environment });
    expect(code).toBe(0);
    expect(lines.some((one) => one.startsWith('paged: '))).toBe(true);
  });

  it.each([
    ['--no-pager', 'hogctl persons list --no-pager', {}],
    ['an empty HOGCTL_PAGER', 'hogctl persons list', { HOGCTL_PAGER: '', PAGER: MARKED }],
    ['cat', 'hogctl persons list', { HOGCTL_PAGER: 'cat' }],
    ['a job of CI', 'hogctl persons list', { CI: 'true' }],
    ['a pipe', `bash -c 'hogctl persons list | cat'`, {}],
    ['--save', 'hogctl persons list --save /dev/stdout', {}],
    ['a write', 'hogctl persons update 1 --set plan=pro --project 1 --yes', {}],
  ])('is not started for %s', async (_, line, environment) => {
    const { lines } = await shown(line, { HOGCTL_PAGER: MARKED, ...environment });
    expect(lines.filter((one) => one.startsWith('paged: '))).toEqual([]);
    expect(lines.length).toBeGreaterThan(0);
  });

  it('that cannot be started is told, and the list shown without one', async () => {
    const { code, lines } = await shown('hogctl persons list', { HOGCTL_PAGER: 'no-such-pager' });
    expect(code).toBe(0);
    expect(lines[0]).toBe('warning: the pager no-such-pager cannot be started');
    expect(lines.length).toBeGreaterThan(100);
  });

  it('leaves the exit code as it is', async () => {
    const { code, lines } = await shown('hogctl persons get 7', { HOGCTL_PAGER: MARKED }, { status: 404 });
    expect(code).toBe(3);
    expect(lines.filter((one) => one.startsWith('error: '))).toHaveLength(1);
  });

  it('less is left with q before the end, which is a success', async () => {
    const { environment } = await startService([list]);
    const terminal = onTerminal('hogctl persons list', { ...environment, HOGCTL_PAGER: 'less' });
    await terminal.says('distinct_ids');
    terminal.type('q');
    const { code, stdout } = await terminal.ended;
    expect(code).toBe(0);
    expect(String(stdout)).not.toContain('error');
  });

  it('ends the command as soon as it is left, though the next page does not come', async () => {
    const { environment } = await startService([{ json: list.json }, { never: true, times: 9 }]);
    const terminal = onTerminal('hogctl persons list --all', { ...environment, HOGCTL_PAGER: 'head -n 102' });
    const { code, stdout } = await terminal.ended;
    expect(code).toBe(0);
    expect(stripVTControlCharacters(String(stdout)).split(/\r*\n/)).toHaveLength(103);
  });

  it('keeps what it shows after Ctrl-C, which is a success', async () => {
    let arrive = () => {};
    const silent = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const { environment } = await startService([
      { json: list.json },
      { never: true, times: 9, work: () => arrive() },
    ]);
    const pager = `trap '' INT; ${MARKED}`;
    const terminal = onTerminal('hogctl persons list --all', { ...environment, HOGCTL_PAGER: pager });
    await Promise.all([silent, terminal.says('paged: ')]);
    terminal.type(CTRL_C);
    const { code, stdout } = await terminal.ended;
    expect(code).toBe(0);
    expect(String(stdout)).not.toContain('error');
  });

  it.each([
    ['the pager', 'hogctl persons list', (line: string) => ({ HOGCTL_PAGER: `${line}; cat` })],
    ['the editor', "hogctl query --edit 'select 1'", (line: string) => ({ VISUAL: `${line}; true` })],
  ])('hands %s no key, whatever the variable is called', async (_, command, how) => {
    const service = await startService([list]);
    const seen = join(temporaryDirectory(), 'seen');
    const environment = {
      ...service.environment,
      POSTHOG_PERSONAL_API_KEY: 'another-secret',
      MY_COPY: `Token ${KEY}`,
      SHOP: 'phx_of_another_project',
      KEPT: 'kept',
      ...how(`env > ${seen}`),
    };
    await onTerminal(command, environment).ended;
    const text = readFileSync(seen, 'utf8');
    expect(text).toContain('KEPT=kept');
    for (const secret of [KEY, 'another-secret', 'phx_']) expect(text).not.toContain(secret);
  });
});
