import type { Context } from '../cli/context.ts';
import { carryOutOne, deleteOne, findOrTell, type PersonErasure, planOne } from './delete.ts';
import { readDeadline } from './input/deadline.ts';
import { collectIds, type IdList } from './input/given.ts';
import { readTogether, refuseSuspiciousName } from './input/problems.ts';
import { NO_EXCEPTIONS, resolveAll } from './people/exceptions.ts';
import { readHolds } from './people/holds.ts';
import { eraseInParts, inEach, planNobody, type Several } from './projects/parts.ts';
import { endRequest, gatherOutput, type PartResult, placeText, refusePersonIds } from './projects/request.ts';
import { preparePlace, type Run } from './record/open.ts';
import { lookingOf } from './sending/look.ts';
import { runPlan } from './sending/run.ts';
import type { Send } from './sending/session.ts';

/** Finds one person in each project, asks once, and deletes them with a run in each. */
export async function erasePersonInProjects(
  { projects, ...erasure }: PersonErasure & Several,
  context: Context,
): Promise<void> {
  const { person, find, odd, ignoreMissing, ...flags } = erasure;
  if ('id' in person) refusePersonIds();
  refuseSuspiciousName(person, odd);
  readDeadline(flags, context.now());
  const opened = await context.forProjects(projects, { all: context.dryRun });
  context.requireConsent({ action: 'delete this person in several projects', local: true });
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
    const who = id === undefined ? 'nobody' : `person ${id}`;
    const carryOut = (run: Run) =>
      id === undefined ? lookOnly(run, there) : carryOutOne(run, { id, isPart: true }, there);
    const nobody = () => planNobody({ people: [{ list: listOf(person) }] }, flags, there);
    return {
      project,
      context: there,
      id,
      planned,
      planNobody: nobody,
      spared,
      who,
      mustName: false,
      carryOut,
    };
  });
  if (!context.dryRun) return eraseInParts(parts, { ignoreMissing, gathering, isMissingFine: true }, context);
  for (const part of parts)
    if (part.id !== undefined) await deleteOne(part.id, { ...flags, spared: part.spared }, part.context);
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
  await runPlan(run, { send: sendNobody, looking: lookingOf(run, there) }, there);
}

const sendNobody: Send = () => Promise.reject(new Error('a run without a person sent one'));
