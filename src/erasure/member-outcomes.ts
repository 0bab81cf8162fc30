import type { IdKind } from './ids.ts';
import type { MemberLine } from './members.ts';
import type { RunRecord } from './run.ts';
import { lostAnswers, type Part, partsOf, peopleOf, stateOf } from './run-state.ts';

/** What the run can say of one id. `deleted` and `queued` only where the plan resolved it and the figures agree. */
export type MemberOutcome = {
  readonly member: string;
  readonly kind: IdKind;
  readonly batch: number | null;
  readonly outcome:
    | 'deleted'
    | 'queued'
    | 'sent'
    | 'accepted'
    | 'failed'
    | 'nobody when planned'
    | 'gone when looked up'
    | 'withheld'
    | 'refused'
    | 'unknown'
    | 'not sent'
    | 'left out';
  /** Where the service said which step failed. */
  readonly step: string | null;
  /** Answers that were lost before the one that counts. */
  readonly lostAnswers: number;
};

type Told = Pick<MemberOutcome, 'outcome' | 'step'>;

/** One row for each id of the run, in the order of the plan, without holding them all. */
export function* memberOutcomes(run: RunRecord): Generator<MemberOutcome> {
  const parts = partsOf(run.state());
  let next = 0;
  let lines: MemberLine[] = [];
  for (const line of run.members()) {
    const part = parts[next];
    if (part === undefined) {
      yield {
        member: line.member,
        kind: line.kind,
        batch: null,
        outcome: 'left out',
        step: null,
        lostAnswers: 0,
      };
      continue;
    }
    lines.push(line);
    if (lines.length < part.count) continue;
    yield* outcomesOfPart(part, lines);
    next += 1;
    lines = [];
  }
}

function* outcomesOfPart(part: Part, lines: readonly MemberLine[]): Generator<MemberOutcome> {
  const tell = createTeller(part, lines);
  for (const line of lines) {
    const { member, kind } = line;
    yield { member, kind, batch: part.batch, ...tell(line), lostAnswers: lostAnswers(part.sending) };
  }
}

function createTeller(part: Part, lines: readonly MemberLine[]): (line: MemberLine) => Told {
  const state = stateOf(part.sending);
  const plain =
    (outcome: Told['outcome']): (() => Told) =>
    () => ({ outcome, step: null });
  if (state !== 'done') return plain(state === 'failed' ? 'refused' : state);
  const withheld = new Set(part.sending.withheld);
  const steps = new Map(part.errors.map(({ person, step }) => [person, step]));
  const outcomeOfOthers = outcomeOfThoseFound(part, lines);
  return ({ member, kind, person }) => {
    if (withheld.has(member)) return { outcome: 'withheld', step: null };
    const owner = person ?? (kind === 'ids' ? member : undefined);
    const step = owner === undefined ? undefined : steps.get(owner);
    if (step !== undefined) return { outcome: 'failed', step };
    if (person === null) return { outcome: 'nobody when planned', step: null };
    return { outcome: outcomeOfOthers, step: null };
  };
}

/** Only if everybody who was resolved was found, and the answer counts all without errors alike, is each one known. */
function outcomeOfThoseFound({ sending, retry }: Part, lines: readonly MemberLine[]): Told['outcome'] {
  const { answer } = sending;
  if (answer === undefined) return 'gone when looked up';
  if (answer.accepted === true) return 'accepted';
  const isResolved = lines.every(({ person }) => person !== undefined);
  const people = new Set(lines.flatMap(({ person }) => person ?? []));
  if (!isResolved || answer.found !== people.size) return 'sent';
  const expected = people.size - answer.errors.length;
  for (const figure of ['deleted', 'queued'] as const) {
    if (expected >= 0 && answer[figure] === expected && agrees(retry, figure)) return figure;
  }
  return 'sent';
}

function agrees(retry: Part['retry'], figure: 'deleted' | 'queued'): boolean {
  const answer = retry?.answer;
  if (retry === undefined || answer === undefined) return true;
  return answer[figure] === peopleOf(retry) - answer.errors.length;
}
