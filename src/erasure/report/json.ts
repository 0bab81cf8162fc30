import type { JsonObject } from '../../json/kinds.ts';
import { eventsNotBefore } from '../proof/events.ts';
import {
  type LastAnswer,
  lastAnswer,
  type Outcome,
  type Queued,
  reconcile,
  shareOf,
  stateOf,
} from '../proof/outcome.ts';
import { isVerified, verificationFields } from '../proof/verdict.ts';
import { formatSeal } from '../record/journal.ts';
import type { RunRecord } from '../record/open.ts';
import type { Call } from '../record/state.ts';
import { linesAsData } from './lines.ts';
import { memberOutcomes } from './members.ts';
import { outcomeFigures } from './words.ts';

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
  const outcome = reconcile(run);
  const answered = lastAnswer(state);
  const verification = state.verifications.at(-1);
  return {
    report: 'hogctl bulk deletion',
    format: 1,
    ...linesAsData(run),
    outcome: outcomeFields(
      outcome,
      outcome.failures.map(({ notInRun = false, ...failure }) => ({ ...failure, not_in_run: notInRun })),
    ),
    events: outcome.eventsQueued === undefined ? null : reportEvents(outcome.eventsQueued, answered),
    // No service tells what became of a deletion of recordings that it queued.
    recordings:
      outcome.recordingsQueued === undefined ? null : reportQueued(outcome.recordingsQueued, answered),
    verified: isVerified(run) ?? null,
    verification: verification ? { at: verification.at, ...verificationFields(verification) } : null,
    calls: state.calls.map(reportCall),
    journal: { lines: seal.lines, hash: seal.hash, seal: formatSeal(seal), repaired: state.repairs },
    members: {
      count: plan.members.count,
      sha256: plan.members.sha256,
      key_fingerprint: plan.keyFingerprint,
      hmac: 'HMAC-SHA256(check key, kind + NUL + id), kind ids or distinct-ids, a UUID in lower case',
      list: plan.members.count <= mostInReport ? [...memberRows(run)] : null,
    },
    // A crash may come between the line that says so and the removal.
    ids_dropped: state.idsDropped && !run.hasIds,
    ids_dropped_owing: state.droppedOwing,
  };
}

/**
 * One row for each id, for CSV: the run, the HMAC of the id, and what came of it; then for each address that led to no
 * person, and each line that led to somebody excepted. In constant memory.
 */
export function* reportRows(run: RunRecord): Generator<JsonObject> {
  for (const row of memberRows(run)) yield { run: run.id, ...row };
  const told = { batch: null, step: null, proven: null };
  for (const member of run.unfound())
    yield { run: run.id, member, kind: 'emails', ...told, outcome: 'nobody' };
  for (const member of run.held()) yield { run: run.id, member, kind: null, ...told, outcome: 'excepted' };
}

function* memberRows(run: RunRecord): Generator<JsonObject> {
  for (const { line, batch, outcome, step, proven } of memberOutcomes(run))
    yield { member: line.member, kind: line.kind, batch, outcome, step, proven };
}

/** The figures of an outcome as data; null for those that the service did not give. */
export function outcomeFields(outcome: Outcome, failures: readonly JsonObject[]): JsonObject {
  const { verdict, stopped, tally, calls, eventsQueued, recordingsQueued } = outcome;
  return {
    verdict,
    stopped: stopped ?? null,
    ...outcomeFigures(outcome),
    events_queued: shareOf(eventsQueued) ?? null,
    recordings_queued: shareOf(recordingsQueued) ?? null,
    failures,
    lines: { ...tally },
    batches: {
      total: calls.total,
      done: calls.done,
      unknown: calls.unknown,
      failed: calls.failed,
      not_sent: calls.notSent,
    },
  };
}

function reportEvents(queued: Queued, answered: LastAnswer | undefined): JsonObject {
  const earliest = answered && eventsNotBefore(answered);
  return {
    ...reportQueued(queued, answered),
    not_before: earliest?.at ?? null,
    not_before_by: earliest?.clock ?? null,
  };
}

function reportQueued(queued: Queued, answered: LastAnswer | undefined): JsonObject {
  return {
    requested_at: answered?.at ?? null,
    queued: shareOf(queued) ?? null,
    persons: { queued: queued.queued, not_queued: queued.notQueued, not_told: queued.notTold },
  };
}

function reportCall(call: Call): JsonObject {
  const { answer, failure } = call;
  return {
    batch: call.batch,
    call: call.call + 1,
    persons: call.count,
    state: describeCall(call),
    sent_at: call.sentAt,
    ended_at: call.endedAt ?? null,
    found: answer?.found ?? null,
    deleted: answer?.deleted ?? null,
    queued: answer?.queued ?? null,
    errors: answer?.errors.length ?? null,
    failure: failure === undefined ? null : { ...failure },
  };
}

/** How a call ended, in the words of the report. */
export function describeCall(call: Call): string {
  const state = stateOf(call);
  if (state === 'failed') return 'failed, not carried out';
  if (state !== 'done') return state;
  return call.answer?.kind === 'figures' ? 'answered' : 'accepted';
}
