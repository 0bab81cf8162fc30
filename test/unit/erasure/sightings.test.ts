import { describe, expect, it } from 'vitest';
import * as core from '../../../src/erasure/core.ts';
import type { Batch, Sighting } from '../../../src/erasure/facts.ts';
import {
  decodeSighting,
  encodeSighting,
  fromRanges,
  toRanges,
} from '../../../src/erasure/record/sightings.ts';
import { isFindable, scenes } from './core/scenes.ts';
import { step } from './core/steps.ts';
import { looksAt } from './core/stores.ts';
import { begin, type Scene } from './core/world.ts';

const none = { changes: 0, calls: 0, looks: 0 };

/** A batch that was planned from true answers. */
function plannedIn(one: Scene): Batch {
  const start = { world: begin(one), state: undefined };
  const next = [...step(start, one, none, core)].find(({ label }) =>
    label.startsWith('plan: list answers, '),
  );
  const [batch] = next?.state?.batches ?? [];
  if (batch === undefined) throw new Error(`${one.name} cannot be planned`);
  return batch;
}

/** A batch after a sighting, or the reason why there is none. */
function told(batch: Batch, sighting: Sighting): unknown {
  const run = {
    options: {},
    lines: 1,
    stores: ['list', 'sql'],
    excepted: new Set(''),
    spared: new Set(''),
  } as const;
  try {
    return core.apply(run, batch, { type: 'saw', sighting });
  } catch (error) {
    return String(error);
  }
}

describe('a sighting in the words of a journal', () => {
  it.each(scenes.filter(isFindable))('tells the core the same: $name', (one) => {
    const batch = plannedIn(one);
    const asked = [...new Set([...batch.targets.values()].flatMap(({ ids }) => ids))];
    const worlds = [...step({ world: begin(one), state: undefined }, one, { ...none, changes: 1 }, core)];
    for (const { world } of worlds)
      for (const store of ['list', 'sql'] as const)
        for (const { sighting } of looksAt(world, { store, asked }, one)) {
          // A batch is never asked about ids of others.
          if (!sighting.asked.every((id) => asked.includes(id))) continue;
          const line = JSON.parse(JSON.stringify(encodeSighting(batch, sighting)));
          expect(told(batch, decodeSighting(batch, line))).toEqual(told(batch, sighting));
        }
  });

  it('does not write out who is as planned', () => {
    const one = scenes.find(({ name }) => name === 'both');
    const batch = plannedIn(one as Scene);
    const asked = [...batch.targets.values()].map(({ uuid }) => uuid);
    const [look] = looksAt(begin(one as Scene), { store: 'list', asked }, one as Scene);
    expect(look && encodeSighting(batch, look.sighting)).toEqual({
      store: 'list',
      asked: expect.stringMatching(/^[\d,-]+$/),
      controls: [true],
      asPlanned: expect.stringMatching(/^[\d,-]+$/),
      others: [],
      serviceTime: expect.any(String),
    });
  });

  it('is about ids of its batch only', () => {
    const batch = plannedIn(scenes[0] as Scene);
    const sighting: Sighting = { store: 'list', asked: ['another'], controls: [true], found: [] };
    expect(() => encodeSighting(batch, sighting)).toThrow(RangeError);
  });
});

it.each([
  [[], ''],
  [[7], '7'],
  [[2, 0, 1, 1, 7, 9, 8], '0-2,7-9'],
])('positions %j are written as %j', (numbers, text) => {
  expect(toRanges(numbers)).toBe(text);
  expect(fromRanges(text)).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});
