import type { Context } from '../../cli/context.ts';
import { foreseen } from '../../errors.ts';
import { objectRows } from '../../service/endpoint.ts';
import { platform } from '../../service/platform.ts';
import type { DeletionStatus } from '../../service/schemas.ts';
import type { StatusRow } from '../record/journal.ts';
import type { Run, RunRecord } from '../record/open.ts';
import { personsOf } from '../record/sightings.ts';
import { type LastAnswer, lastAnswer, reconcile, shareOf } from './outcome.ts';

/** What the service's deletion status says, by UUID. */
export type StatusRows = {
  readonly rows: ReadonlyMap<
    string,
    readonly { readonly created: string | null; readonly isCompleted: boolean }[]
  >;
  readonly serviceTime: string | undefined;
};

export type EventDeletions = () => Promise<StatusRows | undefined>;

/**
 * Reads the deletion status to its end, once for all batches: one person at a time would cost a request each, and a
 * missing row proves nothing. Nothing from a service that has no such endpoint, or refuses it to this key.
 */
export function openEventDeletions(context: Context): EventDeletions {
  let read: Promise<StatusRows | undefined> | undefined;
  return () => (read ??= readEventDeletions(context).catch(ifMissing));
}

function ifMissing(error: unknown): undefined {
  if (![403, 404, 405].includes(foreseen(error).status ?? 0)) throw error;
}

async function readEventDeletions(context: Context): Promise<StatusRows> {
  const client = await context.client();
  const rows = new Map<string, { readonly created: string | null; readonly isCompleted: boolean }[]>();
  let serviceTime: string | undefined;
  const onTime = (time: string) => {
    serviceTime = time;
  };
  const pages = client.pages(platform.deletionStatus, { status: 'all' }, { pageSize: 1000, onTime });
  for await (const page of pages) {
    for (const { person_uuid: uuid, status, created_at: created } of objectRows<DeletionStatus>(page)) {
      if (uuid === undefined) continue;
      const own = rows.get(uuid.toLowerCase()) ?? [];
      own.push({ created: created ?? null, isCompleted: status === 'completed' });
      rows.set(uuid.toLowerCase(), own);
    }
  }
  return { rows, serviceTime };
}

/** The rows about the persons of one batch, by their position in it. */
export function rowsOf(run: Run, batch: number, { rows, serviceTime }: StatusRows) {
  const place = run.state().batches[batch - 1];
  const entries = place === undefined ? [] : run.entries(place.from, place.ids);
  const uuids = new Map(
    entries.flatMap(({ person }) => (person ? [[run.memberOf('ids', person.uuid), person.uuid]] : [])),
  );
  const found = personsOf(run.standing(batch).batch).flatMap((member, at) =>
    (rows.get((uuids.get(member) ?? '').toLowerCase()) ?? []).map(
      ({ created, isCompleted }): StatusRow => [at, created, isCompleted],
    ),
  );
  return { rows: found, serviceTime };
}

/** How far the deletion of events is; nothing if it was not asked for, or no person was there. */
export function eventsWord(run: RunRecord): string | undefined {
  const { deleteEvents } = run.plan.flags;
  const outcome = reconcile(run);
  if (!deleteEvents || outcome.verdict === 'nobody found') return undefined;
  const { batches, calls, verifications } = run.state();
  const planned = batches.filter(({ persons }) => persons > 0).length;
  const asked = new Set(calls.flatMap(({ batch, answer }) => (answer === undefined ? [] : batch))).size;
  if (asked === 0) return 'not requested';
  if (asked < planned) return 'partly requested';
  if (shareOf(outcome.eventsQueued) === 'none') return 'not queued';
  const last = verifications.at(-1);
  if (last?.holds) return 'gone';
  if (last?.pendingUntil !== undefined) return `pending until ${last.pendingUntil.slice(0, 10)}`;
  return last?.events?.open === 0 ? 'gone' : 'requested';
}

/** When the events of a run will go at the earliest, and whose clock that is reckoned by. */
export function eventsNotBefore({ at, serviceTime }: LastAnswer) {
  return {
    at: nextEventDeletion(Date.parse(serviceTime ?? at)),
    clock: serviceTime === undefined ? 'the clock of the computer that asked' : "the service's clock",
  } as const;
}
const hour = 3_600_000;

const day = 24 * hour;

/** When the service next deletes events that were queued at `at` (milliseconds): Sundays at 05:00 UTC, as ISO text. */
function nextEventDeletion(at: number): string {
  const date = new Date(at);
  const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  const sunday = midnight + ((7 - date.getUTCDay()) % 7) * day + 5 * hour;
  return new Date(sunday > at ? sunday : sunday + 7 * day).toISOString();
}

/** What to say about the events of a run: a request, not a deletion. */
function eventsSentence(last: LastAnswer): string {
  const { at, clock } = eventsNotBefore(last);
  const [date = ''] = at.split('T');
  return `the deletion of events was requested; it does not run before Sunday ${date}, 05:00 UTC, by ${clock}`;
}

/** The same for a run; nothing if no events can go by it any more, since a day to come would contradict that. */
export function findEventsSentence(run: RunRecord): string | undefined {
  const last = run.plan.flags.deleteEvents ? lastAnswer(run.state()) : undefined;
  if (last === undefined) return undefined;
  const state = eventsWord(run) ?? 'gone';
  return ['gone', 'not queued', 'not requested'].includes(state) ? undefined : eventsSentence(last);
}
