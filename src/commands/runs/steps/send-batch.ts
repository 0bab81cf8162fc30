import type { Context } from '../../../cli/context.ts';
import { type Send, toBatchAnswer } from '../../../erasure/batch-answer.ts';
import { persons } from '../../../service/persons.ts';

/** Milliseconds for one bulk deletion unless `--timeout` says otherwise: the service does the work in the request. */
const BULK_TIMEOUT = 300_000;

/** Sends one batch as one bulk deletion, one list per call. */
export async function makeSend(context: Context): Promise<Send> {
  const client = await context.client();
  const timeout = context.options.timeout === undefined ? BULK_TIMEOUT : undefined;
  return async ({ kind, ids, flags }) => {
    let lost = 0;
    let serviceTime: string | undefined;
    const summary = await client.call(
      persons.bulkDelete,
      {
        ...(kind === 'ids' ? { ids } : { distinct_ids: ids }),
        delete_events: flags.deleteEvents,
        delete_recordings: flags.deleteRecordings,
        keep_person: flags.keepPerson,
      },
      {
        timeout,
        onLost: () => {
          lost += 1;
        },
        onTime: (time) => {
          serviceTime = time;
        },
      },
    );
    return { ...toBatchAnswer(summary), lost, serviceTime };
  };
}
