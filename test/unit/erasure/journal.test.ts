import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRun } from '../../../src/erasure/check.ts';
import { toSend } from '../../../src/erasure/core.ts';
import {
  checkChain,
  encodeLine,
  formatSeal,
  type Happening,
  type JournalLine,
  parseSeal,
  splitJournal,
} from '../../../src/erasure/record/journal.ts';
import { openRun, type Run, readRun } from '../../../src/erasure/record/open.ts';
import { personsOf } from '../../../src/erasure/record/sightings.ts';
import { replay } from '../../../src/erasure/record/state.ts';
import {
  agree,
  beginSession,
  endSession,
  fail,
  numbered,
  reading,
  rehearse,
  see,
  sendCall,
  takeAnswer,
  toolsFor,
} from './rehearsal.ts';

/** Answers, errors, a lost answer, a refusal and a call under way, so that each kind of line is there. */
function eventfulRun() {
  const rehearsal = rehearse({ ids: numbered(450), plan: { batchSize: 150 } });
  const { run, clock } = rehearsal;
  agree(run);
  beginSession(run);
  takeAnswer(run, { call: sendCall(run) });
  see(run, 'nobody');
  fail(run, sendCall(run, 2), 'unknown', 2);
  run.append({ type: 'aged', batch: 2 });
  see(run, 'everybody', { batch: 2 });
  fail(run, sendCall(run, 2, [0, 1, 9]), 'not-done', 2);
  see(run, 'everybody', { batch: 2 });
  const errors = [{ person: personsOf(run.standing(2).batch)[9] ?? '', step: 'postgres' }];
  takeAnswer(run, { batch: 2, call: sendCall(run, 2), answer: { deleted: 149, errors } });
  endSession(run);
  sendCall(run, 3);
  run.close();
  const path = join(run.path, 'journal.ndjson');
  return { run, clock, path, text: readFileSync(path, 'latin1') };
}

describe('chain', () => {
  test('a whole journal holds, and its seal too', () => {
    const { run } = eventfulRun();
    const seal = run.seal();
    expect(checkRun(run.path, reading, { expect: seal })).toEqual({
      seal,
      checkKey: 'holds',
      isMadeHere: true,
      problems: [],
    });
    expect(parseSeal(formatSeal(seal))).toEqual(seal);
    expect(parseSeal('12')).toBeUndefined();
  });

  test('a line of another run in the same place is found', () => {
    const { run, path, text } = eventfulRun();
    const other = eventfulRun();
    const [lines, others] = [text.split('\n'), other.text.split('\n')];
    for (const at of [0, 2]) {
      writeFileSync(path, lines.with(at, others[at] ?? '').join('\n'));
      const what =
        at === 0
          ? 'does not belong to plan.json, so one of the two was changed'
          : 'does not follow the line before it';
      expect(checkRun(run.path, reading).problems).toContain(`line ${at + 1} of the journal ${what}`);
    }
  });

  test('any byte that is flipped is found', () => {
    const { run, path, text } = eventfulRun();
    const bytes = Buffer.from(text, 'latin1');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (position, mask) => {
        const changed = Buffer.from(bytes);
        changed[position] = (changed[position] ?? 0) ^ mask;
        writeFileSync(path, changed);
        expect(checkRun(run.path, reading).problems).not.toEqual([]);
      }),
      { numRuns: 250 },
    );
  });

  test('a changed byte in plan.json or members.ndjson is found as well', () => {
    const { run } = eventfulRun();
    for (const name of ['plan.json', 'members.ndjson']) {
      const path = join(run.path, name);
      const text = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        text.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
      );
      expect(checkRun(run.path, reading).problems, name).toHaveLength(1);
      writeFileSync(path, text);
    }
    expect(checkRun(run.path, reading).problems).toEqual([]);
  });

  test('lines that were taken out, swapped, repeated or cut off at the end are found', () => {
    const { text, run } = eventfulRun();
    const { lines } = splitJournal(text);
    const problems = (some: readonly string[]) => checkChain(some, { expect: run.seal() }).problems;
    expect(problems(lines)).toEqual([]);
    expect(problems([...lines.slice(0, 3), ...lines.slice(4)])[0]?.line).toBe(4);
    expect(problems([...lines.slice(0, 3), ...lines.slice(2)])[0]?.line).toBe(4);
    expect(problems(lines.slice(1))).toEqual([{ line: 1, problem: 'says that it is line 2' }]);
    expect(problems(lines.slice(0, -1))).toEqual([
      { line: lines.length, problem: `is missing: ${lines.length} lines are expected` },
    ]);
    expect(checkChain(lines, { expect: { lines: 5, hash: '0'.repeat(64) } }).problems).toEqual([
      { line: 5, problem: 'does not have the expected hash' },
    ]);
    expect(checkChain(lines, { origin: '0'.repeat(64) }).problems[0]?.line).toBe(1);
  });

  test('a changed journal is not opened to send from', () => {
    const { run, path, text, clock } = eventfulRun();
    writeFileSync(path, text.replace('"outcome":"unknown"', '"outcome":"not-done"'));
    expect(() => openRun(run.path, toolsFor(clock))).toThrow('was changed');
    expect(() => readRun(run.path, reading)).toThrow('was changed');
  });
});

