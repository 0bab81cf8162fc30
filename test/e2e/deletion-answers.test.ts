import { describe, expect, it } from 'vitest';
import { idsOf } from '../support/bulk-deletions.ts';
import { createChance } from '../support/failing-deletions.ts';
import { runProgram } from '../support/run-program.ts';
import { type Somebody, somebody } from '../support/selecting-service.ts';
import { KEY, temporaryDirectory } from '../support/service.ts';
import { type Received, type StubAnswer, startStub } from '../support/stub-server.ts';

/** `HOGCTL_FUZZ=1000` tries more and shows its figures. */
const RUNS = Number(process.env.HOGCTL_FUZZ ?? 40);

type Chance = {
  readonly yes: (share: number) => boolean;
  readonly below: (count: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item | undefined;
};

function chanceOf(seed: number): Chance {
  const next = createChance(seed);
  const below = (count: number) => Math.floor(next() * count);
  return { yes: (share) => next() < share, below, pick: (items) => items[below(items.length)] };
}

const people = Array.from({ length: 9 }, (_, index) =>
  somebody(index + 1, { distinct_ids: [`d${index + 1}`, `e${index + 1}`] }),
);

const rowOf = ({ cohorts, ...row }: Somebody) => row;

/** A service that answers each look-up and deletion with whatever comes to it. */
function wrongService(chance: Chance): (received: Received) => StubAnswer {
  const anybody = () => rowOf(chance.pick(people) ?? somebody(99));
  const lookUp = (asked: readonly string[], keysOf: (one: Somebody) => readonly string[]) => {
    const entries = asked.flatMap((id) => {
      const right = people.find((one) => keysOf(one).includes(id));
      if (chance.yes(0.05)) return [[id, anybody()] as const];
      return right === undefined || chance.yes(0.1) ? [] : [[id, rowOf(right)] as const];
    });
    const unasked = chance.yes(0.3) ? [[`d${1 + chance.below(9)}`, anybody()] as const] : [];
    return { json: { results: Object.fromEntries([...unasked, ...entries]) } };
  };
  const list = (asked: URLSearchParams): StubAnswer => {
    const id = asked.get('distinct_id');
    const right = people.filter(({ distinct_ids: ids }) => id !== null && ids.includes(id)).map(rowOf);
    const results = chance.yes(0.3) ? [...right, anybody()].slice(chance.below(2)) : right;
    return { json: { next: null, previous: null, results } };
  };
  const remove = (received: Received): StubAnswer => {
    const any = () => chance.below(12) - 1;
    const named = [...idsOf(received), 'd9', 'nobody', ...people.map(({ uuid }) => uuid)];
    const errors = Array.from({ length: chance.below(4) }, () => ({
      person_uuid: chance.pick(named),
      step: 'postgres',
    }));
    const json = {
      persons_found: any(),
      persons_deleted: any(),
      persons_queued_for_deletion: any(),
      events_queued_for_deletion: chance.pick([true, false, null, 'yes']),
      deletion_errors: chance.yes(0.3) ? [...errors, ...errors] : errors,
      ids: people.map(({ uuid }) => uuid),
      distinct_ids: ['d8', 'd9'],
    };
    const others: readonly StubAnswer[] = [
      { status: 202, body: '' },
      { status: 202, json: [json] },
      { status: 400, json: { detail: `not ${named.at(-1)}` } },
      { status: 503, json },
      { status: 202, json, reset: 'after' },
    ];
    return chance.yes(0.7) ? { status: 202, json } : (chance.pick(others) ?? { status: 500 });
  };
  return (received) => {
    const url = new URL(received.url, 'http://127.0.0.1');
    // What the program sends to these two paths; to others neither is looked at.
    const { uuids = [], distinct_ids: ids = [] } = (received.json ?? {}) as {
      [name: string]: readonly string[];
    };
    if (url.pathname.endsWith('/batch_by_uuids/')) return lookUp(uuids, ({ uuid }) => [uuid]);
    if (url.pathname.endsWith('/batch_by_distinct_ids/')) return lookUp(ids, (one) => one.distinct_ids);
    if (url.pathname.endsWith('/bulk_delete/')) return remove(received);
    if (url.pathname.endsWith('/persons/')) return list(url.searchParams);
    const one = people.find(
      ({ id, uuid }) => url.pathname.endsWith(`/persons/${id}/`) || url.pathname.includes(uuid),
    );
    if (received.method === 'DELETE')
      return { status: chance.pick([202, 204, 404, 503]) ?? 500, json: anybody() };
    return one === undefined
      ? { status: 404, json: { code: 'not_found' } }
      : { json: chance.yes(0.2) ? anybody() : rowOf(one) };
  };
}

/** What was to be deleted, and every id that this allows. */
function wish(chance: Chance): { readonly words: readonly string[]; readonly allowed: ReadonlySet<string> } {
  const chosen = people.filter(() => chance.yes(0.4));
  if (chance.yes(0.2)) {
    const one = chosen[0] ?? somebody(1);
    return {
      words: ['delete', `--distinct-id=${one.distinct_ids[0]}`],
      allowed: new Set([one.uuid, String(one.id), ...one.distinct_ids]),
    };
  }
  const byUuid = chance.yes(0.4);
  const given = [...chosen.map((one) => (byUuid ? one.uuid : `${chance.pick(one.distinct_ids)}`))];
  const unknown = byUuid ? somebody(77).uuid : 'd77';
  if (given.length === 0 || chance.yes(0.3)) given.push(unknown);
  const words = ['bulk-delete', `--${byUuid ? 'ids' : 'distinct-ids'}=${given.join(',')}`];
  words.push(`--batch-size=${1 + chance.below(4)}`, '--retries=1');
  const persons = chosen.flatMap(({ id, uuid }) => [uuid, String(id)]);
  return { words, allowed: new Set([...given, ...persons]) };
}

function askedToDelete({ method, url, json }: Received): readonly string[] {
  if (method === 'DELETE') return [decodeURIComponent(/\/persons\/([^/]+)\//.exec(url)?.[1] ?? '?')];
  return url.includes('/bulk_delete/') ? idsOf({ json }) : [];
}

describe('a deletion that is answered with foreign ids, wrong counts and repeats', () => {
  it('sends ids of its plan only, resumed or not', { timeout: 60_000 + RUNS * 1000 }, async () => {
    const seen = { sent: 0, resumed: 0, runs: 0 };
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const chance = chanceOf(seed);
      const { words, allowed } = wish(chance);
      const stub = await startStub([wrongService(chance)]);
      const state = temporaryDirectory();
      const environment = {
        HOGCTL_HOST: stub.origin,
        HOGCTL_API_KEY: KEY,
        HOGCTL_DIALECT: chance.yes(0.7) ? 'live' : 'specification',
        HOGCTL_CONFIG_DIR: state,
        HOGCTL_STATE_DIR: state,
      };
      try {
        const events = chance.yes(0.5) ? ['--delete-events'] : [];
        const line = ['persons', ...words, ...events, '--project', '1', '--yes'];
        const first = await runProgram(line, { environment });
        const run = /hogctl runs resume (\S+)/.exec(first.stderr)?.[1];
        const again =
          run === undefined
            ? undefined
            : await runProgram(['runs', 'resume', run, '--project', '1', '--yes'], { environment });
        for (const ended of [first, again])
          expect([undefined, 0, 2, 3, 4, 5, 6, 8, 9]).toContain(ended?.code);
        const sent = stub.log.flatMap(askedToDelete);
        const said = `seed ${seed}: ${words.join(' ')}\n${first.stderr}${again?.stderr ?? ''}`;
        expect({ said, foreign: sent.filter((id) => !allowed.has(id)) }).toEqual({ said, foreign: [] });
        seen.runs += 1;
        seen.sent += sent.length;
        seen.resumed += Number(run !== undefined);
      } finally {
        await stub.close();
      }
    }
    if (process.env.HOGCTL_FUZZ) process.stdout.write(`Answers: ${JSON.stringify(seen)}\n`);
    expect(seen.sent).toBeGreaterThan(RUNS);
    expect(seen.resumed).toBeGreaterThan(RUNS / 20);
  });
});
