import type { PersonReference } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, changed, usageError } from '../errors.ts';
import { persons } from '../service/persons.ts';
import { readDeadline } from './input/deadline.ts';
import { collectIds, type KnownPerson, normalizeId, type Odd } from './input/given.ts';
import { refuseSuspiciousName } from './input/problems.ts';
import { NO_EXCEPTIONS, resolveAll, type Spared } from './people/exceptions.ts';
import { readHolds } from './people/holds.ts';
import { resolvePeople } from './people/resolve.ts';
import { LOOK_AT_SIMILAR } from './people/similar.ts';
import { nameRun, tellLearned } from './projects/carry-out.ts';
import { findEventsSentence } from './proof/events.ts';
import { createRun, type Planned, preparePlace, type Run, type RunRecord } from './record/open.ts';
import { lastAnswer, type Outcome, reconcile } from './record/outcome.ts';
import {
  type DeletionFlags,
  type Flags,
  flagsInQuestion,
  makePlan,
  planningOf,
  projectText,
  requestedExtras,
  staysWithHint,
  toFlags,
} from './record/plan.ts';
import { countOpen } from './record/state.ts';
import { beforeRecord } from './record/unbegun.ts';
import { tellRun } from './report/end.ts';
import { asSentence, outcomeClauses } from './report/words.ts';
import { lookingOf } from './sending/look.ts';
import { runPlan } from './sending/run.ts';
import { type Send, wireFlags } from './sending/session.ts';

export type PersonErasure = DeletionFlags & {
  readonly person: PersonReference;
  /** The id of the person that was named; throws `not-found` without one. */
  readonly find: (person: PersonReference, context: Context) => Promise<string>;
  readonly ignoreMissing?: boolean | undefined;
  readonly odd?: Odd | undefined;
};

/** Finds, confirms and deletes one person, with a record. Throws `not-found` unless who is gone may be gone. */
export async function erasePerson(
  { person, find, ignoreMissing, odd, ...flags }: PersonErasure,
  context: Context,
): Promise<void> {
  refuseSuspiciousName(person, odd);
  readDeadline(flags, context.now());
  const verb = flags.keep_person ? 'keep' : 'delete';
  const more = flagsInQuestion(toFlags(flags));
  if (!context.dryRun) {
    context.requireConsent({ action: `${verb} this person${more}` });
    preparePlace({ stateDirectory: context.stateDirectory() }, context);
  }
  const holds = await readHolds({}, context);
  const id = await beforeRecord(() => findOrTell({ person, find, ignoreMissing }, context));
  if (id === undefined) return;
  const spared = await beforeRecord(() => resolveAll(holds, context));
  // Otherwise the question and the end say it.
  const stays = context.dryRun ? staysWithHint(toFlags(flags)) : undefined;
  if (stays !== undefined) context.note(asSentence(stays));
  try {
    // Before the question, too: nobody is to agree to what must not be.
    if (spared !== undefined) await beforeRecord(() => planOne(id, { ...flags, spared }, context));
    await beforeRecord(() => context.confirm({ action: `${verb} person ${id}${more}` }));
    await deleteOne(id, { ...flags, spared: spared ?? NO_EXCEPTIONS }, context);
  } catch (failure) {
    if (!ignoreMissing || !(failure instanceof CliError) || failure.kind !== 'not-found') throw failure;
    await proveProject(context);
    const isFound = !('id' in person);
    context.report(
      isFound
        ? `Person ${id}, who was just found, is already gone.`
        : `Person ${id} was not found; nothing was deleted.`,
    );
  }
}

/**
 * The id of the person; undefined if no person has the address or distinct id and that is a success. It is none
 * if a person has it in another case or under another key.
 */
export async function findOrTell(
  { person, find, ignoreMissing }: Pick<PersonErasure, 'person' | 'find' | 'ignoreMissing'>,
  context: Context,
): Promise<string | undefined> {
  try {
    return await find(person, context);
  } catch (failure) {
    // A status means that the service did not look, as with a wrong project.
    const isMiss =
      failure instanceof CliError && failure.kind === 'not-found' && failure.status === undefined;
    if (!isMiss || 'id' in person) throw failure;
    if (failure.hint === LOOK_AT_SIMILAR)
      throw changed(failure, { hint: `nothing was deleted; ${LOOK_AT_SIMILAR}` });
    if (!ignoreMissing) throw failure;
    const what = 'email' in person ? `email "${person.email}"` : `distinct id "${person.distinctId}"`;
    context.report(`No person has exactly the ${what}; nothing was deleted.`);
    return undefined;
  }
}

/** A wrong host or project answers 404 as well; only a project that lists its persons can have lost one. */
async function proveProject(context: Context): Promise<void> {
  const client = await context.client();
  await client.call(persons.list, { limit: 1 });
}

/**
 * Deletes one person as a run that is one id long, written down before and after. Throws `not-found` for somebody who
 * is not there, and what the service answered if it was not done or is not known.
 */
export async function deleteOne(
  id: string,
  flags: DeletionFlags & Pick<Planned, 'spared'>,
  context: Context,
): Promise<void> {
  const client = await context.client();
  if (context.dryRun) {
    const { received: _, deadline: __, spared: ___, ...wire } = flags;
    await client.call(persons.delete, { id, ...wire });
    return;
  }
  const planned = await beforeRecord(() => planOne(id, flags, context));
  const { resolved } = planned.plan;
  if (resolved.found === 0) throw new CliError('not-found', `person ${id} was not found`);
  if (resolved.persons === 0)
    throw new CliError('refused', `the service does not say when person ${id} was created`, {
      hint: 'nothing was deleted, since nobody could tell whether it is the same person later',
    });
  const run = createRun({ stateDirectory: context.stateDirectory() }, planned, context);
  try {
    run.append({ type: 'agreed', persons: resolved.persons });
    await carryOutOne(run, { id }, context);
  } finally {
    run.close();
  }
}

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
  const learned = await runPlan(run, { send, looking: lookingOf(run, context) }, context).catch(
    (error: unknown) => {
      throw nameRun(error, run.id, context);
    },
  );
  tellLearned(run, learned, context);
  const outcome = reconcile(run);
  if (outcome.kind === 'interrupted') throw interruption(run, id, outcome);
  if (outcome.kind !== undefined) {
    context.note(`Run ${run.id}; hogctl runs resume ${run.id} looks for the person and sends it again.`);
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
      : `Person ${id} is not in project ${projectText(project)} any more, though no answer said so.`,
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
