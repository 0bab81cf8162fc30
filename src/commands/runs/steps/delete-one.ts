import { persons } from '../../../api/endpoints/persons.ts';
import type { Context } from '../../../cli/context.ts';
import type { Send } from '../../../erasure/batch-answer.ts';
import { collectIds } from '../../../erasure/collect-ids.ts';
import { createRun } from '../../../erasure/create-run.ts';
import { formatSeal } from '../../../erasure/journal.ts';
import { lastAnswer } from '../../../erasure/last-answer.ts';
import { makePlan } from '../../../erasure/make-plan.ts';
import { type Outcome, reconcile } from '../../../erasure/outcome.ts';
import { eventsSentence } from '../../../erasure/outcome-lines.ts';
import type { RunRecord } from '../../../erasure/run.ts';
import { runPlan } from '../../../erasure/run-plan.ts';
import { CliError } from '../../../errors.ts';
import { nameRun } from './name-run.ts';
import { projectText } from './plan-text.ts';
import { resolvePeople } from './resolve-people.ts';

export type DeletionFlags = {
  readonly delete_events?: boolean | undefined;
  readonly delete_recordings?: boolean | undefined;
  readonly keep_person?: boolean | undefined;
};

/**
 * Deletes one person as a run that is one id long, written down before and after. Throws `not-found` for somebody who
 * is not there, and what the service answered where it was not done or is not known.
 */
export async function deleteOne(id: string, flags: DeletionFlags, context: Context): Promise<void> {
  const client = await context.client();
  if (context.dryRun) {
    await client.call(persons.delete, { id, ...flags });
    return;
  }
  const { project, host, keyLabel, dialect } = await context.settings();
  const { people, serviceTime } = await resolvePeople(
    [{ list: collectIds('ids', [id]) }],
    { skip: true },
    context,
  );
  const plan = makePlan({
    project: { id: project.id, name: project.name ?? project.id },
    host: host.address,
    people,
    serviceTime,
    flags: {
      deleteEvents: flags.delete_events ?? false,
      deleteRecordings: flags.delete_recordings ?? false,
      keepPerson: flags.keep_person ?? false,
    },
    readsKeepPerson: dialect === 'live',
  });
  if (plan.leftOut > 0) throw new CliError('not-found', `there is no person ${id}`);
  const { now, random, owner, wait, signal, forcedSignal } = context;
  const run = createRun({ stateDirectory: context.stateDirectory() }, { now, random, owner, plan, people });
  let failure: unknown;
  const send = sendOne(client, (thrown) => {
    failure = thrown;
  });
  try {
    const session = { host: host.address, projectId: project.id, keyLabel };
    await runPlan(run, { send, session, now, wait, signal, forcedSignal }).catch((error: unknown) => {
      throw nameRun(error, run.id, context);
    });
    const outcome = reconcile(run);
    if (outcome.kind !== undefined) {
      if (outcome.verdict !== 'nobody found')
        context.note(`Run ${run.id}; hogctl runs resume ${run.id} sends it again.`);
      throw failure ?? notKnown(id, outcome);
    }
    // A 404 after a lost answer: the service said that nobody is there, and never that it deleted anybody.
    const isGone = failure instanceof CliError && failure.kind === 'not-found';
    tellEnd(run, { id, isGone }, context);
  } finally {
    run.close();
  }
}

function tellEnd(
  run: RunRecord,
  { id, isGone }: { readonly id: string; readonly isGone: boolean },
  context: Context,
): void {
  const { project, flags } = run.plan;
  context.report(
    isGone
      ? `Person ${id} is not in project ${projectText(project)} any more; the answer to the deletion was lost.`
      : `The service accepted the deletion of person ${id} in project ${projectText(project)}.`,
  );
  const last = lastAnswer(run.state());
  if (flags.deleteEvents && last && !isGone) context.report(`Events: ${eventsSentence(last)}.`);
  context.note(`Run ${run.id}, journal ${formatSeal(run.seal())}`);
  if (!flags.deleteEvents || !isGone) return;
  throw new CliError('partial', 'whether the deletion of the events was taken on is not known', {
    hint: `that answer was lost; hogctl runs verify ${run.id} asks, where the service tells`,
  });
}

function notKnown(id: string, { kind = 'partial', notSent }: Outcome): CliError {
  const what = notSent > 0 ? 'nothing was sent' : `whether person ${id} was deleted is not known`;
  return new CliError(kind, kind === 'interrupted' ? `interrupted, ${what}` : what);
}

type Service = Awaited<ReturnType<Context['client']>>;

/** After a lost answer a 404 means that the first try did it; on the first try it means that nobody was there. */
function sendOne(client: Service, keep: (failure: unknown) => void): Send {
  let isLost = false;
  return async ({ ids, flags }) => {
    let lost = 0;
    const [id = ''] = ids;
    let serviceTime: string | undefined;
    const listeners = {
      onLost: () => {
        lost += 1;
      },
      onTime: (time: string) => {
        serviceTime = time;
      },
    };
    const wire = {
      id,
      delete_events: flags.deleteEvents,
      delete_recordings: flags.deleteRecordings,
      keep_person: flags.keepPerson,
    };
    try {
      await client.call(persons.delete, wire, listeners);
    } catch (failure) {
      keep(failure);
      if (!(failure instanceof CliError) || failure.kind !== 'not-found') {
        isLost ||= failure instanceof CliError && failure.outcome === 'unknown';
        throw failure;
      }
      if (lost === 0 && !isLost) return { found: 0, errors: [] };
    }
    return { errors: [], accepted: true, lost, serviceTime };
  };
}
