import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cleanEnvironment, type Running, start, temporaryDirectory } from './built-program.ts';

const run = join(import.meta.dirname, '..', '..', '.ci', 'run');

/** What npm does, by its words: scripts of a shell. All other words end well. */
type Steps = Readonly<Record<string, string>>;

const CHECK = 'run check -- --without-tests';
const TESTS: Steps = { test: 'echo 3 passed, 0 failed', 'run test:hard': 'echo 2 passed, 0 failed' };

/** Starts .ci/run in a folder of its own, with another npm. */
function everything(steps: Steps, variables: Readonly<Record<string, string>> = {}) {
  const folder = temporaryDirectory();
  const bin = join(folder, 'bin');
  for (const name of ['.ci', 'bin', 'steps']) mkdirSync(join(folder, name));
  copyFileSync(run, join(folder, '.ci', 'run'));
  for (const [words, script] of Object.entries({ ...TESTS, ...steps }))
    writeFileSync(join(folder, 'steps', words), script);
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\n[ ! -f "steps/$*" ] || exec sh "steps/$*"\n', { mode: 0o755 });
  const { PATH, ...environment } = cleanEnvironment();
  const path = `${bin}${delimiter}${PATH}`;
  const running = start(['bash', join(folder, '.ci', 'run')], { ...environment, PATH: path, ...variables });
  return { folder, running };
}

async function endOf({ ended }: Running) {
  const { code, stdout, stderr } = await ended;
  const text = String(stdout);
  return { code, stderr, text, last: text.trimEnd().split('\n').at(-1) };
}

describe.skipIf(process.platform === 'win32')('the run of everything', { timeout: 60_000 }, () => {
  it.each<readonly [string, Steps, number, string]>([
    ['nothing fails', {}, 0, '5 passed, 0 failed'],
    ['a check fails', { [CHECK]: 'exit 1' }, 1, '5 passed, 1 failed'],
    ['tests fail', { test: 'echo 1 passed, 2 failed; exit 1' }, 1, '3 passed, 2 failed'],
    [
      'tests pass and their run does not',
      { test: 'echo 3 passed, 0 failed; exit 1' },
      1,
      '5 passed, 1 failed',
    ],
    ['tests do not come to their end', { 'run test:hard': 'kill -9 $$' }, 1, '3 passed, 1 failed'],
    ['nothing can be built', { 'run build': 'exit 1' }, 1, '0 passed, 1 failed'],
    ['a generated file changes', { 'run generate': 'echo new > README.md' }, 1, '5 passed, 1 failed'],
    ['something is known against a package', { 'run audit': 'echo bad; exit 1' }, 0, '5 passed, 0 failed'],
  ])('tells how much passed and failed if %s', async (_, steps, code, last) => {
    const { running } = everything(steps);
    expect(await endOf(running)).toMatchObject({ code, stderr: '', last });
  });

  it('tells it when the time is over, and begins nothing more', async () => {
    const { folder, running } = everything(
      { [CHECK]: 'exec sleep 1000', 'run build': 'echo > built' },
      { CI_SECONDS: '1' },
    );
    const { code, text, last } = await endOf(running);
    expect(code).toBe(1);
    // A busy computer may have had no time for the first step either.
    expect(last).toMatch(/^0 passed, [12] failed$/);
    expect(text).toContain('no time left');
    expect(existsSync(join(folder, 'built'))).toBe(false);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('tells it after %s', async (signal) => {
    const begun = join(temporaryDirectory(), 'begun');
    execFileSync('mkfifo', [begun]);
    const { running } = everything({ test: `echo > ${begun}; exec sleep 1000` });
    await readFile(begun);
    running.child.kill(signal);
    const { code, text, last } = await endOf(running);
    expect({ code, last }).toEqual({ code: 1, last: '0 passed, 1 failed' });
    expect(text).toContain('stopped by a signal');
  });

  it.skipIf(!existsSync('/proc/self/environ'))(
    'ends what a step leaves, also outside its group',
    async () => {
      const leaving = `
      sleep 1000 & echo $! > in-group
      setsid sh -c 'echo $$ > outside; exec sleep 1000' &
      until [ -s outside ]; do sleep 0.01; done`;
      const { folder, running } = everything({ [CHECK]: leaving });
      const left = ['in-group', 'outside'].map((name) => join(folder, name));
      onTestFinished(() => left.filter((file) => commandOf(file)).forEach(end));
      expect(await endOf(running)).toMatchObject({ code: 0, last: '5 passed, 0 failed' });
      expect(left.map(commandOf)).toEqual(['', '']);
    },
  );
});

function idIn(file: string): number {
  const id = Number(readFileSync(file, 'utf8'));
  expect(id).toBeGreaterThan(1);
  return id;
}

function end(file: string): void {
  process.kill(idIn(file), 'SIGKILL');
}

/** Empty for a process that has ended, whether or not anybody has asked how. */
function commandOf(file: string): string {
  const id = idIn(file);
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
