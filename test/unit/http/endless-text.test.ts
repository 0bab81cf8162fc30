import { describe, expect, it } from 'vitest';
import { persons } from '../../../src/service/persons.ts';
import type { StubAnswer } from '../../support/stub-server.ts';
import { failureOf, type Watched } from './make-client.ts';
import { openBoth } from './open-stubs.ts';

const LENGTH = 1_000_000;

const get = ({ client }: Watched) => client.call(persons.get, { id: '42' });
const list = async ({ client }: Watched) => {
  for await (const page of client.pages(persons.list, {})) expect(page.rows).toEqual([]);
};

const page = (text: string): StubAnswer => ({ body: text, headers: { 'content-type': 'text/html' } });
const many = (text: string, length: number) => text.repeat(length / text.length);

const refusal = (repeated: string) => (length: number) => ({
  ...page(`<html>${many(repeated, length)}`),
  status: 400,
});
const detail = (repeated: string) => (length: number) => ({
  status: 400,
  json: { detail: many(repeated, length), code: many(repeated, length), attr: many(repeated, length) },
});
const broken = (repeated: string) => (length: number) => ({ body: `{"a":"${many(repeated, length)}` });
const link = (repeated: string) => (length: number) => ({
  json: { next: `/api/projects/7/persons/?x=${many(repeated, length)}`, results: [] },
});

/** Milliseconds of processor, the stub's own included. */
async function processorFor(
  read: (watched: Watched) => Promise<unknown>,
  answer: StubAnswer,
): Promise<number> {
  const { watched } = await openBoth([() => answer], { retries: 0 });
  const before = process.cpuUsage();
  const error = await failureOf(read(watched));
  const { user, system } = process.cpuUsage(before);
  expect(error.message.length).toBeLessThan(2500);
  return (user + system) / 1000;
}

describe('text without an end', { timeout: 60_000 }, () => {
  it.each([
    ['blanks on a page', get, refusal(' ')],
    ['titles that never end', get, refusal('<title')],
    ['tags that never end', get, refusal('<a')],
    ['blanks of an error', get, detail(' \n')],
    ['words of an error', get, detail('scope ')],
    ['quotes that never end', get, broken('\\"')],
    ['backslashes', list, broken('\\\\')],
    ['brackets', list, (length: number) => ({ body: many('[', length) })],
    ['digits', list, (length: number) => ({ body: `[${many('1', length)}` })],
    ['an encoded link', list, link('%25')],
    ['a link of dots', list, link('../')],
  ] as const)('takes no more than its length: %s', async (_, read, answerOf) => {
    const once = Math.max(100, await processorFor(read, answerOf(LENGTH / 2)));
    // Twice as long is four times the work where the time grows with the square.
    // The smaller of two, as what else this process does meanwhile counts, too.
    const whole = [await processorFor(read, answerOf(LENGTH)), await processorFor(read, answerOf(LENGTH))];
    expect(Math.min(...whole)).toBeLessThan(once * 3);
  });
});
