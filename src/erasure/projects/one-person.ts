import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';
import { persons } from '../../service/persons.ts';
import { collectIds, type KnownPerson, normalizeId } from '../input/given.ts';
import type { Spared } from '../people/exceptions.ts';
import { resolvePeople } from '../people/resolve.ts';
import { findEventsSentence } from '../proof/events.ts';
import { lastAnswer, type Outcome, reconcile } from '../proof/outcome.ts';
import type { Planned } from '../record/create.ts';
import type { Run, RunRecord } from '../record/open.ts';
import { type DeletionFlags, type Flags, makePlan, planningOf } from '../record/plan.ts';
import { countOpen } from '../record/state.ts';
import { tellRun } from '../report/end.ts';
import { projectText, requestedExtras } from '../report/plan-words.ts';
import { outcomeClauses } from '../report/words.ts';
import { runPlan } from '../sending/run.ts';
import { type Send, wireFlags } from '../sending/session.ts';
import { nameRun, tellLearned } from './carry-out.ts';

/** What a run of one person will do. */
export async function planOne(
  id: string,
  { spared, ...flags }: DeletionFlags & Pick<Planned, 'spared'>,
  context: Context,
): Promise<Planned> {
  const planning = await planningOf(flags, context);
  const found = await resolvePeople([{ list: collectIds('ids', [id]) }], {}, context);
  for (const { resolution } of found.people) refuseHeld(resolution.at(0), { id, spared });
  return { plan: makePlan({ ...planning, ...found, spared }), people: found.people, spared };
}

/** Throws a usage error for a person whom a legal hold protects. */
function refuseHeld(
  person: KnownPerson | null,
  { id, spared: { spared, files } }: { readonly id: string; readonly spared: Spared },
): void {
  const keyOf = (kind: 'ids' | 'distinct-ids', one: string) => `${kind} ${normalizeId(kind, one)}`;
  const { uuid, distinctIds } = person ?? { uuid: id, distinctIds: [] };
  const own = new Set([keyOf('ids', uuid), ...distinctIds.map((one) => keyOf('distinct-ids', one))]);
  if (!spared.some((one) => own.has(keyOf(one.kind, one.id)))) return;
  throw usageError(
    `person ${id} is excepted by ${files.join(' or ')}`,
    'nothing was deleted; if the person is not on hold any more, take them off that file',
  );
}

type One = { readonly id: string; readonly isPart?: boolean | undefined };

/** Sends the deletion of a run of one person, and tells what came of it. */
export async function carryOutOne(run: Run, { id, isPart }: One, context: Context): Promise<void> {
  let failure: unknown;
  const send = sendOne(await context.client(), (thrown) => {
    failure = thrown;
  });
  const learned = await runPlan(run, { send }, context).catch((error: unknown) => {
    throw nameRun(error, run.id, context);
  });
  tellLearned(run, learned, context);
  const outcome = reconcile(run);
  if (outcome.kind === 'interrupted') throw interruption(run, id, outcome);
  if (outcome.kind !== undefined) {
    context.note(
      `This is run ${run.id}. hogctl runs resume ${run.id} looks the person up and sends the request again.`,
    );
    if (failure instanceof CliError && failure.kind === 'not-found')
      throw new CliError(
        'partial',
        `person ${id} was not found by the deletion, and is not known to be gone`,
      );
    if (failure !== undefined && countOpen(outcome.tally) > 0) throw failure;
    throw new CliError(
      outcome.kind,
      outcomeClauses(outcome).join(', ') || `it is not known what became of person ${id}`,
    );
  }
  tellEnd(run, { id, isPart }, context);
}

function tellEnd(run: RunRecord, { id, isPart }: One, context: Context): void {
  const { project, flags } = run.plan;
  const isAnswered = lastAnswer(run.state()) !== undefined;
  context.report(
    isAnswered
      ? acceptedSentence(flags, `person ${id} in project ${projectText(project)}`)
      : `Person ${id} is gone from project ${projectText(project)}, although no answer said so.`,
  );
  const events = isAnswered ? findEventsSentence(run) : undefined;
  if (events !== undefined) context.report(`Events: ${events}.`);
  tellRun(run, { name: run.id, isPart }, context);
}

function acceptedSentence(flags: Flags, person: string): string {
  if (!flags.keepPerson) return `The service accepted the deletion of ${person}.`;
  const what = requestedExtras(flags);
  const asked = what === '' ? 'request' : `request to delete the ${what}`;
  return `The service accepted the ${asked} of ${person}, who stays.`;
}

function interruption(run: RunRecord, id: string, { notSent }: Outcome): CliError {
  const what = notSent > 0 ? 'nothing was sent' : `it is not known whether person ${id} was deleted`;
  return new CliError('interrupted', `interrupted, ${what}`, {
    hint: `hogctl runs resume ${run.id} sends it${notSent > 0 ? '' : ' again'}`,
  });
}

type Service = Awaited<ReturnType<Context['client']>>;

/** A 404 says that no such person is there: whether that is so is looked at next. */
function sendOne(client: Service, keep: (failure: unknown) => void): Send {
  return async ({ ids: [id = ''], flags }, listeners) => {
    try {
      await client.call(persons.delete, { id, ...wireFlags(flags) }, listeners);
      // Recordings and events that were asked for are part of what was accepted.
      return {
        kind: 'one',
        eventsQueued: flags.deleteEvents,
        recordingsQueued: flags.deleteRecordings,
        errors: [],
      };
    } catch (failure) {
      keep(failure);
      if (failure instanceof CliError && failure.kind === 'not-found')
        throw new CliError('not-found', failure.message, { outcome: 'not-done', cause: failure });
      throw failure;
    }
  };
}
