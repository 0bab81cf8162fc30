import { expect, it, onTestFinished } from 'vitest';
import { runProgram } from '../../support/run-program.ts';
import { startStub } from '../../support/stub-server.ts';
import { range } from '../http/serve-persons.ts';

const WORDS = ['persons', 'trends', '--events', 'paid', '--via', 'query', '--all', '-o', 'ndjson'];

it.each([
  ['answers the same rows whatever it is asked', (_: number) => range(0, 100)],
  [
    'says that there are more, and sends none',
    (offset: number) => range(offset, offset === 0 ? 100 : offset),
  ],
])('people behind an analysis end with 6 where the service %s', async (_, rows) => {
  const stub = await startStub([
    ({ json }) => {
      const { offset } = (json as { query: { offset: number } }).query;
      return { json: { results: rows(offset).map((row) => [row]), hasMore: true } };
    },
  ]);
  onTestFinished(stub.close);
  const { code, stdout, stderr } = await runProgram(WORDS, {
    environment: { HOGCTL_HOST: stub.origin, HOGCTL_PROJECT: '7', HOGCTL_API_KEY: 'phx_test' },
  });
  expect([code, stdout.trimEnd().split('\n').length, stub.log.length]).toEqual([6, 100, 2]);
  expect(stderr).toContain('the query sent no new rows after 100 rows');
});

it('people behind an analysis are read on after a full page where the service does not say whether there are more', async () => {
  const stub = await startStub([
    ({ json }) => {
      const { offset } = (json as { query: { offset: number } }).query;
      return { json: { results: range(offset, Math.min(offset + 100, 130)).map((row) => [row]) } };
    },
  ]);
  onTestFinished(stub.close);
  const { code, stdout } = await runProgram([...WORDS, '--limit', '100'], {
    environment: { HOGCTL_HOST: stub.origin, HOGCTL_PROJECT: '7', HOGCTL_API_KEY: 'phx_test' },
  });
  expect([code, stdout.trimEnd().split('\n').length, stub.log.length]).toEqual([0, 130, 2]);
});
