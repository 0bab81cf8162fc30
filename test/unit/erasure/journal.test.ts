import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRun } from '../../../src/erasure/check.ts';
import {
  checkChain,
  formatSeal,
  type JournalLine,
  parseSeal,
  splitJournal,
} from '../../../src/erasure/record/journal.ts';
import { openRun, readRun } from '../../../src/erasure/record/open.ts';
import { stateOf } from '../../../src/erasure/record/outcome.ts';
import { replay } from '../../../src/erasure/record/state.ts';
import {
  type Answering,
  carryOut,
  failure,
  knownAs,
  numbered,
  rehearse,
  toolsFor,
  uuidOf,
} from './rehearsal.ts';

/** Answers, errors, a lost answer, a refusal and a batch that is too large, so that each kind of line is there. */
const eventful: Answering = ({ ids }, call) => {
  if (ids.length > 100) throw failure(400, 'not-done');
  if (call === 3) throw failure(502, 'unknown');
  if (call === 4) throw failure(400, 'not-done');
  if (call === 5) return { found: 3, deleted: 2, errors: [{ person_uuid: uuidOf(9), step: 'postgres' }] };
  return { found: ids.length, deleted: ids.length, eventsQueued: true, errors: [] };
};

async function eventfulRun() {
  const rehearsal = rehearse({ ids: numbered(450), plan: { batchSize: 150 } });
  await carryOut(rehearsal.run, rehearsal.clock, eventful);
  rehearsal.run.close();
  const path = join(rehearsal.run.path, 'journal.ndjson');
  return { ...rehearsal, path, text: readFileSync(path, 'latin1') };
}

describe('chain', () => {
  test('a whole journal holds, and its seal too', async () => {
    const { run } = await eventfulRun();
    const seal = run.seal();
    expect(checkRun(run.path, { expect: seal })).toEqual({ seal, checkKey: 'holds', problems: [] });
    expect(parseSeal(formatSeal(seal))).toEqual(seal);
    expect(parseSeal('12')).toBeUndefined();
  });

  test('a line of another run in the same place is found', async () => {
    const { run, path, text } = await eventfulRun();
    const other = await eventfulRun();
    const [lines, others] = [text.split('\n'), other.text.split('\n')];
    for (const at of [0, 2]) {
      writeFileSync(path, lines.with(at, others[at] ?? '').join('\n'));
      const what =
        at === 0
          ? 'does not belong to plan.json, so one of the two was changed'
          : 'does not follow the line before it';
      expect(checkRun(run.path).problems).toContain(`line ${at + 1} of the journal ${what}`);
    }
  });

  test('any byte that is flipped is found', async () => {
    const { run, path, text } = await eventfulRun();
    const bytes = Buffer.from(text, 'latin1');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (position, mask) => {
        const changed = Buffer.from(bytes);
        changed[position] = (changed[position] ?? 0) ^ mask;
        writeFileSync(path, changed);
        expect(checkRun(run.path).problems).not.toEqual([]);
      }),
      { numRuns: 250 },
    );
  });

  test('a changed byte in plan.json or members.ndjson is found as well', async () => {
    const { run } = await eventfulRun();
    for (const name of ['plan.json', 'members.ndjson']) {
      const path = join(run.path, name);
      const text = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        text.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
      );
      expect(checkRun(run.path).problems, name).toHaveLength(1);
      writeFileSync(path, text);
    }
    expect(checkRun(run.path).problems).toEqual([]);
  });

  test('lines that were taken out, swapped, repeated or cut off at the end are found', async () => {
    const { text, run } = await eventfulRun();
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

  test('a changed journal is not opened to send from', async () => {
    const { run, path, text, clock } = await eventfulRun();
    writeFileSync(path, text.replace('"outcome":"unknown"', '"outcome":"not-done"'));
    expect(() => openRun(run.path, toolsFor(clock))).toThrow('was changed');
    expect(() => readRun(run.path)).toThrow('was changed');
  });
});

