import type { Context } from '../../../cli/context.ts';
import type { IdList } from '../../../erasure/collect-ids.ts';
import { isInteger } from '../../../erasure/ids.ts';
import { lookUpSize, type People, resolveIds } from '../../../erasure/resolve-ids.ts';
import { CliError, counted } from '../../../errors.ts';
import { makeLookUp } from './look-up.ts';
import { type ProgressWish, progressKind } from './progress-kind.ts';
import { stopIfAsked } from './stop-if-asked.ts';

export type ResolvedPeople = {
  readonly people: readonly People[];
  /** What the service's clock said then. */
  readonly serviceTime?: string | undefined;
};

/**
 * Looks up whom the ids belong to, where the service has batch look-ups, so that the outcome can be told per person.
 * Integers are looked up one by one, since the live service deletes by UUID only.
 */
export async function resolvePeople(
  people: readonly People[],
  { skip, progress }: ProgressWish & { readonly skip: boolean },
  context: Context,
): Promise<ResolvedPeople> {
  const { dialect } = await context.settings();
  if (dialect !== 'live') return { people };
  const resolved: People[] = [];
  let serviceTime: string | undefined;
  const onTime = (time: string) => {
    serviceTime = time;
  };
  for (const { list } of people) {
    const integers = countIntegers(list);
    const wanted = integers > 0 || !skip;
    if (integers > 0) context.note(`Looking up ${counted(integers, 'integer id')} first, one request each.`);
    resolved.push(
      wanted ? await resolveList(list, { isNeeded: integers > 0, progress, onTime }, context) : { list },
    );
  }
  return { people: resolved, serviceTime };
}

async function resolveList(
  list: IdList,
  wish: ProgressWish & { readonly isNeeded: boolean; readonly onTime: (time: string) => void },
  context: Context,
): Promise<People> {
  const kind = progressKind(wish, context);
  const progress = context.progress({ label: 'ids looked up', total: list.ids.length, kind });
  try {
    const lookUp = await makeLookUp(context, wish.onTime);
    const onProgress = (done: number) => {
      progress.update(done);
      stopIfAsked(context);
    };
    return { list, resolution: await resolveIds(list, { lookUp, onProgress }) };
  } catch (failure) {
    const isMissing = failure instanceof CliError && (failure.status === 404 || failure.status === 405);
    if (wish.isNeeded || !isMissing) throw failure;
    context.note(
      `The service has no look-up of ${lookUpSize} ids at a time, so the outcome is told in sum, not per person.`,
    );
    return { list };
  } finally {
    progress.end();
  }
}

function countIntegers({ kind, ids }: IdList): number {
  return kind === 'ids' ? ids.filter(isInteger).length : 0;
}
