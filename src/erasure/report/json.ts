import type { JsonObject } from '../../json/kinds.ts';
import { eventsNotBefore, isVerified, lastVerification, verificationFields } from '../proof/verdict.ts';
import type { MemberLine } from '../record/ids-file.ts';
import { formatSeal } from '../record/journal.ts';
import type { RunRecord } from '../record/open.ts';
import {
  countFailed,
  type LastAnswer,
  lastAnswer,
  leftOutAgain,
  type Outcome,
  type Queued,
  reconcile,
  shareOf,
} from '../record/outcome.ts';
import { countSamePerson } from '../record/plan.ts';
import { lostAnswers, type Part, partsOf, type Sending, stateOf } from '../record/state.ts';

/** Up to this many ids the report lists them itself, as HMACs; `reportRows` does for any number. */
const mostInReport = 10_000;

/**
 * The evidence of a run as one JSON value: what ran against which project, when, with which key, what the service
 * answered, and where the journal ends. It names no person: ids are HMACs that only the run's check key can recognise.
 */
export function report(run: RunRecord): JsonObject {
  const { plan } = run;
  const state = run.state();
  const seal = run.seal();
  const parts = partsOf(state);
  const outcome = reconcile(run);
  const answered = lastAnswer(state);
  const verification = lastVerification(run);
  return {
    report: 'hogctl bulk deletion',
    format: 1,
    run: run.id,
    project: { ...plan.project },
    host: plan.host,
    flags: { ...plan.flags },
    planned_at: plan.createdAt,
    received: plan.received ?? null,
    deadline: plan.deadline ?? null,
    odd_ids: plan.oddIds ?? 0,
    first_sent_at: first(parts),
    last_answered_at: answered?.at ?? null,
    sessions: state.sessions.map(({ at, key, resumed }) => ({ at, key_label: key, resumed })),
    ended_at: state.end?.at ?? null,
    outcome: reportOutcome(outcome),
    events: outcome.eventsQueued === undefined ? null : reportEvents(outcome.eventsQueued, outcome, answered),
    // No service tells what became of a deletion of recordings that it queued.
    recordings:
      outcome.recordingsQueued === undefined ? null : reportQueued(outcome.recordingsQueued, answered),
    verified: isVerified(run) ?? null,
    verification: verification ? { at: verification.at, ...verificationFields(verification) } : null,
    batches: parts.map(reportPart),
    journal: { lines: seal.lines, hash: seal.hash, seal: formatSeal(seal), repaired: state.repairs },
    members: {
      count: plan.members.count,
      sha256: plan.members.sha256,
      key_fingerprint: plan.keyFingerprint,
      hmac: 'HMAC-SHA256(check key, kind + NUL + id), kind ids or distinct-ids, a UUID in lower case',
      list:
        plan.members.count <= mostInReport
          ? [...memberOutcomes(run)].map(({ line: { member, kind }, ...row }) => ({ member, kind, ...row }))
          : null,
    },
    // A crash may come between the line that says so and the removal.
    ids_dropped: state.idsDropped && !run.hasIds,
    ids_dropped_owing: state.droppedOwing,
  };
}

/** One row for each id, for CSV: the run, the HMAC of the id, and what came of it. In constant memory. */
export function* reportRows(run: RunRecord): Generator<JsonObject> {
  for (const { line, lostAnswers: lost_answers, ...told } of memberOutcomes(run)) {
    yield { run: run.id, member: line.member, kind: line.kind, ...told, lost_answers };
  }
}

function reportOutcome(outcome: Outcome): JsonObject {
  return {
    ...outcomeFields(
      outcome,
      outcome.failures.map((failure) => ({ ...failure })),
    ),
    gone_when_looked_up: outcome.gone,
    recreated_and_withheld: outcome.recreated,
    batches: { ...outcome.batches },
  };
}

/** The figures of an outcome as data; null for those that the service did not give. */
export function outcomeFields(outcome: Outcome, failures: readonly JsonObject[]): JsonObject {
  return {
    verdict: outcome.verdict,
    stopped: outcome.stopped ?? null,
    asked: outcome.asked,
    unique: outcome.unique,
    repeats: outcome.repeats,
    sent: outcome.sent,
    found: outcome.found ?? null,
    deleted: outcome.deleted ?? null,
    queued: outcome.queued ?? null,
    failed: outcome.failed,
    failures,
    not_deleted: outcome.notDeleted,
    beyond_sent: outcome.beyond,
    not_accounted_for: outcome.notAccountedFor,
    accepted: outcome.accepted,
    unknown: outcome.unknown,
    refused: outcome.refused,
    not_sent: outcome.notSent,
    left_out: outcome.leftOut,
    same_person: outcome.samePerson,
    events_of_nobody: outcome.eventsOfNobody,
  };
}

function reportEvents(queued: Queued, { events }: Outcome, answered: LastAnswer | undefined): JsonObject {
  const earliest = answered && eventsNotBefore(answered);
  return {
    ...reportQueued(queued, answered),
    not_before: earliest?.at ?? null,
    not_before_by: earliest?.clock ?? null,
    status: events === undefined ? null : { ...events },
  };
}

function reportQueued(queued: Queued, answered: LastAnswer | undefined): JsonObject {
  return {
    requested_at: answered?.at ?? null,
    queued: shareOf(queued) ?? null,
    persons: { queued: queued.queued, not_queued: queued.notQueued, not_told: queued.notTold },
  };
}

