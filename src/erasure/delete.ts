import type { PersonReference } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, changed } from '../errors.ts';
import { persons } from '../service/persons.ts';
import { readDeadline } from './input/deadline.ts';
import { collectIds, type IdList, type Odd } from './input/given.ts';
import { readTogether, refuseSuspiciousName } from './input/problems.ts';
import { withoutControl } from './people/address-owners.ts';
import { describePerson } from './people/describe.ts';
import { NO_EXCEPTIONS, resolveAll } from './people/exceptions.ts';
import { readHolds } from './people/holds.ts';
import { resolvePeople } from './people/resolve.ts';
import { LOOK_AT_SIMILAR } from './people/similar.ts';
import { carryOutOne, planOne } from './projects/one-person.ts';
import { eraseInParts, inEach, planNobody, type Several } from './projects/parts.ts';
import { endRequest, gatherOutput, type PartResult, placeText, refusePersonIds } from './projects/request.ts';
import { createRun, type Planned, preparePlace } from './record/create.ts';
import type { Run } from './record/open.ts';
import { type DeletionFlags, toFlags } from './record/plan.ts';
import { beforeRecord } from './record/unreadable.ts';
import { flagsInQuestion, staysWithHint } from './report/plan-words.ts';
import { asSentence } from './report/words.ts';
import { runPlan } from './sending/run.ts';
import type { Send } from './sending/session.ts';

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
    context.terminal.requireConsent({ action: `${verb} this person${more}` });
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
    if (context.dryRun && spared === undefined) return await showDeletion(id, flags, context);
    const ask = (who: string) => beforeRecord(() => context.confirm({ action: `${verb} ${who}${more}` }));
    // Nobody sees the person then, so that a refusal comes before the look-up.
    const { yes = false } = context.options;
    if (yes) await ask(`person ${id}`);
    const planned = await beforeRecord(() =>
      planOne(id, { ...flags, spared: spared ?? NO_EXCEPTIONS }, context),
    );
    if (context.dryRun) return await showDeletion(id, flags, context);
    const who = describePlanned(id, planned);
    if (!yes) await ask(who);
    await deleteOne(id, planned, context);
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
async function findOrTell(
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
    if ('distinctId' in person) await proveNobody(person.distinctId, context);
    const what = 'email' in person ? `email "${person.email}"` : `distinct id "${person.distinctId}"`;
    context.report(`No person has exactly the ${what}; nothing was deleted.`);
    return undefined;
  }
}

/** Throws unless no store shows somebody with a distinct id, and the list shows somebody who is known to be there. */
async function proveNobody(distinctId: string, context: Context): Promise<void> {
  const { people, lookUp } = await resolvePeople(
    [{ list: collectIds('distinct-ids', [distinctId]) }],
    {},
    context,
  );
  if (people.some(({ resolution: { found, inDoubt } }) => found + inDoubt > 0))
    throw new CliError('unavailable', `a person has the distinct id "${distinctId}" by now, or in SQL only`, {
      hint: 'nothing was deleted; try again in some minutes',
    });
  if (!lookUp.list) throw withoutControl();
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
async function deleteOne(id: string, planned: Planned, context: Context): Promise<void> {
  const { resolved } = planned.plan;
  const run = createRun({ stateDirectory: context.stateDirectory() }, planned, context);
  try {
    run.append({ type: 'agreed', persons: resolved.persons });
    await carryOutOne(run, { id }, context);
  } finally {
    run.close();
  }
}

/** The request of a dry run. */
async function showDeletion(
  id: string,
  { received: _, deadline: __, ...wire }: DeletionFlags,
  context: Context,
): Promise<void> {
  const client = await context.client();
  await client.call(persons.delete, { id, ...wire });
}

/** Whom a question is about. Throws if that is nobody, or somebody who could not be known again. */
function describePlanned(id: string, { plan: { resolved }, people }: Planned): string {
  const person = people[0]?.resolution.at(0);
  if (!person) throw new CliError('not-found', `person ${id} was not found`);
  if (resolved.persons === 0)
    throw new CliError('refused', `the service does not say when person ${id} was created`, {
      hint: 'nothing was deleted: without that date, a later person with this id looks the same',
    });
  return `person ${id} (${describePerson(person)})`;
}

/** Finds one person in each project, asks once, and deletes them with a run in each. */
export async function erasePersonInProjects(
  { projects, ...erasure }: PersonErasure & Several,
  context: Context,
): Promise<void> {
  const { person, find, odd, ignoreMissing, ...flags } = erasure;
  if ('id' in person) refusePersonIds();
  refuseSuspiciousName(person, odd);
  readDeadline(flags, context.now());
  toFlags(flags);
  const opened = await context.projects.several(projects, { all: context.dryRun });
  context.terminal.requireConsent({ action: 'delete this person in several projects', local: true });
  if (!context.dryRun) preparePlace({ stateDirectory: context.stateDirectory() }, context);
  const gathering = gatherOutput(context);
  await readTogether(
    opened.map(
      ({ name, context: there }) =>
        () =>
          readHolds({}, gathering.within(name, there)),
    ),
  );
  const parts = await inEach(opened, gathering, async (there, project) => {
    context.note(`Looking for the person in ${placeText(project.name, project)}:`);
    const id = await findOrTell({ person, find, ignoreMissing: true }, there);
    const held = id === undefined ? undefined : await resolveAll(await readHolds({}, there), there);
    const spared = held ?? NO_EXCEPTIONS;
    const isPlanned = id !== undefined && (held !== undefined || !context.dryRun);
    const planned = isPlanned ? await planOne(id, { ...flags, spared }, there) : undefined;
    const known = planned?.people[0]?.resolution.at(0);
    const who = id === undefined ? 'nobody' : `person ${id}${known ? ` (${describePerson(known)})` : ''}`;
    const carryOut = (run: Run) =>
      id === undefined ? lookOnly(run, there) : carryOutOne(run, { id, isPart: true }, there);
    const nobody = () => planNobody({ people: [{ list: listOf(person) }] }, flags, there);
    return {
      project,
      context: there,
      id,
      planned,
      planNobody: nobody,
      who,
      mustName: false,
      carryOut,
    };
  });
  if (!context.dryRun) return eraseInParts(parts, { ignoreMissing, gathering, isMissingFine: true }, context);
  for (const part of parts) if (part.id !== undefined) await showDeletion(part.id, flags, part.context);
  const results = parts.map(
    ({ project, id }): PartResult => ({ name: project.name, state: id === undefined ? 'nobody' : 'done' }),
  );
  endRequest(results, { hint: undefined, ignoreMissing }, context);
}

/** The one line of a project that may have nobody with it. */
function listOf(person: PersonErasure['person']): IdList {
  if ('distinctId' in person) return collectIds('distinct-ids', [person.distinctId]);
  if (!('email' in person)) return refusePersonIds();
  const address = { given: person.email, outcome: 'nobody' } as const;
  const line = { kind: 'ids', line: null, id: '', address } as const;
  return { ...collectIds('ids', []), areAddresses: true, lines: [line] };
}

/** The run of a project in which nobody was found says that it looked, and sends nothing. */
async function lookOnly(run: Run, there: Context): Promise<void> {
  await runPlan(run, { send: sendNobody }, there);
}

const sendNobody: Send = () => Promise.reject(new Error('a run without a person sent one'));
