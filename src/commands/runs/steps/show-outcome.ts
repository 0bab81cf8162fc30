import type { Json } from '../../../api/json.ts';
import type { Context } from '../../../cli/context.ts';
import { counted } from '../../../cli/counted.ts';
import { formatSeal } from '../../../erasure/journal.ts';
import type { Outcome } from '../../../erasure/outcome.ts';
import { eventsSentence, outcomeLines } from '../../../erasure/outcome-lines.ts';
import type { RunRecord } from '../../../erasure/run.ts';
import { partsOf } from '../../../erasure/run-state.ts';
import { CliError } from '../../../errors.ts';

/**
 * Prints what came of a run on stdout, and what to know and do about it on stderr.
 * Throws the error that the command ends with, unless everything was done.
 */
export async function showOutcome(
  run: RunRecord,
  outcome: Outcome,
  { ignoreMissing = false }: { readonly ignoreMissing?: boolean | undefined },
  context: Context,
): Promise<void> {
  await printOutcome(run, outcome, context);
  const last = lastAnswer(run);
  if (run.plan.flags.deleteEvents && last !== undefined) context.note(`Events: ${eventsSentence(last)}.`);
  context.note(
    `Run ${run.id}, journal ${formatSeal(run.seal())}; hogctl runs verify ${run.id} asks what is left.`,
  );
  const { kind } = outcome;
  if (kind === undefined || (kind === 'not-found' && ignoreMissing)) return;
  throw new CliError(kind, sentence(outcome), { hint: hintOf(run, outcome), status: outcome.status });
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
    not_accounted_for: rest.notAccountedFor,
    accepted: rest.accepted,
    unknown: rest.unknown,
    refused: rest.refused,
    not_sent: rest.notSent,
    left_out: rest.leftOut,
    gone: rest.gone,
    withheld: rest.recreated,
    events_queued: rest.eventsQueued ?? null,
    events_unconfirmed: rest.events?.unconfirmed ?? null,
    batches: {
      total: batches.total,
      done: batches.done,
      unknown: batches.unknown,
      failed: batches.failed,
      not_sent: batches.notSent,
      settled: batches.settled,
    },
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

function lastAnswer(run: RunRecord): number | undefined {
  const times = partsOf(run.state()).flatMap(({ sending }) => sending.answeredAt ?? []);
  const last = times.sort().at(-1);
  return last === undefined ? undefined : Date.parse(last);
}

function sentence({
  verdict,
  stopped,
  failed,
  unknown,
  refused,
  notSent,
  recreated,
  events,
}: Outcome): string {
  if (verdict === 'nobody found') return 'the service found none of these persons';
  const parts = [
    failed > 0 ? `${counted(failed, 'person')} could not be deleted` : '',
    unknown > 0 ? `the outcome of ${counted(unknown, 'id')} is unknown` : '',
    refused > 0 ? `the service refused ${counted(refused, 'id')}` : '',
    notSent > 0 ? `nothing was sent for ${counted(notSent, 'id')}` : '',
    recreated > 0 ? `${counted(recreated, 'person')} created since then, spared` : '',
    (events?.unconfirmed ?? 0) > 0
      ? `the event deletion of ${counted(events?.unconfirmed ?? 0, 'person')} is not confirmed`
      : '',
  ].filter(Boolean);
  const start = stopped === undefined ? 'the run is not complete' : `the run stopped (${stopped})`;
  return parts.length > 0 ? `${start}: ${parts.join(', ')}` : start;
}

function hintOf(run: RunRecord, { verdict, failed, unknown, refused, notSent }: Outcome): string | undefined {
  if (verdict === 'nobody found')
    return 'check that the ids are of the right kind; --ignore-missing makes this a success';
  if (unknown + refused + notSent > 0) return `hogctl runs resume ${run.id} sends what is left`;
  return failed > 0 ? '--failed <file> writes the ids to feed back in' : undefined;
}
