import { heldBack, isOwed } from '../core.ts';
import type { Verdict } from '../facts.ts';
import { wordOf } from '../proof/outcome.ts';
import { verdictsOf } from '../record/batches.ts';
import { coreIdOf, type MemberLine } from '../record/members.ts';
import type { RunRecord } from '../record/open.ts';
import { type Call, mayHaveRun } from '../record/state.ts';

/** What the run can say of one id. */
type MemberOutcome = {
  readonly line: MemberLine;
  /** Absent for an id of nobody. */
  readonly batch: number | null;
  readonly outcome: string;
  /** The same for whoever asked: what the service was to do is no answer beside the proof that it was done. */
  readonly answer: string;
  /** Where the service said which step failed. */
  readonly step: string | null;
  /** Whether it is settled; null for whom nothing was to be done. */
  readonly proven: boolean | null;
  /** When the last call about the person ended that may have run, and when a look proved it (ISO). */
  readonly erasedAt: string | null;
  /** Whether somebody may have deleted the person, whatever is known of the end. */
  readonly mayBeErased: boolean;
  readonly provenAt: string | null;
};

/** One row for each id of the run, in the order of the plan, without holding them all. */
export function* memberOutcomes(run: RunRecord): Generator<MemberOutcome> {
  const { batches, calls } = run.state();
  for (const [at, { persons }] of batches.entries()) {
    const number = at + 1;
    const standing = run.standing(number);
    const verdicts = verdictsOf(standing);
    const own = calls.filter(({ batch }) => batch === number);
    const steps = new Map(
      own.flatMap(({ answer }) => (answer?.errors ?? []).map(({ person, step }) => [person, step] as const)),
    );
    const lookedAt = lastLook(run, number);
    for (const line of run.membersOf(number)) {
      const verdict = verdicts.get(coreIdOf(line)) ?? 'doubtful';
      const target = standing.batch.targets.get(line.person?.uuid ?? '');
      const call = target?.call === undefined ? undefined : own[target.call];
      const isSpared =
        verdict === 'not sent' && heldBack(standing.run, standing.batch, coreIdOf(line)) === 'spared';
      const step = verdict === 'failed' ? (steps.get(line.person?.uuid ?? '') ?? null) : null;
      const outcome = isSpared ? 'spared' : outcomeWord(verdict, call);
      yield {
        line,
        batch: persons === 0 ? null : number,
        outcome,
        answer: verdict === 'gone' && TO_BE_DONE.includes(outcome) ? 'gone' : outcome,
        step,
        proven: provenBy(verdict),
        erasedAt: call !== undefined && mayHaveRun(call) ? (call.endedAt ?? call.sentAt) : null,
        mayBeErased: !UNTOUCHED.includes(verdict),
        provenAt: provenBy(verdict) ? lookedAt : null,
      };
    }
  }
}

const TO_BE_DONE: readonly string[] = ['sent', 'accepted', 'queued'];

/** Of whom no call told, and who was there when last looked for. */
const UNTOUCHED: readonly Verdict[] = ['odd', 'not agreed', 'not sent', 'refused', 'nobody', 'excepted'];

/** When the service was last asked about anybody of a batch. */
function lastLook({ state }: RunRecord, batch: number): string | null {
  return (
    state()
      .lines.get(batch)
      ?.findLast(({ type }) => type.startsWith('saw'))?.at ?? null
  );
}

/** What the service said became of somebody, or what is known without its word. */
function outcomeWord(verdict: Verdict, call: Call | undefined): string {
  switch (verdict) {
    case 'told':
    case 'accepted':
    case 'rest waiting':
    case 'rest unknown':
    case 'gone':
    case 'cleared': {
      if (call?.answer === undefined) return 'gone when looked up';
      return wordOf(call.answer, call.count) ?? 'sent';
    }
    case 'answered':
      return 'sent';
    case 'nobody':
      return 'nobody when planned';
    case 'doubtful':
      return 'in doubt';
    case 'in flight':
      return 'unknown';
    case 'not agreed':
      return 'not sent';
    default:
      return verdict;
  }
}

function provenBy(verdict: Verdict): boolean | null {
  if (isOwed(verdict)) return false;
  return verdict === 'gone' || verdict === 'cleared' ? true : null;
}

/** How many lines came in on each day that are owed: all of them while nobody has agreed to the plan. */
export function owedByDay(run: RunRecord): ReadonlyMap<string, number> {
  const isWaiting = run.state().agreed === undefined;
  const days = new Map<string, number>();
  const counted = new Set<string>();
  for (const { line, proven } of memberOutcomes(run)) {
    const { received, member, email } = line;
    // Several persons may have the address of one line.
    const own = (run.plan.byAddresses && email) || member;
    if (received === undefined || (proven !== false && !isWaiting) || counted.has(own)) continue;
    counted.add(own);
    days.set(received, (days.get(received) ?? 0) + 1);
  }
  return days;
}
