import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { person } from '../support/service.ts';
import type { StubAnswer } from '../support/stub-server.ts';
import { apart, BINARY, start, startService, temporaryDirectory } from './built-program.ts';

const MEGABYTES_MORE = 200;

/** 300 MB of blanks in 300 KB. */
const bomb: StubAnswer = {
  body: gzipSync(Buffer.alloc(300_000_000, ' ')),
  headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
};

/** Exit code, messages, and peak memory in MiB. */
async function run(words: readonly string[], answer: StubAnswer) {
  const { environment } = await startService([() => answer]);
  const directory = temporaryDirectory();
  const [report, peak] = [join(directory, 'report.cjs'), join(directory, 'peak')];
  writeFileSync(
    report,
    `process.on('exit', () =>
      require('node:fs').writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS / 1024)));`,
  );
  const line = apart([process.execPath, '--require', report, BINARY, ...words]);
  const { code, stderr } = await start(line, environment).ended;
  return { code, stderr, peak: Number(readFileSync(peak, 'utf8')) };
}

const erase = ['persons', 'bulk-delete', '--distinct-ids', 'a', '--yes', '--project', '1'];

describe('300 MB from 300 KB', { timeout: 60_000 }, () => {
  it.each([
    [6, ['persons', 'list', '--all', '-o', 'csv'], 200],
    [6, ['persons', 'get', '1'], 200],
    [6, ['api', 'GET', 'persons/'], 200],
    [6, ['persons', 'get', '1'], 500],
    [6, [...erase], 200],
    [8, ['persons', 'update', '42', '--set', 'a=b'], 200],
  ])('end with %i: %j, status %i', async (code, words, status) => {
    const usual = await run(['persons', 'get', '1'], { json: person(1) });
    const result = await run(words, { ...bomb, status });
    expect(result.stderr).toMatch(/is larger than (1|8|128) MB|unknown/);
    expect(result.code).toBe(code);
    expect(result.peak).toBeLessThan(usual.peak + MEGABYTES_MORE);
  });
});
