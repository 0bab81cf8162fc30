import { isOwed } from '../core.ts';
import type { Tally, Verdict } from '../facts.ts';
import type { EventsFound, Owed, Verification } from '../record/journal.ts';
import type { RunRecord } from '../record/open.ts';
import type { Verified } from '../record/state.ts';
import { countOwed } from '../record/state.ts';
import { reconcile } from './outcome.ts';

type Asked = Pick<RunRecord, 'plan' | 'state'>;

/** Whether the last verification held; nothing if there was none. */
export function isVerified({ state }: Asked): boolean | undefined {
  return state().verifications.at(-1)?.holds;
}

/** What a run asked for that is not known to be done. A plan that waits for its confirmation is not counted here. */
export function owedOf(run: RunRecord): readonly Owed[] {
  const { plan, state } = run;
  const { agreed, tally } = state();
  if (agreed === undefined) return [];
  const { deleteEvents, deleteRecordings, keepPerson } = plan.flags;
  const known = tally ?? run.tally();
  if (countOwed(known) === 0) return [];
  const isOnlyEvents = countOwed(known) === (known['rest waiting'] ?? 0) + (known['rest unknown'] ?? 0);
  const areRecordingsOwed = (reconcile(run).recordingsQueued?.notQueued ?? 0) > 0;
  return [
    ...(keepPerson || isOnlyEvents ? [] : (['persons'] as const)),
    ...(deleteEvents ? (['events'] as const) : []),
    ...(deleteRecordings && (areRecordingsOwed || !deleteEvents) ? (['recordings'] as const) : []),
  ];
}

/** Verdicts that say little by their names. */
const verdictWords: { readonly [Key in Verdict]?: string } = {
  doubtful: 'in doubt',
  unknown: 'of unknown outcome',
  answered: 'answered, but not told of each person',
  accepted: 'accepted, but not proven',
  told: 'said to be done, but not proven',
  'rest waiting': 'gone, but not yet their events',
  'rest unknown': 'gone, but nothing says that the rest of their data goes',
};

/** What is owed of a tally, a verdict in words: "3 failed, 1 in doubt". */
export function owedText(tally: Tally): string {
  return Object.entries(tally)
    .flatMap(([key, count]) => {
      // Cast: the keys of a tally are verdicts.
      const verdict = key as Verdict;
      return isOwed(verdict) ? `${count} ${verdictWords[verdict] ?? verdict}` : [];
    })
    .join(', ');
}

/** Stores by the names that people read. */
function storeNames({ stores }: Pick<Verification, 'stores'>): readonly string[] {
  return stores.map((store) => (store === 'list' ? 'person list' : 'sql'));
}

/** The figures of a verification as data. */
export function verificationFields(verification: Verification) {
  const { asked, left, others, cameBack, holds, tally, events, pendingUntil, missingScope } = verification;
  return {
    asked,
    came_back: cameBack,
    left,
    others,
    holds,
    lines: { ...tally },
    events: events && { ...events },
    pending_until: pendingUntil ?? null,
    missing_scope: missingScope ?? null,
    stores: storeNames(verification),
  };
}

/** The figures of a verification in words, the same for the terminal and the report. */
export function verificationLines(
  verification: Verification,
): readonly (readonly [string, string | number])[] {
  const { asked, left, cameBack, others, tally, events, pendingUntil, missingScope } = verification;
  const owed = owedText(tally);
  return [
    ['ids asked about', asked],
    ['persons still there', left],
    ['persons who came back', cameBack],
    ...(others === 0 ? [] : [['other persons behind the ids', others] as const]),
    ...(owed === '' ? [] : [['owed', owed] as const]),
    ...eventLines(events),
    ...(pendingUntil === undefined ? [] : [['events pending until', pendingUntil] as const]),
    ...(missingScope === undefined ? [] : [['scope that is missing', missingScope] as const]),
    ['stores asked', storeNames(verification).join(', ')],
  ];
}

function eventLines(events: EventsFound | null): readonly (readonly [string, number])[] {
  if (events === null) return [];
  const { gone, open, left, later } = events;
  return [
    ['persons whose events have gone', gone],
    ['persons whose events may remain', open],
    ...(left === undefined ? [] : [['events still there', left] as const]),
    ...(later === undefined ? [] : [['events sent since', later] as const]),
  ];
}

/** A verification in a few words. */
export function verificationTitle({ at, holds }: Verified): string {
  return `Verified at ${at}: ${holds ? 'holds' : 'does not hold'}`;
}
