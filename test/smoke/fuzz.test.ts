import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanEnvironment, start } from './built-program.ts';

const scripts = join(import.meta.dirname, '..', '..', 'scripts');

type Ended = {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  milliseconds: number;
};
type Change = { read: boolean; method: string; path: string; body: string };
type Case = {
  log: Change[];
  told: string[];
  words: string[];
  asked?: boolean;
  given?: Buffer;
  sql?: boolean;
  mayWrite?: boolean;
};
const { judge, KEY, LIMIT }: { judge(ended: Ended, one: Case): string[]; KEY: string; LIMIT: number } =
  await import(join(scripts, 'fuzz', 'judge.mjs'));

const fine: Ended = { code: 0, signal: null, stdout: '', stderr: '', milliseconds: 90 };
const quiet: Case = { log: [], told: [], words: ['persons', 'list'] };
const deletion = (body: object): Change => ({
  read: false,
  method: 'POST',
  path: '/api/projects/1/persons/bulk_delete/',
  body: JSON.stringify(body),
});
const asked: Case = {
  ...quiet,
  asked: true,
  given: Buffer.from('user-1\nuser-2'),
  told: ['"uuid":"0198-a"'],
};

describe('the judge of the fuzz script', () => {
  it.each([
    ['exit code 1', { ...fine, code: 1 }, quiet, 'its exit code was 1'],
    ['a crash', { ...fine, code: null, signal: 'SIGSEGV' }, quiet, 'it crashed with SIGSEGV'],
    ['a hang', { ...fine, code: null, signal: 'SIGKILL', milliseconds: LIMIT }, quiet, 'it did not end'],
    ['a stack', { ...fine, code: 6, stderr: 'x\n    at run (file.js:1:2)\n' }, quiet, 'it showed a stack'],
    ['the key', { ...fine, stdout: `a${KEY}b` }, quiet, 'it showed the key'],
    ['the key in base64', { ...fine, stderr: btoa(KEY) }, quiet, 'it showed the key'],
    ['a change unasked', fine, { ...quiet, log: [deletion({ ids: [] })] }, 'bulk_delete/ unasked'],
    ['a deletion in a line of chance', fine, { ...quiet, mayWrite: true, log: [deletion({})] }, 'unasked'],
    ['a foreign person', fine, { ...asked, log: [deletion({ ids: ['0198-b'] })] }, 'it deleted "0198-b"'],
    [
      'a fault of the sandbox',
      { ...fine, stderr: 'it answered 500' },
      { ...quiet, sql: true },
      'the sandbox',
    ],
  ])('tells %s', (_, ended, one, fault) => {
    expect(judge(ended, one)).toEqual([expect.stringContaining(fault)]);
  });

  it.each([
    ['an ordinary end', { ...fine, code: 9 }, quiet],
    [
      'a stack that was asked for',
      { ...fine, stderr: '    at run (file.js:1:2)' },
      { ...quiet, words: ['--debug'] },
    ],
    [
      'persons who were given or named',
      fine,
      { ...asked, log: [deletion({ distinct_ids: ['user-1'], ids: ['0198-a'] })] },
    ],
  ])('passes %s', (_, ended, one) => {
    expect(judge(ended, one)).toEqual([]);
  });
});

describe('the fuzz script', () => {
  it('finds nothing in a few cases, and says what it tried', { timeout: 120_000 }, async () => {
    const words = [join(scripts, 'fuzz.mjs'), '--seed', '1', '--most', '20'];
    const { code, stdout, stderr } = await start([process.execPath, ...words], cleanEnvironment()).ended;
    expect(String(stdout) + (code === 0 ? '' : stderr)).toMatch(
      /^seed 1\n0 findings, \d+ changes sent; cases by kind and exit code: \{"/,
    );
    expect(code).toBe(0);
  });
});
