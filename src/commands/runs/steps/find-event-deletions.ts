import { platform } from '../../../api/endpoints/platform.ts';
import type { DeletionStatus } from '../../../api/schemas.ts';
import type { Context } from '../../../cli/context.ts';
import type { FindEventDeletions } from '../../../erasure/verify-run.ts';
import { objectRows } from '../../object-rows.ts';

/**
 * Reads the service's deletion status once and answers from it. One person at a time would cost a request each; the
 * list is read to its end, since a missing row proves nothing. Somebody with several rows, deleted and come back, is
 * done only when all of them are.
 */
export async function findEventDeletions(context: Context): Promise<FindEventDeletions> {
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
  return async (uuids) => {
    known ??= readAll();
    const shown = await known;
    return uuids.flatMap((uuid) => {
      const completed = shown.get(uuid);
      return completed === undefined ? [] : [{ uuid, completed }];
    });
  };
}