describe('replay', () => {
  test('from any first lines of any journal the run is opened, accounts for each id, and can be finished', () => {
    const steps = fc.array(
      fc.tuple(fc.constantFrom(...Object.keys(kindsOfStep)), fc.integer({ min: 1, max: 3 })),
      {
        minLength: 12,
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(steps, fc.nat(), (script, chance) => {
        const { run, reopen } = rehearse({ ids: numbered(7), plan: { batchSize: 3 } });
        agree(run);
        beginSession(run);
        for (const [kind, batch] of script) {
          const before = run.seal();
          if (!isPermitted(() => kindsOfStep[kind]?.(run, batch))) expect(run.seal()).toEqual(before);
        }
        run.close();
        const path = join(run.path, 'journal.ndjson');
        const texts = splitJournal(readFileSync(path, 'latin1')).lines;
        expect(checkRun(run.path, reading).problems).toEqual([]);
        writeFileSync(path, `${texts.slice(0, 2 + (chance % (texts.length - 1))).join('\n')}\n`);
        const again = reopen();
        expect(countAll(again)).toBe(7);
        finish(again);
        expect(again.tally()).toEqual({ gone: 7 });
        again.close();
      }),
      { numRuns: 60 },
    );
  });

  test('lines that contradict each other are refused', () => {
    const at = '2026-11-28T12:00:00.000Z';
    const created = { line: 1, at, type: 'created', run: 'r', batches: [[3, 3]] } as const;
    const sending = { line: 2, at, type: 'sending', batch: 1, persons: '0-2', count: 3, digest: '' } as const;
    const answered = {
      line: 3,
      at,
      type: 'answered',
      batch: 1,
      call: 0,
      answer: { kind: 'one', errors: [] },
    } as const;
    const failure = { outcome: 'unknown', kind: 'unavailable' } as const;
    const failed = { line: 3, at, type: 'failed', batch: 1, call: 0, failure } as const;
    expect(replay([created, sending, answered]).calls).toHaveLength(1);
    const bad: readonly (readonly JournalLine[])[] = [
      [],
      [answered],
      [created, created],
      [created, answered],
      [created, failed],
      [created, sending, answered, failed],
      [created, sending, { ...answered, call: 1 }],
      [created, { ...sending, batch: 9 }],
      [created, { line: 2, at, type: 'aged', batch: 0 }],
      // Cast: what a newer version may write.
      [created, { line: 2, at, type: 'something new' } as unknown as JournalLine],
    ];
    for (const some of bad)
      expect(() => replay(some)).toThrow(
        expect.objectContaining({ kind: 'check', message: expect.stringContaining('journal') }),
      );
  });
});

const kindsOfStep: Readonly<Record<string, (run: Run, batch: number) => void>> = {
  sent: (run, batch) => void sendCall(run, batch),
  'one sent': (run, batch) => void sendCall(run, batch, [0]),
  done: (run, batch) => takeAnswer(run, { batch, call: lastCall(run, batch) }),
  'no body': (run, batch) =>
    run.append({
      type: 'answered',
      batch,
      call: lastCall(run, batch),
      answer: { kind: 'no body', errors: [] },
    }),
  errors: (run, batch) => {
    const person = personsOf(run.standing(batch).batch)[0] ?? '';
    const answer = { deleted: 0, errors: [{ person, step: 'postgres' }] };
    takeAnswer(run, { batch, call: lastCall(run, batch), answer });
  },
  lost: (run, batch) => fail(run, lastCall(run, batch), 'unknown', batch),
  refused: (run, batch) => fail(run, lastCall(run, batch), 'not-done', batch),
  'there still': (run, batch) => see(run, 'everybody', { batch }),
  gone: (run, batch) => see(run, 'nobody', { batch }),
  'not shown': (run, batch) => see(run, 'nobody', { batch, isControlled: false }),
  aged: (run, batch) => run.append({ type: 'aged', batch }),
  session: beginSession,
};

const lastCall = (run: Run, batch: number) => run.standing(batch).batch.calls.length - 1;

/** Whether the core took it; throws what is no refusal of the core. */
function isPermitted(step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ kind: 'refused', message: expect.stringContaining('not permitted') });
    return false;
  }
}

