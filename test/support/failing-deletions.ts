import { idsOf, summary } from './bulk-deletions.ts';
import type { Received, StubAnswer } from './stub-server.ts';

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type Someone = { readonly uuid: string; readonly distinctId: string };

/** One bulk deletion as the service carried it out, and the figure it gave for it, if it gave any. */
export type Call = {
  readonly ids: readonly string[];
  readonly gone: number;
  readonly told: number | undefined;
};

/**
 * A service that deletes people and fails in every way there is, by chance: it drops answers before and after the work,
 * cuts them off, leaves them empty, throttles, breaks down, refuses, and fails to delete some of the people.
 */
export function createFailingService(people: readonly Someone[], chance: () => number) {
  const living = new Map(
    people.flatMap(
      (person) =>
        [
          [person.distinctId, person],
          [person.uuid, person],
        ] as const,
    ),
  );
  const calls: Call[] = [];
  const soon = { 'retry-after': '0.01' };

  const remove = (received: Received, { spares = false, isTold = false }) => {
    const ids = idsOf(received);
    const found = ids.flatMap((id) => living.get(id) ?? []);
    const spared = spares ? found.filter(() => chance() < 0.1) : [];
    const gone = found.filter((person) => !spared.includes(person));
    for (const person of gone) {
      living.delete(person.distinctId);
      living.delete(person.uuid);
    }
    calls.push({ ids, gone: gone.length, told: isTold ? gone.length : undefined });
    const errors = spared.map(({ uuid }) => ({ person_uuid: uuid, step: 'postgres' }));
    return { status: 202, json: summary({ found: found.length, deleted: gone.length, errors }) };
  };
  const refuse = (received: Received, answer: StubAnswer): StubAnswer => {
    calls.push({ ids: idsOf(received), gone: 0, told: undefined });
    return answer;
  };
  const ways: readonly (readonly [number, (received: Received) => StubAnswer])[] = [
    [0.06, (received) => ({ ...remove(received, {}), reset: 'after' })],
    [0.04, (received) => refuse(received, { reset: 'before' })],
    [0.05, (received) => refuse(received, { status: 429, headers: soon, json: { detail: 'slow down' } })],
    [0.03, (received) => refuse(received, { status: 500, headers: soon, body: 'broken' })],
    [0.03, (received) => ({ ...remove(received, {}), status: 503, headers: soon, json: { detail: 'busy' } })],
    [0.03, (received) => refuse(received, { status: 400, json: { detail: 'not now' } })],
    [0.06, (received) => remove(received, { spares: true, isTold: true })],
    [0.05, (received) => ({ ...remove(received, {}), json: undefined, status: chance() < 0.5 ? 204 : 202 })],
    [0.05, (received) => ({ ...remove(received, {}), cutAt: 20 })],
  ];
  const answer = (received: Received): StubAnswer => {
    if (idsOf(received).length > 100)
      return refuse(received, { status: 400, json: { detail: 'at most 100' } });
    let roll = chance();
    for (const [share, way] of ways) {
      if (roll < share) return way(received);
      roll -= share;
    }
    return remove(received, { isTold: true });
  };
  const isLiving = (person: Someone) => living.has(person.uuid);
  return { answer, calls, isLiving };
}
