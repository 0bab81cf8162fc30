import { describe, expect, it } from 'vitest';
import * as core from '../../../src/erasure/core.ts';
import type { Batch } from '../../../src/erasure/facts.ts';
import { expand, shorten } from '../../../src/erasure/record/sightings.ts';
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
function told(batch: Batch, sighting: Parameters<typeof shorten>[1]): unknown {
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
          const short = JSON.parse(JSON.stringify(shorten(batch, sighting)));
          expect(told(batch, expand(batch, short))).toEqual(told(batch, sighting));
        }
  });

  it('does not write out who is as planned', () => {
    const one = scenes.find(({ name }) => name === 'both');
    const batch = plannedIn(one as Scene);
    const asked = [...batch.targets.values()].map(({ uuid }) => uuid);
    const [look] = looksAt(begin(one as Scene), { store: 'list', asked }, one as Scene);
    expect(look && shorten(batch, look.sighting)).toEqual({
      store: 'list',
      asked: 'uuids',
      controls: [true],
      found: [],
      others: 'as known',
      time: 0,
    });
  });
});
