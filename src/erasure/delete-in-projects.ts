import type { Context } from '../cli/context.ts';
import { carryOutOne, deleteOne, findOrTell, type PersonErasure, planOne } from './delete.ts';
import { readDeadline } from './input/deadline.ts';
import { readTogether, refuseSuspiciousName } from './input/problems.ts';
import { NO_EXCEPTIONS, resolveAll } from './people/exceptions.ts';
import { readHolds } from './people/holds.ts';
import { endCase, gatherOutput, type PartResult, placeText, refusePersonIds } from './projects/case.ts';
import { eraseInParts, inEach, type Several } from './projects/parts.ts';
import { preparePlace, type Run } from './record/open.ts';
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
    const carryOut = (run: Run) => carryOutOne(run, { id: id ?? '', isPart: true }, there);
    return { project, context: there, id, planned, spared, who, mustName: false, carryOut };
  });
  if (!context.dryRun) return eraseInParts(parts, { ignoreMissing, gathering, isMissingFine: true }, context);
  for (const part of parts)
    if (part.id !== undefined) await deleteOne(part.id, { ...flags, spared: part.spared }, part.context);
  const results = parts.map(
    ({ project, id }): PartResult => ({ name: project.name, state: id === undefined ? 'nobody' : 'done' }),
  );
  endCase(results, { hint: undefined, ignoreMissing }, context);
}
