import { describe, expect, it } from 'vitest';
import { idsOf, summary } from '../support/bulk-deletions.ts';
import { createChance } from '../support/failing-deletions.ts';
import { runProgram } from '../support/run-program.ts';
import { type Somebody, somebody } from '../support/selecting-service.ts';
import { KEY, temporaryDirectory } from '../support/service.ts';
import { type Received, type StubAnswer, startStub } from '../support/stub-server.ts';

/** `HOGCTL_FUZZ=1000` tries more and shows its figures. */
const RUNS = Number(process.env.HOGCTL_FUZZ ?? 15);
const MINUTE = 60_000;
const START = Date.UTC(2026, 2, 2, 12);

/** Somebody else, who is always there. */
const bystander = somebody(999);

/** A live service with a clock of its own, in whose store somebody is or is not. Its first calls are lost. */
function serviceWith(people: readonly Somebody[], lost: readonly StubAnswer[]) {
  const living = new Map(people.map((one) => [one.uuid, one]));
  const left = [...lost];
  let time = START;
  const find = (id: string) =>
    [bystander, ...living.values()].find(({ uuid, distinct_ids: ids }) => uuid === id || ids.includes(id));
  const answer = (received: Received): StubAnswer => {
    // What the program sends to these paths; to others neither is looked at.
    const { uuids = [], distinct_ids: ids = [] } = (received.json ?? {}) as Record<string, readonly string[]>;
    if (received.url.endsWith('/persons/?limit=10'))
      return { json: { next: null, results: [bystander, ...living.values()] } };
    if (/batch_by_(uuids|distinct_ids)/.test(received.url)) {
      const found = [...uuids, ...ids].flatMap((id) => {
        const one = find(id);
        return one === undefined ? [] : [[id, one] as const];
      });
      return { json: { results: Object.fromEntries(found) } };
    }
    if (!received.url.includes('/bulk_delete/'))
      return { status: 403, json: { code: 'permission_denied', detail: 'no query:read' } };
    const loss = left.shift();
    if (loss?.reset === 'before' || loss?.status !== undefined) return loss;
    const gone = idsOf(received).flatMap((id) => find(id) ?? []);
    for (const { uuid } of gone) living.delete(uuid);
    return { status: 202, json: summary({ found: gone.length, deleted: gone.length }), ...loss };
  };
  return {
    living,
    script: [
      (received: Received) => ({ ...answer(received), headers: { date: new Date(time).toUTCString() } }),
    ],
    pass: (minutes: number) => {
      time += minutes * MINUTE;
      return new Date(time).toISOString();
    },
  };
}

async function tryClocks(seed: number) {
  const next = createChance(seed);
  const below = (count: number) => Math.floor(next() * count);
  const hours = () => below(27) - 13;
  const asked = Array.from({ length: 6 }, (_, index) => somebody(index + 1));
  const losses: readonly StubAnswer[] = [{ reset: 'before' }, { reset: 'after' }, { status: 502 }];
  const lost = Array.from({ length: 3 }, () => losses[below(3)] ?? {});
  const service = serviceWith(asked, lost);
  const stub = await startStub(service.script);
  const state = temporaryDirectory();
  const elapsed = 1 + below(2000);
  const [before, after] = [hours(), hours()];
  const shifts = [before, after];
  const at = (which: 0 | 1) => START + (shifts[which] ?? 0) * 60 * MINUTE + which * elapsed * MINUTE;
  const environment = {
    HOGCTL_HOST: stub.origin,
    HOGCTL_API_KEY: KEY,
    HOGCTL_DIALECT: 'live',
    HOGCTL_CONFIG_DIR: state,
    HOGCTL_STATE_DIR: state,
  };
  try {
    const ids = asked.flatMap(({ distinct_ids: [id = ''] }) => id);
    const words = ['--distinct-ids', ids.join(','), '--batch-size', '2', '--retries', '0', '--project', '1'];
    const line = ['persons', 'bulk-delete', ...words, '--yes'];
    const first = await runProgram(line, { environment, now: () => at(0) });
    const created = service.pass(elapsed);
    const newcomers = asked
      .filter(({ uuid }) => !service.living.has(uuid) && next() < 0.6)
      .map((one) => somebody(one.id + 100, { distinct_ids: one.distinct_ids, created_at: created }));
    for (const one of newcomers) service.living.set(one.uuid, one);
    const old = asked.filter(({ uuid }) => service.living.has(uuid));
    const resume = ['runs', 'resume', '2026', '--project', '1', '--yes'];
    const again = await runProgram(resume, { environment, now: () => at(1) });
    const said = `seed ${seed}: ${line.join(' ')}, ${shifts} hours, ${elapsed} minutes\n${first.stderr}${again.stderr}`;
    return {
      said,
      code: again.code,
      newcomers: newcomers.length,
      old: old.length,
      hit: newcomers.filter(({ uuid }) => !service.living.has(uuid)),
      missed: old.filter(({ uuid }) => service.living.has(uuid)),
    };
  } finally {
    await stub.close();
  }
}

describe('a run that goes on when the clock here is hours ahead or behind, or was set', () => {
  it('deletes nobody who signed up since, and everybody of its plan', {
    timeout: 60_000 + RUNS * 1000,
  }, async () => {
    const seen = { newcomers: 0, old: 0 };
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const { said, code, newcomers, old, hit, missed } = await tryClocks(seed);
      expect({ said, hit }).toEqual({ said, hit: [] });
      expect({ said, missed }).toEqual({ said, missed: [] });
      expect([0, 3, 8], said).toContain(code);
      // Nobody who was spared is done.
      if (newcomers > 0) expect(code, said).not.toBe(3);
      seen.newcomers += newcomers;
      seen.old += old;
    }
    if (process.env.HOGCTL_FUZZ) process.stdout.write(`Clocks: ${JSON.stringify({ runs: RUNS, ...seen })}\n`);
    expect(seen.newcomers).toBeGreaterThan(RUNS / 2);
    expect(seen.old).toBeGreaterThan(RUNS / 2);
  });
});
