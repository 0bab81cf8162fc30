import { nextEventDeletion } from './event-deletion.ts';
import { partsOf, type RunState } from './run-state.ts';

/** When the service last answered a run (ISO). */
export type LastAnswer = {
  /** By the clock of the computer that asked, as all times of the journal. */
  readonly at: string;
  /** By the service's own clock, where its answer told. */
  readonly serviceTime: string | undefined;
};

/** The last answer of a run; undefined where nothing was answered. */
export function lastAnswer(state: RunState): LastAnswer | undefined {
  const answered = partsOf(state)
    .flatMap(({ sending, retry }) => [sending, retry ?? []].flat())
    .flatMap(({ answeredAt: at, answer }) =>
      at === undefined ? [] : { at, serviceTime: answer?.serviceTime },
    );
  return answered.reduce<LastAnswer | undefined>(
    (last, one) => (last === undefined || one.at >= last.at ? one : last),
    undefined,
  );
}

/** When the events of a run will go at the earliest, and whose clock that is reckoned by. */
export function eventsNotBefore({ at, serviceTime }: LastAnswer) {
  return {
    at: nextEventDeletion(Date.parse(serviceTime ?? at)),
    clock: serviceTime === undefined ? 'the clock of the computer that asked' : "the service's clock",
  } as const;
}
