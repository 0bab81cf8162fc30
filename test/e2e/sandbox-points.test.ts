import { describe, expect, it, onTestFinished } from 'vitest';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';

/** Three people sign up in November, one before and one after it. */
const SIGN_UPS = [
  ['october', '2019-10-31T23:59:59Z'],
  ['fifth', '2019-11-05T08:10:00Z'],
  ['seventh', '2019-11-07T08:59:59Z'],
  ['twenty-seventh', '2019-11-27T23:59:59Z'],
  ['december', '2019-12-01T00:00:00Z'],
] as const;

const data = {
  persons: SIGN_UPS.map(([id]) => ({ distinct_ids: [id], created_at: '2019-01-01T00:00:00Z' })),
  events: SIGN_UPS.map(([id, timestamp]) => ({ distinct_id: id, event: 'sign up', timestamp })),
};

async function peopleOf(line: string, dialect: 'specification' | 'live') {
  const sandbox = await borrowSandbox({ dialect, data, now: '2020-01-15T12:00:00Z' });
  onTestFinished(() => sandbox.stop());
  const environment = {
    ...sandboxEnvironment(sandbox, dialect),
    HOGCTL_STATE_DIR: temporaryDirectory(),
  };
  const words = splitWords(`${line} -q -o ndjson --columns name`);
  const { code, stdout, stderr } = await runProgram([...words], { environment });
  expect(code, stderr).toBe(0);
  const rows: readonly { readonly name: string }[] = stdout
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text));
  return rows.map(({ name }) => name).toSorted();
}

describe.each(['specification', 'live'] as const)('the people behind a point, %s dialect', (dialect) => {
  it.each([
    ['--interval month --day 2019-11-01', ['fifth', 'seventh', 'twenty-seventh']],
    ['--interval month --day 2019-11-20', ['fifth', 'seventh', 'twenty-seventh']],
    ['--interval week --day 2019-11-03', ['fifth', 'seventh']],
    ['--interval hour --day 2019-11-05T08:00:00', ['fifth']],
    ['--interval hour --day 2019-11-05T09:00:00', []],
    ['--day 2019-11-05', ['fifth']],
    ['--interval month --day 2019-12-01', ['december']],
  ])('of a trend are those of all of it: %s', async (point, expected) => {
    expect(await peopleOf(`persons trends --events 'sign up' ${point}`, dialect)).toEqual(expected);
  });

  it.each([
    ['--interval month --day 2019-11-01', ['fifth', 'seventh', 'twenty-seventh']],
    ['--interval week --day 2019-11-04', ['fifth', 'seventh']],
    ['--day 2019-11-05', ['fifth']],
    ['--day 2019-11-05 --date-from 2019-12-01', ['fifth']],
    [
      '--interval month --day 2019-11-01 --date-from 2019-10-01 --date-to 2019-12-31',
      ['fifth', 'seventh', 'twenty-seventh'],
    ],
  ])('of a lifecycle are those of all of it: %s', async (point, expected) => {
    const line = `persons lifecycle --events 'sign up' --status resurrecting ${point}`;
    expect(await peopleOf(line, dialect)).toEqual(expected);
  });
});
