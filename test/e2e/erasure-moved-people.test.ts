import { describe, expect, it } from 'vitest';
import { uuid } from '../support/bulk-deletions.ts';
import { createChance } from '../support/failing-deletions.ts';
import { type Someone, startOf } from '../support/moving-people.ts';

/** `HOGCTL_FUZZ=500` tries more, `HOGCTL_SEED` others. */
const ROUNDS = Number(process.env.HOGCTL_FUZZ ?? 25);
const SEED = Number(process.env.HOGCTL_SEED ?? 17);

describe('people who change at random between plan, call and check', () => {
  const date = (minute: number) => new Date(Date.UTC(2026, 2, 2, 12, minute)).toISOString();

  it('are proved to be gone only if nobody from before the call has one of their ids', async () => {
    const chance = createChance(SEED);
    const below = (count: number) => Math.floor(chance() * count);
    const ends = { held: 0, open: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = [1, 2, 3, 4].map((number) => ({
        uuid: uuid(number),
        created: '2026-01-01T00:00:00Z',
        ids: [`user_${number}`, `phone_${number}`],
      }));
      const { hogctl, sent, people, change } = await startOf(first);
      await hogctl('persons bulk-delete --distinct-ids user_1,user_2,user_3 --plan-only --yes', 0);
      const minute = 2 + below(40);
      for (let step = below(4); step > 0; step -= 1)
        change(moved(people(), below, date(minute - 1)), date(minute));
      await hogctl('runs resume 2026 --yes --ignore-missing', minute);
      const before = people();
      const free = ['user_1', 'phone_2'].filter((id) => !before.some(({ ids }) => ids.includes(id)));
      const back = free
        .slice(below(3))
        .map((id, at) => ({ uuid: uuid(90 + at), created: date(minute + 5), ids: [id] }));
      change([...before, ...back], date(minute + 5));
      const { code, stdout } = await hogctl('runs verify last -o json', minute + 6);
      const planned = first.slice(0, 3);
      for (const id of sent()) expect(planned.map((one) => one.uuid)).toContain(id);
      const owners = before.filter(({ ids }) =>
        planned.some((one) => one.ids.some((id) => ids.includes(id))),
      );
      expect({ round, code, owners: owners.length > 0 }).toEqual({ round, code, owners: code !== 0 });
      expect(JSON.parse(stdout).holds).toBe(code === 0);
      ends[code === 0 ? 'held' : 'open'] += 1;
    }
    if (process.env.HOGCTL_FUZZ) process.stdout.write(`Moved people: ${JSON.stringify(ends)}\n`);
    expect(Math.min(ends.held, ends.open)).toBeGreaterThan(ROUNDS / 10);
  });
});

/** A split, a merge, a deletion by somebody else, or one after which the same person signs up again. */
function moved(
  people: readonly Someone[],
  below: (count: number) => number,
  now: string,
): readonly Someone[] {
  const one = people[below(people.length)];
  const other = people[below(people.length)];
  if (one === undefined || other === undefined) return people;
  const rest = people.filter(({ uuid }) => uuid !== one.uuid);
  const fresh = (ids: readonly string[]) => ({ uuid: uuid(100 + below(1e6)), created: now, ids });
  const [id = '', ...ids] = one.ids;
  switch (below(4)) {
    case 0:
      return ids.length === 0 ? people : [...rest, { ...one, ids }, fresh([id])];
    case 1:
      if (one === other) return people;
      return rest.map((kept) =>
        kept.uuid === other.uuid ? { ...kept, ids: [...kept.ids, ...one.ids] } : kept,
      );
    case 2:
      return rest;
    default:
      return [...rest, fresh([id])];
  }
}
