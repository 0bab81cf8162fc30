import { expect, it, onTestFinished } from 'vitest';
import { openJq } from '../../../src/print/jq.ts';

/** A program on answers whose time is up when the test says so. */
async function start(program: string, stop = new AbortController()) {
  const limit = new AbortController();
  const allowed: number[] = [];
  const jq = await openJq(program, {
    system: {
      self: [process.execPath, ''],
      platform: process.platform,
      environment: {},
      signal: stop.signal,
      forcedSignal: new AbortController().signal,
    },
    quoted: false,
    indented: false,
    tell: () => {},
    timeout: (milliseconds) => {
      allowed.push(milliseconds);
      return limit.signal;
    },
  });
  onTestFinished(() => jq.close());
  return { jq, limit, allowed, stop };
}

it('ends a program of jq that runs for a minute on one page', async () => {
  const { jq, limit, allowed } = await start('def f: f; f');
  const running = jq.overText('1').next();
  limit.abort();
  await expect(running).rejects.toMatchObject({
    kind: 'partial',
    message: expect.stringContaining('it ran for more than 60 s on one page'),
  });
  expect(allowed.at(-1)).toBe(60_000);
});

it('gives it the time for each page anew', async () => {
  const { jq, allowed } = await start('length');
  async function* pages() {
    yield* [[1, 2], [3]];
  }
  const lines: string[] = [];
  for await (const line of jq.over(pages())) lines.push(line);
  expect(lines).toEqual(['2\n', '1\n']);
  expect(allowed).toEqual([60_000, 60_000, 60_000]);
});

it('prints what it made of a page before the next one is there', async () => {
  const { jq } = await start('.[]');
  async function* pages() {
    yield [1];
    await new Promise(() => {});
  }
  expect(await jq.over(pages()).next()).toEqual({ done: false, value: '1\n' });
});

it('leaves it two seconds after the command was asked to stop', async () => {
  const { jq, stop, allowed } = await start('.');
  stop.abort('SIGINT');
  await jq.overText('1').next();
  expect(allowed.at(-1)).toBe(2000);
});
