import type { Context } from '../../../cli/context.ts';
import { giveIds } from '../../../erasure/given-ids.ts';
import type { Run } from '../../../erasure/run.ts';
import type { ProgressWish } from './progress-kind.ts';
import { type IdSources, readPeople } from './read-people.ts';
import { resolvePeople } from './resolve-people.ts';

/**
 * The run with the ids that were given again, if any: those that belong to it, looked up where the live service needs it.
 * Throws a usage error where others are among them, or where the record still holds its ids.
 */
export async function withGivenPeople(
  run: Run,
  { progress, ...sources }: IdSources & ProgressWish,
  context: Context,
): Promise<Run> {
  const people = await readPeople(sources, context);
  if (people.length === 0) return run;
  // Before anybody is looked up, since strangers are no business of this run.
  const plain = giveIds(run, people);
  if (run.plan.resolved === undefined) return plain;
  const resolved = await resolvePeople(people, { skip: false, progress }, context);
  return giveIds(run, resolved.people);
}
