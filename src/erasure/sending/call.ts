import { CliError, foreseen, Interruption, raceAbort } from '../../errors.ts';
import { type BatchAnswer, type Failure, findAnswer, recordAnswer, recordFailure } from '../record/answer.ts';
import { digestOf } from '../record/digest.ts';
import { idToSend } from '../record/entry.ts';
import type { RunRecord } from '../record/open.ts';
import { personsOf, toRanges } from '../record/sightings.ts';
import type { Batch, Work } from './session.ts';
import { isAboutContent, reasonToStop } from './session.ts';

/** One call: a synced line before, a synced line after. Throws when a line cannot be written, and then nothing was sent. */
export async function sendCall(
  work: Work,
  batch: number,
  persons: readonly string[],
): Promise<'answered' | 'lost' | 'refused' | 'too much'> {
  const { run, stopping } = work;
  const positions = new Map(personsOf(run.standing(batch).batch).map((uuid, at) => [uuid, at]));
  const at = persons.flatMap((uuid) => positions.get(uuid) ?? []);
  const call = run.standing(batch).batch.calls.length;
  run.append({
    type: 'sending',
    batch,
    persons: toRanges(at),
    count: persons.length,
    digest: digestOf(persons),
  });
  const ids = sendIdsOf(run, batch);
  const result = await attempt(work, {
    ids: persons.flatMap((uuid) => ids.get(uuid) ?? []),
    flags: run.plan.flags,
  });
  if ('answer' in result) {
    const answer = recordAnswer(result.answer, (uuid) => run.memberOf('ids', uuid), new Set(persons));
    run.append({ type: 'answered', batch, call, answer });
    stopping.succeeded();
    work.onEnd(persons.length, 'answered');
    await lookAtOnce(work, batch, call);
    return 'answered';
  }
  const { failure, error } = result;
  run.append({ type: 'failed', batch, call, failure });
  // A bug of ours is written down as unknown and then shown as what it is.
  if (failure.kind === 'bug') throw error;
  const { kind, status } = failure;
  const reason = reasonToStop(kind, status);
  if (reason !== undefined)
    // A script takes `not-found` for persons that are gone already, and here no person was asked for.
    stopping.request({ reason, kind: reason === 'no such endpoint' ? 'refused' : kind, status });
  else if (isAboutContent(failure) && reason === undefined) {
    if (persons.length > 1) return 'too much';
    const [uuid] = persons;
    if (uuid !== undefined && error instanceof CliError)
      work.learned.refused.push({ person: uuid, reason: error });
  } else stopping.failed({ kind, status });
  work.onEnd(persons.length, 'failed');
  const isLost = failure.outcome === 'unknown';
  // Of somebody who is not found, somebody else may have deleted the person since the look.
  if (isLost || kind === 'not-found') await lookAtOnce(work, batch, call);
  return isLost ? 'lost' : 'refused';
}

/** What to call each person of a batch by, on the wire. */
function sendIdsOf(run: RunRecord, batch: number): ReadonlyMap<string, string> {
  const place = run.state().batches[batch - 1];
  const entries = place === undefined ? [] : run.entries(place.from, place.ids);
  return new Map(
    entries.flatMap(({ person }) =>
      person === null ? [] : [[run.memberOf('ids', person.uuid), idToSend(person)] as const],
    ),
  );
}

type Attempt = { readonly answer: BatchAnswer } | { readonly failure: Failure; readonly error: unknown };

async function attempt({ send, forcedSignal }: Work, batch: Batch): Promise<Attempt> {
  let serviceTime: string | undefined;
  const onTime = (time: string) => {
    serviceTime = time;
  };
  try {
    return { answer: { ...(await raceAbort(send(batch, { onTime }), forcedSignal)), serviceTime } };
  } catch (error) {
    const answer = findAnswer(error);
    if (answer !== undefined) return { answer: { ...answer, serviceTime } };
    const isInterrupted = error instanceof Interruption;
    return {
      failure: isInterrupted ? { outcome: 'unknown', kind: 'interrupted' } : recordFailure(error),
      error,
    };
  }
}

/** Looks at the people of a call, if one request is about many. */
async function lookAtOnce(work: Work, batch: number, call: number): Promise<void> {
  if (work.stopping.stop() !== undefined || !(await work.looking.isByMany())) return;
  await lookAfter(work, batch, call);
}

/** The calls are made by then: a look that fails must not read as if they were not. */
export async function lookAfter(
  { looking, learned, stopping }: Work,
  batch: number,
  call?: number,
): Promise<void> {
  if (stopping.stop() !== undefined || learned.unseen !== undefined) return;
  try {
    await looking.afterwards(batch, call);
  } catch (error) {
    learned.unseen = foreseen(error);
  }
}
