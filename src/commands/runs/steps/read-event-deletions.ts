import type { Context } from '../../../cli/context.ts';
import type { EventDeletions } from '../../../erasure/count-events.ts';
import { objectRows } from '../../../service/ids.ts';
import { platform } from '../../../service/platform.ts';
import type { DeletionStatus } from '../../../service/schemas.ts';

/**
 * Reads the service's deletion status once and answers from it. One person at a time would cost a request each; the
 * list is read to its end, since a missing row proves nothing. Somebody with several rows, deleted and come back, is
 * done only when all of them are.
 */
export async function readEventDeletions(context: Context): Promise<EventDeletions> {
  const client = await context.client();
  let known: Promise<ReadonlyMap<string, boolean>> | undefined;
  const readAll = async () => {
    const completed = new Map<string, boolean>();
    for await (const page of client.pages(platform.deletionStatus, { status: 'all' }, { pageSize: 1000 })) {
      for (const { person_uuid: uuid, status } of objectRows<DeletionStatus>(page)) {
        if (uuid !== undefined) completed.set(uuid, status === 'completed' && completed.get(uuid) !== false);
      }
    }
    return completed;
  };
  const shown = () => {
    known ??= readAll();
    return known;
  };
  return {
    async find(uuids) {
      const all = await shown();
      return uuids.flatMap((uuid) => {
        const completed = all.get(uuid);
        return completed === undefined ? [] : [{ uuid, completed }];
      });
    },
    list: async () => [...(await shown())].map(([uuid, completed]) => ({ uuid, completed })),
  };
}
