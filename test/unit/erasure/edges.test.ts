import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkRun } from '../../../src/erasure/check.ts';
import { findAnswer, recordFailure } from '../../../src/erasure/record/answer.ts';
import { createRun } from '../../../src/erasure/record/create.ts';
import {
  checkPlace,
  type Disk,
  realDisk,
  takeLock,
  useRunDirectory,
} from '../../../src/erasure/record/directory.ts';
import { makePlan } from '../../../src/erasure/record/plan.ts';
import { CliError } from '../../../src/errors.ts';
import { readList } from '../../support/read-list.ts';
import {
  carryOut,
  createClock,
  nobodySpared,
  numbered,
  planInput,
  reading,
  rehearse,
  temporaryFolder,
  toolsFor,
  toPeople,
  uuidOf,
} from './rehearsal.ts';

describe('checking a run', () => {
  function finished() {
    const { run } = rehearse({ ids: numbered(2) });
    carryOut(run);
    run.close();
    return (name: string) => join(run.path, name);
  }

  test.each(['plan.json', 'journal.ndjson'])('without its %s says so', (name) => {
    const at = finished();
    rmSync(at(name));
    expect(checkRun(at('.'), reading).problems).toEqual([`${name} is missing`]);
  });

  test('whose members are missing, or whose journal is empty, says so', () => {
    const at = finished();
    rmSync(at('members.ndjson'));
    expect(checkRun(at('.'), reading).problems).toEqual(['members.ndjson is missing']);
    writeFileSync(at('journal.ndjson'), '');
    expect(checkRun(at('.'), reading).problems).toEqual(['the journal has no whole line']);
  });
});

describe('a run that cannot be made', () => {
  const failing = (error: Error): Disk => ({
    ...realDisk,
    sync: () => {
      throw error;
    },
  });
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });

  test('names what the disk says, and shows a bug as what it is', () => {
    const people = [toPeople({ ids: numbered(2) })];
    const plan = makePlan(planInput(people));
    const place = { stateDirectory: temporaryFolder() };
    for (const [error, message] of [
      [full, 'ENOSPC'],
      [new TypeError('a bug'), 'a bug'],
    ] as const) {
      const tools = toolsFor(createClock(), failing(error));
      expect(() =>
        createRun(place, { plan, people, spared: nobodySpared }, { ...tools, random: Math.random }),
      ).toThrow(message);
      expect(() => checkPlace(place, { ...tools, random: Math.random })).toThrow(message);
    }
  });

  test('is tried out, and leaves nothing behind', () => {
    const { run, stateDirectory, tools } = rehearse({ ids: numbered(2) });
    checkPlace({ stateDirectory }, { ...tools, random: Math.random });
    expect(useRunDirectory(join(stateDirectory, 'runs')).names()).toEqual([run.id]);
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => checkPlace({ stateDirectory: file }, tools)).toThrow(file);
  });
});

describe('a lock', () => {
  test('that cannot be read is no released one', () => {
    const directory = useRunDirectory(temporaryFolder());
    const tools = toolsFor(createClock());
    takeLock(directory, tools);
    writeFileSync(join(directory.path, 'lock-1'), '{');
    expect(() => takeLock(directory, tools)).toThrow(
      'cannot be read, so it does not tell which process works on the run',
    );
  });
});

describe('ids in a file', () => {
  const read = (text: string | Uint8Array, column?: string) => {
    async function* chunks() {
      yield Buffer.from(text);
    }
    return readList(chunks(), { column });
  };

  test.each([
    ['a list in which a column is named', 'a\nb\n', 'email', /plain list, so it has no column "email"/],
    ['a table without the column', 'id,name\n1,2\n', 'email', /no column "email"/],
    [
      'one column with a separator in it',
      'distinct_id\n"a"\nb,c\n',
      undefined,
      'line 3 holds more or fewer cells than the first row',
    ],
    [
      'a table with ragged rows',
      'id,name\n1,2,3\n4\n"\n",5\n6,7',
      'id',
      /line 2: .*cells.*\n {2}line 3: .*\n {2}line 5: an empty/,
    ],
    ['a quoted cell that is never closed', 'id,name\n"1,2\n', 'id', /a quote is never closed/],
    ['a quote in the midst of a cell', 'id,name\n1"x,2\n', 'id', /a quote stands in the wrong place/],
    ['UTF-32, the large end first', Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 97]), undefined, /UTF-32/],
    ['UTF-32, the small end first', Buffer.from([0xff, 0xfe, 0, 0, 97, 0, 0, 0]), undefined, /UTF-32/],
    ['UTF-16 without a mark', Buffer.from([0, 97, 0, 10]), undefined, /UTF-16 without/],
    ['half a character at the end', Buffer.from([97, 10, 0xe2, 0x82]), undefined, /not valid UTF-8/],
  ])('are refused for %s', async (_, text, column, message) => {
    await expect(read(text, column)).rejects.toThrow(message);
  });

  test('are read again as they were written, with whom they belong to', () => {
    const ids = ['plain', 'a "b", c', 'nobody', '\u{1f600}'];
    const known = [
      { uuid: uuidOf(1), distinctIds: ['plain'] },
      { uuid: uuidOf(2), distinctIds: ['a "b", c'] },
      null,
      null,
    ];
    const resolved = rehearse({ ids, known });
    resolved.run.close();
    const again = resolved.reopen();
    expect(again.entries(0, 4).map(({ id, person }) => [id, person])).toEqual(
      ids.map((id, index) => [id, known[index]]),
    );
  });
});

test('ids of any length and form are kept as they are', () => {
  const ids = [
    '0A1B2C3D-0000-4000-8000-00000000ABCD',
    uuidOf(1).replaceAll('-', ''),
    'x'.repeat(200),
    'é'.repeat(150),
  ];
  const { run, reopen } = rehearse({ ids });
  run.close();
  expect(
    reopen()
      .entries(0, 4)
      .map(({ id }) => id),
  ).toEqual(ids);
});

test('an error that carries half a summary carries no answer', () => {
  const carrying = (answer: unknown) => new CliError('unavailable', 'no', { answer });
  expect(findAnswer(carrying({ persons_found: 1, deletion_errors: 'none' }))).toBeUndefined();
  expect(findAnswer(carrying({ persons_found: 1 }))).toBeUndefined();
  expect(findAnswer(new TypeError('x'))).toBeUndefined();
  expect(findAnswer(carrying({ persons_found: 1, deletion_errors: [] }))).toMatchObject({ found: 1 });
});

test('a failure is written down with the code that the service gave', () => {
  const failure = new CliError('refused', 'no', { code: 'invalid_input', outcome: 'not-done', status: 400 });
  expect(recordFailure(failure)).toEqual({
    outcome: 'not-done',
    kind: 'refused',
    status: 400,
    code: 'invalid_input',
  });
});
