import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runProgram } from '../../support/run-program.ts';
import { startStub } from '../../support/stub-server.ts';
import { LIST, range, serve } from '../http/serve-persons.ts';

type Wish = {
  readonly words?: readonly string[];
  readonly columns?: number;
  readonly count?: number;
  readonly term?: string;
};

/** Lists 300 persons in three pages, each look at the clock eleven seconds after the one before. */
async function list({ words = ['--all'], columns, count, term = 'xterm' }: Wish) {
  const answer = serve(300);
  const stub = await startStub([
    (received) => ({ json: { ...(count === undefined ? {} : { count }), ...Object(answer(received).json) } }),
  ]);
  onTestFinished(stub.close);
  let seconds = 0;
  return runProgram(['persons', 'list', '-o', 'ndjson', ...words], {
    environment: {
      HOGCTL_HOST: stub.origin,
      HOGCTL_PROJECT: '7',
      HOGCTL_API_KEY: 'phx_test',
      TERM: term,
    },
    ...(columns === undefined ? {} : { terminal: { columns } }),
    now: () => {
      seconds += 11;
      return seconds * 1000;
    },
  });
}

describe('reading a whole list', () => {
  it('says how far it is, beside the rows', async () => {
    const { code, stdout, stderr } = await list({});
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(300);
    expect(stderr).toMatch(/^100 rows, \d+ a second\n200 rows, \d+ a second\n300 rows, \d+ a second\n$/);
  });

  it('says how long it will take where the service tells the total', async () => {
    const { stderr } = await list({ count: 300 });
    expect(stderr).toMatch(/^100 of 300 rows, \d+ a second, about .+ left\n/);
  });

  it('claims no total and no time left where more come than were counted', async () => {
    const { stderr } = await list({ count: 250 });
    expect(stderr).toMatch(/^100 of 250 rows, .+ left\n200 of 250 rows, .+ left\n300 rows, \d+ a second\n/);
  });

  it('leaves out what a narrow terminal has no room for, whole', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hogctl-progress-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const words = ['--all', '--save', join(folder, 'people.ndjson')];
    const { stderr } = await list({ words, columns: 30, count: 300 });
    const shown = stderr.split('\r\u001b[K').slice(1, 3);
    expect(shown.map((text) => text.replace(/\d+ a/, 'so many a'))).toEqual([
      '100 of 300 rows, so many a second',
      '200 of 300 rows, so many a second',
    ]);
  });

  it('draws the same on a terminal that does not know its width as on one of 80 columns', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hogctl-progress-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const words = ['--all', '--save', join(folder, 'people.ndjson')];
    const draw = async (columns: number) => (await list({ words, columns, count: 300 })).stderr;
    expect(await draw(0)).toBe(await draw(80));
    expect(await draw(0)).toContain('about');
  });

  it.each([
    ['xterm', true],
    ['dumb', false],
  ])('draws on a terminal what it can take back: TERM=%s', async (term, isDrawn) => {
    const folder = mkdtempSync(join(tmpdir(), 'hogctl-progress-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const words = ['--all', '--save', join(folder, 'people.ndjson')];
    const { stderr } = await list({ words, columns: 100, term });
    expect(stderr).toContain('100 rows');
    expect(stderr.includes('\u001b')).toBe(isDrawn);
  });

  it.each([
    ['with --quiet', { words: ['--all', '--quiet'] }],
    ['when the rows go to the same terminal', { columns: 100 }],
  ])('says nothing of it %s', async (_, wish) => {
    expect((await list(wish)).stderr).toBe('');
  });

  it('says when fewer rows came than the service counts', async () => {
    const { code, stderr } = await list({ count: 302 });
    expect(code).toBe(0);
    expect(stderr).toContain(
      'warning: the service counts 302 rows, but 300 came: the others were deleted during the read, or missed\n',
    );
    const words = ['--all', '--offset', '2', '-q'];
    expect((await list({ count: 302, words })).stderr).toContain('counts 300 rows, but 298 came');
    expect((await list({ count: 300, words })).stderr).toBe('');
  });

  it('says nothing of it for a part of a list', async () => {
    const { stderr } = await list({ words: ['--limit', '150'] });
    expect(stderr).toBe(
      'warning: these are the first 150 rows, and the service has more; --all reads all of them\n',
    );
  });
});

it('says how far the people behind an analysis are where a query brings them', async () => {
  const stub = await startStub([
    ({ json }) => {
      const { offset } = (json as { query: { offset: number } }).query;
      return { json: { results: range(offset, offset + 100).map((row) => [row]), hasMore: offset < 100 } };
    },
  ]);
  onTestFinished(stub.close);
  let seconds = 0;
  const words = ['persons', 'trends', '--events', 'paid', '--via', 'query', '--all', '-o', 'ndjson'];
  const { code, stdout, stderr } = await runProgram(words, {
    environment: { HOGCTL_HOST: stub.origin, HOGCTL_PROJECT: '7', HOGCTL_API_KEY: 'phx_test' },
    now: () => {
      seconds += 11;
      return seconds * 1000;
    },
  });
  expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 200]);
  expect(stderr).toMatch(/100 rows, \d+ a second\n200 rows, \d+ a second\n/);
});

it('waits for a slow reader, page after page, with the rows of each whole', async () => {
  const stub = await startStub([serve(300)]);
  onTestFinished(stub.close);
  let text = '';
  const slow = new Writable({
    highWaterMark: 1,
    write(chunk, _encoding, taken) {
      // Taken a turn later: what the bytes hold then is what the reader gets.
      setImmediate(() => {
        text += chunk;
        taken();
      });
    },
  });
  const { code } = await runProgram(['persons', 'list', '--all', '-o', 'ndjson'], {
    environment: { HOGCTL_HOST: stub.origin, HOGCTL_PROJECT: '7', HOGCTL_API_KEY: 'phx_test' },
    stdout: slow,
  });
  expect(code).toBe(0);
  expect(text).toBe(
    range(0, 300)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  );
  expect(stub.log.every(({ url }) => url.startsWith(LIST))).toBe(true);
});