describe('replay', () => {
  test('any first lines of any journal are a consistent state, from which the run can be finished', async () => {
    const answers = fc.array(fc.constantFrom(...Object.keys(kindsOfAnswer)), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(answers, fc.constantFrom(1, 3), fc.nat(), async (script, concurrency, chance) => {
        const known = knownAs(numbered(450));
        const { run, clock, reopen } = rehearse({ ids: numbered(450), known, plan: { batchSize: 150 } });
        const scripted: Answering = (batch, call) =>
          kindsOfAnswer[script[call - 1] ?? 'deleted']?.(batch, call) ?? none;
        await carryOut(run, clock, scripted, { concurrency });
        run.close();
        const path = join(run.path, 'journal.ndjson');
        const texts = splitJournal(readFileSync(path, 'latin1')).lines;
        const { lines } = checkChain(texts);
        expect(lines).toHaveLength(texts.length);
        for (let length = 1; length <= lines.length; length += 1) expectConsistent(lines.slice(0, length));

        const kept = 1 + (chance % lines.length);
        const before = partsOf(replay(lines.slice(0, kept)));
        writeFileSync(path, `${texts.slice(0, kept).join('\n')}\n`);
        const { sent, outcome } = await carryOut(reopen(), clock, kindsOfAnswer.deleted ?? scripted);
        expect(outcome).toMatchObject({ sent: 450, unknown: 0, refused: 0, notSent: 0 });
        const answered = before.filter(({ sending }) => stateOf(sending) === 'done');
        const missing = 450 - answered.reduce((total, { count }) => total + count, 0);
        expect(sent.filter(({ ids }) => ids.length > 1).flatMap(({ ids }) => ids)).toHaveLength(missing);
      }),
      { numRuns: 15 },
    );
  });

  test('lines that contradict each other are refused', async () => {
    const { run } = await eventfulRun();
    const { lines } = checkChain(
      splitJournal(readFileSync(join(run.path, 'journal.ndjson'), 'latin1')).lines,
    );
    const [created] = lines;
    const at = '2026-11-28T12:00:00.000Z';
    const address = { line: 2, at, batch: 1, part: 1, retry: false };
    const answered = { ...address, type: 'answered', answer: { errors: [] } } as const;
    if (created === undefined) throw new Error('the journal is empty');
    const bad: readonly (readonly JournalLine[])[] = [
      [],
      [answered],
      [created, created],
      [created, answered],
      [created, { ...address, type: 'sending', retry: true, count: 1, digest: '' }],
      [created, { ...address, type: 'sending', batch: 9, count: 1, digest: '' }],
      [created, { line: 2, at, type: 'cut', batch: 9, limit: 100 }],
      // Cast: what a newer version may write.
      [created, { line: 2, at, type: 'something new' } as unknown as JournalLine],
    ];
    for (const some of bad) expect(() => replay(some)).toThrow(/journal/);
  });
});

const none = { found: 0, errors: [] };

const kindsOfAnswer: Readonly<Record<string, Answering>> = {
  deleted: ({ ids }) => ({ found: ids.length, deleted: ids.length, errors: [] }),
  accepted: () => ({ errors: [], accepted: true }),
  errors: () => ({ found: 9, deleted: 8, errors: [{ person_uuid: uuidOf(9), step: 'postgres' }] }),
  lost: () => {
    throw failure(502, 'unknown');
  },
  refused: () => {
    throw failure(400, 'not-done');
  },
  forbidden: () => {
    throw failure(403, 'not-done');
  },
};

function expectConsistent(lines: readonly JournalLine[]): void {
  const parts = partsOf(replay(lines));
  expect(parts.reduce((total, { count }) => total + count, 0)).toBe(450);
  expect(parts.map(({ from }) => from)).toEqual(positions(parts.map(({ count }) => count)));
  for (const part of parts) expectStateOf(part.batch, part.part, lines, stateOf(part.sending));
}

function positions(counts: readonly number[]): readonly number[] {
  let from = 0;
  return counts.map((count) => {
    from += count;
    return from - count;
  });
}

/** Told again, from the lines alone: answered is done, sent without an end or lost is unknown. */
function expectStateOf(batch: number, part: number, lines: readonly JournalLine[], state: string): void {
  const cutAt = lines.findIndex((line) => line.type === 'cut' && line.batch === batch);
  const mine = lines
    .slice(cutAt + 1)
    .filter((line) => 'part' in line && line.batch === batch && line.part === part && !line.retry)
    .filter(({ type }) => type !== 'looked-up');
  const last = mine.at(-1);
  // What was lost before the batch was cut may have run for each of its pieces.
  const isLost = lines.some(
    (line) =>
      line.type === 'failed' &&
      line.batch === batch &&
      !line.retry &&
      line.failure.outcome === 'unknown' &&
      (line.part === part || (cutAt >= 0 && line.line <= cutAt)),
  );
  if (last === undefined) expect(state).toBe(isLost ? 'unknown' : 'not sent');
  else if (last.type === 'answered') expect(state).toBe('done');
  else if (last.type === 'sending' || isLost) expect(state).toBe('unknown');
  else expect(state).toBe('failed');
}

test('a journal whose hashes hold and that contradicts itself is a problem, not a crash', async () => {
  const { run } = rehearse({ ids: numbered(3) });
  const answered = { batch: 1, part: 1, retry: false, answer: { errors: [] } } as const;
  expect(() => run.append({ type: 'answered', ...answered })).toThrow('comes without a sending');
  run.close();
  expect(checkRun(run.path)).toMatchObject({
    problems: ['the journal contradicts itself on line 2: an answer comes without a sending'],
    seal: { lines: 2 },
  });
  expect(() => readRun(run.path)).toThrow(expect.objectContaining({ kind: 'check' }));
});

test('what a crash left behind the last whole line is told, and counted', () => {
  const { run } = rehearse({ ids: numbered(3) });
  run.close();
  appendFileSync(join(run.path, 'journal.ndjson'), '{"line":2');
  expect(checkRun(run.path)).toMatchObject({
    problems: ['the journal ends in 9 bytes that are no whole line'],
    seal: { lines: 1 },
  });
});

test('a journal without a line has no hash and no problem of its own', () => {
  expect(checkChain([])).toEqual({ hash: '', problems: [], lines: [] });
  expect(splitJournal('')).toEqual({ lines: [], torn: '' });
  expect(splitJournal('a\n\nb')).toEqual({ lines: ['a', ''], torn: 'b' });
});