function reportPart(part: Part): JsonObject {
  const { sending } = part;
  return {
    batch: part.batch,
    part: part.part,
    planned: part.count,
    state: describeSending(sending),
    attempts: sending.attempts,
    sent: sending.sent,
    first_sent_at: sending.firstSentAt ?? null,
    answered_at: sending.answeredAt ?? null,
    ...reportAnswer(sending),
    retry: part.retry === undefined ? null : reportRetry(part, part.retry),
  };
}

/** The last answer about the people who failed, but the sums over all answers: each one is about other people. */
function reportRetry({ retried }: Part, retry: Sending): JsonObject {
  const told = reportAnswer(retry);
  const total = (figure: 'deleted' | 'queued') =>
    retried[figure] > 0 ? retried[figure] : (told[figure] ?? null);
  return { state: describeSending(retry), ...told, deleted: total('deleted'), queued: total('queued') };
}

/** How a batch stands, in the words of the report. */
export function describeSending(sending: Sending): string {
  const state = stateOf(sending);
  const lost = lostAnswers(sending);
  if (state === 'failed') return 'failed, not carried out';
  if (state !== 'done') return state;
  if (sending.settledByLookUp) return 'settled (nobody left when looked up)';
  const times = lost === 1 ? 'once' : `${lost} times`;
  if (lost > 0) return `settled (answer lost ${times})`;
  return sending.answer?.accepted === true ? 'accepted' : 'answered';
}

function reportAnswer({ answer, failure }: Sending): JsonObject {
  return {
    found: answer?.found ?? null,
    deleted: answer?.deleted ?? null,
    queued: answer?.queued ?? null,
    errors: answer?.errors.length ?? null,
    failure: failure === undefined ? null : { ...failure },
  };
}

function first(parts: readonly Part[]): string | null {
  return parts.flatMap(({ sending }) => sending.firstSentAt ?? []).sort()[0] ?? null;
}

/** What the run can say of one id. `deleted` and `queued` only if the figures agree. */
type MemberOutcome = {
  readonly line: MemberLine;
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
    /** Withheld from the first call on. */
    | 'spared'
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
  const shared = countSamePerson(run.plan) > 0 ? new Map<string, MemberOutcome>() : undefined;
  for (const line of run.members()) {
    const part = parts[next];
    if (part === undefined) {
      yield outcomeOfUnsent(line, shared?.get(line.person ?? ''));
      continue;
    }
    lines.push(line);
    if (lines.length < part.count) continue;
    const tell = createTeller(part, lines);
    const lost = lostAnswers(part.sending);
    for (const one of lines) {
      const told = { line: one, batch: part.batch, ...tell(one), lostAnswers: lost };
      if (typeof one.person === 'string') shared?.set(one.person, told);
      yield told;
    }
    next += 1;
    lines = [];
  }
}

/** An id without a person, or a further one of somebody who was sent by another id. */
function outcomeOfUnsent(line: MemberLine, sent: MemberOutcome | undefined): MemberOutcome {
  if (sent !== undefined) return { ...sent, line };
  const outcome = line.person === null ? 'nobody when planned' : 'left out';
  return { line, batch: null, outcome, step: null, lostAnswers: 0 };
}

function createTeller(part: Part, lines: readonly MemberLine[]): (line: MemberLine) => Told {
  const state = stateOf(part.sending);
  const plain =
    (outcome: Told['outcome']): (() => Told) =>
    () => ({ outcome, step: null });
  if (state !== 'done') return plain(state === 'failed' ? 'refused' : state);
  const withheld = new Set(part.sending.withheld);
  const missing = new Set(part.sending.missing);
  // Of those who failed, by person.
  const again = leftOutAgain(part);
  const sent = lines.filter(({ member }) => !withheld.has(member) && !missing.has(member));
  const steps = new Map(part.errors.map(({ person, step }) => [person, step]));
  const outcomeOfOthers = outcomeOfThoseFound(part, sent);
  return ({ member, person }) => {
    if (withheld.has(member))
      return { outcome: part.sending.isLookedUpFirst ? 'spared' : 'withheld', step: null };
    if (missing.has(member)) return { outcome: 'gone when looked up', step: null };
    if (again.withheld.includes(person ?? member)) return { outcome: 'withheld', step: null };
    if (again.missing.includes(person ?? member)) return { outcome: 'gone when looked up', step: null };
    const step = person === null ? undefined : steps.get(person);
    if (step !== undefined) return { outcome: 'failed', step };
    if (person === null) return { outcome: 'nobody when planned', step: null };
    return { outcome: outcomeOfOthers, step: null };
  };
}

/**
 * Only if everybody was found, each error names one of them, and the answer counts all others alike, is
 * each one known.
 */
function outcomeOfThoseFound({ sending, retry }: Part, lines: readonly MemberLine[]): Told['outcome'] {
  const { answer } = sending;
  if (answer === undefined) return 'gone when looked up';
  if (answer.accepted === true) return 'accepted';
  const people = new Set(lines.flatMap(({ person }) => person ?? []));
  const errors = [...answer.errors, ...(retry?.answer?.errors ?? [])];
  const areNamed = errors.every(({ person }) => person !== null && people.has(person));
  if (!areNamed || answer.found !== people.size) return 'sent';
  const expected = people.size - countFailed(answer.errors);
  for (const figure of ['deleted', 'queued'] as const) {
    if (answer[figure] === expected && agrees(retry, figure)) return figure;
  }
  return 'sent';
}

function agrees(retry: Part['retry'], figure: 'deleted' | 'queued'): boolean {
  const answer = retry?.answer;
  if (retry === undefined || answer === undefined) return true;
  return answer[figure] === retry.sent - countFailed(answer.errors);
}
