import type { Context } from '../../../cli/context.ts';
import { formatSeal } from '../../../erasure/journal.ts';
import type { Outcome } from '../../../erasure/outcome.ts';
import { findEventsSentence, outcomeLines } from '../../../erasure/outcome-lines.ts';
import type { RunRecord } from '../../../erasure/run.ts';
import { isVerified } from '../../../erasure/verified-share.ts';
import type { Json } from '../../../json/kinds.ts';

export type Shown = {
  /** What to call the run. */
  readonly name: string;
  /** Whether the ids go from the record next. */
  readonly isDropping: boolean;
};

/** Prints what came of a run on stdout, and what to know about it on stderr. */
export async function showOutcome(
  run: RunRecord,
  outcome: Outcome,
  { name, isDropping }: Shown,
  context: Context,
): Promise<void> {
  await printOutcome(run, outcome, context);
  const sentence = findEventsSentence(run, outcome);
  if (sentence !== undefined) context.note(`Events: ${sentence}.`);
  const given = isDropping || !run.hasIds ? ', with the ids given again,' : '';
  context.note(
    `Run ${run.id}, journal ${formatSeal(run.seal())}; hogctl runs verify ${name}${given} asks what is left.`,
  );
}

/** The figures of an outcome: a table of those there are, or one record of all of them. */
export async function printOutcome(run: RunRecord, outcome: Outcome, context: Context): Promise<void> {
  const { output = 'table' } = context.options;
  if (output !== 'table') return context.print(outcomeRecord(run, outcome));
  const figures = outcomeLines(outcome).map(({ name, count, remark }) => ({
    figure: name,
    count,
    remark: remark ?? null,
  }));
  await context.print(figures);
  if (outcome.failures.length > 0) await context.print(failureRows(run, outcome));
}

function outcomeRecord(run: RunRecord, outcome: Outcome): Json {
  const { found = null, deleted = null, queued = null, batches, ...rest } = outcome;
  return {
    run: run.id,
    project: run.plan.project.id,
    host: run.plan.host,
    verdict: rest.verdict,
    stopped: rest.stopped ?? null,
    asked: rest.asked,
    unique: rest.unique,
    repeats: rest.repeats,
    sent: rest.sent,
    found,
    deleted,
    queued,
    failed: rest.failed,
    failures: failureRows(run, outcome),
    not_deleted: rest.notDeleted,
    not_found_again: rest.notFoundAgain,
    beyond_sent: rest.beyond,
    not_accounted_for: rest.notAccountedFor,
    accepted: rest.accepted,
    unknown: rest.unknown,
    refused: rest.refused,
    not_sent: rest.notSent,
    left_out: rest.leftOut,
    gone: rest.gone,
    withheld: rest.recreated,
    events_queued: rest.eventsQueued ?? null,
    events_not_queued: rest.eventsRefused,
    events_unconfirmed: rest.events?.unconfirmed ?? null,
    batches: {
      total: batches.total,
      done: batches.done,
      unknown: batches.unknown,
      failed: batches.failed,
      not_sent: batches.notSent,
      settled: batches.settled,
    },
    verified: isVerified(run) ?? null,
    journal: formatSeal(run.seal()),
  };
}

/** The persons that the service could not delete, by the uuid it named. */
function failureRows(run: RunRecord, { failures }: Outcome) {
  const uuids = new Map(run.named().map((uuid) => [run.memberOf('ids', uuid), uuid]));
  return failures.map(({ batch, person, step }) => ({
    person_uuid: person === null ? null : (uuids.get(person) ?? null),
    step,
    batch,
  }));
}
