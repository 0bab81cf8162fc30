import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { persons } from '../../../src/service/persons.ts';
import type { StubAnswer } from '../../support/stub-server.ts';
import { failureOf, type Watched } from './make-client.ts';
import { openBoth } from './open-stubs.ts';

const get = ({ client }: Watched) => client.call(persons.get, { id: '42' });
const list = async ({ client }: Watched) => {
  for await (const page of client.pages(persons.list, {})) expect(page.rows).toEqual([]);
};
const split = ({ client }: Watched) => client.call(persons.split, { id: '42', main_distinct_id: 'a' });
const erase = ({ client }: Watched) => client.call(persons.bulkDelete, { distinct_ids: ['a'] });
const raw = ({ client }: Watched) => client.api.raw({ method: 'GET', path: 'persons/' });

const packed = (length: number): StubAnswer => ({
  body: gzipSync(Buffer.alloc(length, ' ')),
  headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
});
const largestAnswer = 3_000_000;

describe('an answer that is larger than is taken', () => {
  it.each([
    ['one thing', get, 'unavailable', 'not-done', 3],
    ['a page', list, 'unavailable', 'not-done', 3],
    ['a free request', raw, 'unavailable', 'not-done', 3],
    ['a write', split, 'partial', 'unknown', 3],
    ['a deletion', erase, 'partial', 'unknown', 8],
  ] as const)('of %s is told with its size and not asked for again', async (_, call, kind, outcome, size) => {
    const { stub, watched } = await openBoth([() => packed(size * 1_000_000 + 1)], { largestAnswer });
    const error = await failureOf(call(watched));
    expect(error).toMatchObject({ kind, outcome, status: 200 });
    expect(error.message).toContain(`is larger than ${size} MB (status 200)`);
    expect(stub.log).toHaveLength(1);
  });

  it.each([
    ['a read', get, 'unavailable', 'not-done'],
    ['a deletion', erase, 'partial', 'unknown'],
  ] as const)('of an error of %s is told at 1 MB', async (_, call, kind, outcome) => {
    const { stub, watched } = await openBoth([() => ({ ...packed(1_000_001), status: 500 })]);
    const error = await failureOf(call(watched));
    expect(error).toMatchObject({ kind, outcome, status: 500 });
    expect(error.message).toContain('is larger than 1 MB (status 500)');
    expect(stub.log).toHaveLength(1);
  });

  it('is told where it is not packed', async () => {
    const { watched } = await openBoth([{ body: ' '.repeat(3_000_001) }], { largestAnswer });
    expect((await failureOf(get(watched))).message).toContain('is larger than 3 MB');
  });

  it('is the one that is a byte larger', async () => {
    const body = `{"id":42}${' '.repeat(largestAnswer - 9)}`;
    const { watched } = await openBoth([{ body: gzipSync(body), headers: packed(0).headers ?? {} }], {
      largestAnswer,
    });
    expect(await get(watched)).toEqual({ id: 42 });
  });
});

describe('a single answer that is nested too deeply', () => {
  const levels = (depth: number) => `{"id":42,"n":1.0,"a":${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}}`;

  it.each([
    [499, undefined],
    [500, 'more than 1000 levels'],
    [100_000, 'more than 1000 levels'],
  ])('at %i lists and objects', async (depth, said) => {
    const { stub, watched } = await openBoth([() => ({ body: levels(depth) })]);
    if (said === undefined) expect(await get(watched)).toMatchObject({ id: 42 });
    else {
      const error = await failureOf(get(watched));
      expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
      expect(error.message).toContain(said);
    }
    expect(stub.log).toHaveLength(1);
  });
});
