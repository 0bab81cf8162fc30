import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CRASH, matchGolden } from '../support/golden.ts';
import { allLeaves } from '../unit/cli/command-leaves.ts';

const folder = join(import.meta.dirname, '../golden');

describe('a golden file', () => {
  it('holds no crash, which is exit 1', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.(?:txt|md)$/.test(path),
    );
    expect(files.length).toBeGreaterThan(0);
    const crashed = files.filter((path) => CRASH.test(readFileSync(join(folder, path), 'utf8')));
    expect(crashed, 'mend the crash, then write these files of test/golden anew with -u').toEqual([]);
  });

  it('is refused for a crash, when it is written too', async () => {
    const text = '$ hogctl persons list\nexit 1\n--- stdout\n--- stderr\nunexpected: a bug\n';
    await expect(matchGolden(text, '../golden/refused.txt')).rejects.toThrow('exit 1 is a bug');
  });
});

describe('every command', () => {
  it('is run by a test', async () => {
    const tests = join(import.meta.dirname, '../e2e');
    const sources = readdirSync(tests, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(tests, name), 'utf8'));
    // The scripts of completion are compared as files.
    const leaves = (await allLeaves()).filter(({ words: [noun] }) => noun !== 'completion');
    const isRun = ({ words: [noun = ''], command }: (typeof leaves)[number]) =>
      [command.name, ...command.aliases]
        .map((verb) => (verb === noun ? noun : `${noun} ${verb}`))
        .some((words) => sources.some((text) => text.includes(words)));
    const untested = leaves.filter((leaf) => !isRun(leaf)).map(({ path }) => path);
    expect(untested, 'add a line for each to test/e2e/<noun>.test.ts').toEqual([]);
  });
});