function countAll(run: Run): number {
  return Object.values(run.tally()).reduce((sum, count) => sum + count, 0);
}

/** Sends whoever is open, as a session would. */
function finish(run: Run): void {
  beginSession(run);
  for (const batch of [1, 2, 3]) {
    see(run, 'everybody', { batch });
    const { run: core, batch: standing } = run.standing(batch);
    const at = toSend(core, standing).map((uuid) => personsOf(standing).indexOf(uuid));
    if (at.length > 0) takeAnswer(run, { batch, call: sendCall(run, batch, at) });
    see(run, 'nobody', { batch });
  }
}

describe('a journal whose hashes hold', () => {
  test.each([
    [
      'that contradicts itself',
      { type: 'answered', batch: 1, call: 0, answer: { kind: 'one', errors: [] } },
      'a call ends that is not under way',
    ],
    [
      'of a call that the core does not permit',
      { type: 'sending', batch: 1, persons: '0', count: 1, digest: '' },
      '1 person has not been agreed to',
    ],
  ] as const)('and %s, is a problem, not a crash', (_, happening, problem) => {
    const { run } = rehearse({ ids: numbered(3) });
    expect(() => run.append(happening)).toThrow(expect.objectContaining({ kind: 'refused' }));
    run.close();
    forge(run, happening);
    expect(checkRun(run.path, reading)).toMatchObject({
      problems: [`the journal contradicts itself on line 2: ${problem}`],
      seal: { lines: 2 },
    });
  });

  test('and that contradicts itself, is not read', () => {
    const { run } = rehearse({ ids: numbered(3) });
    run.close();
    forge(run, { type: 'failed', batch: 1, call: 0, failure: { outcome: 'unknown', kind: 'bug' } });
    expect(() => readRun(run.path, reading)).toThrow(expect.objectContaining({ kind: 'check' }));
  });
});

/** Writes a line behind the others without asking the core. */
function forge(run: Run, happening: Happening): void {
  const { lines, hash } = run.seal();
  const line = { line: lines + 1, at: '2026-11-28T12:00:00.000Z', ...happening };
  appendFileSync(join(run.path, 'journal.ndjson'), `${encodeLine(line, hash).text}\n`);
}

test('what a crash left behind the last whole line is told, and counted', () => {
  const { run } = rehearse({ ids: numbered(3) });
  run.close();
  appendFileSync(join(run.path, 'journal.ndjson'), '{"line":2');
  expect(checkRun(run.path, reading)).toMatchObject({
    problems: ['the journal ends in 9 bytes that are no whole line'],
    seal: { lines: 1 },
  });
});

test('a journal without a line has no hash and no problem of its own', () => {
  expect(checkChain([])).toEqual({ hash: '', problems: [], lines: [] });
  expect(splitJournal('')).toEqual({ lines: [], torn: '' });
  expect(splitJournal('a\n\nb')).toEqual({ lines: ['a', ''], torn: 'b' });
});
