import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, numbered, summary, uuid } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { startService, startWithPeople } from '../support/service.ts';
import type { Received, Script, StubAnswer } from '../support/stub-server.ts';
import { answerFrom, known } from '../support/two-stores.ts';

const environment = { HOGCTL_DIALECT: 'live' };
const listOf = (count: number) => ({ environment, stdin: numbered(count).join('\n') });
const line = 'persons bulk-delete --from - --as distinct-ids --yes';
const all = (count: number) => Array.from({ length: count }, (_, at) => uuid(at + 1));

/** Answers the calls of these numbers, counted from 1, as is said, the others with success. */
function answering(answers: Readonly<Record<number, StubAnswer>>): Script {
  let call = 0;
  return [
    (received) => {
      call += 1;
      return answers[call] ?? allDeleted(received);
    },
  ];
}

/** A clock that only waiting moves; what was waited for. */
function createClock() {
  let time = Date.UTC(2026, 2, 2, 12);
  const waits: number[] = [];
  return {
    waits,
    now: () => time,
    wait: async (milliseconds: number) => {
      waits.push(milliseconds);
      time += milliseconds;
    },
  };
}

/** Answers calls only once so many are under way, and keeps how many there were at most. */
function inGroupsOf(lanes: number) {
  const seen = { open: 0, most: 0 };
  let waiting: (() => void)[] = [];
  const answer = (received: Received): StubAnswer => {
    seen.open += 1;
    seen.most = Math.max(seen.most, seen.open);
    const after = new Promise<void>((resolve) => waiting.push(resolve));
    if (waiting.length === lanes) {
      for (const go of waiting) go();
      waiting = [];
    }
    const work = () => {
      seen.open -= 1;
    };
    return { ...allDeleted(received), after, work };
  };
  return { seen, answer };
}

/** A service with so many people beside somebody else; `answer` says what a deletion does and what is told of it. */
async function startLiving(
  count: number,
  answer: (received: Received, remove: (uuids: readonly string[]) => void) => StubAnswer,
  /** Changes each answer; then there is SQL, too. */
  watch?: (one: StubAnswer, received: Received) => StubAnswer,
) {
  const people = Array.from({ length: count }, (_, at) =>
    known(at + 1, undefined, { distinct_ids: [`u${at + 1}`] }),
  );
  const there = new Map(people.map((one) => [one.uuid, one]));
  const bystander = known(999, undefined, { distinct_ids: ['somebody-else'] });
  const remove = (uuids: readonly string[]) => {
    for (const one of uuids) there.delete(one);
  };
  const service = await startService([
    (received) => {
      const listed = [...there.values(), bystander];
      const one = received.url.includes('/bulk_delete/')
        ? answer(received, remove)
        : answerFrom({ listed, queried: watch && listed })(received);
      return watch?.(one, received) ?? one;
    },
  ]);
  return { service, there };
}

describe('calls of a bulk deletion', () => {
  it.each([
    [1, ''],
    [4, '--concurrency 4'],
  ])('are made %i at a time, each person once: %s', async (lanes, option) => {
    const { seen, answer } = inGroupsOf(lanes);
    const service = await startWithPeople([answer]);
    expect(await service.hogctl(`${line} --batch-size 5 ${option}`, listOf(40))).toMatchObject({ code: 0 });
    expect(seen.most).toBe(lanes);
    expect(service.log.map((call) => idsOf(call).length)).toEqual(Array(8).fill(5));
    expect(service.log.flatMap(idsOf).toSorted()).toEqual(all(40));
  });

  it('share their look-ups: six at a time if there are six lanes, of which three ask SQL', async () => {
    const open = { list: 0, sql: 0 };
    const most = { list: 0, sql: 0 };
    const { service } = await startLiving(
      1260,
      (received, remove) => {
        remove(idsOf(received));
        return allDeleted(received);
      },
      (answer, { url }) => {
        const store = url.endsWith('/query/') ? 'sql' : 'list';
        open[store] += 1;
        most[store] = Math.max(most[store], open[store]);
        return { ...answer, delay: 20, work: () => (open[store] -= 1) };
      },
    );
    const pace = '--batch-size 210 --concurrency 6';
    expect(await service.hogctl(`${line} ${pace}`, listOf(1260))).toMatchObject({ code: 0 });
    expect(most).toEqual({ list: 6, sql: 3 });
  });

  it('keep to a rate, and no wait stands before the first or after the last', async () => {
    const { waits, ...clock } = createClock();
    const service = await startWithPeople([allDeleted]);
    const end = await service.hogctl(`${line} --batch-size 10 --rate 120`, { ...listOf(50), ...clock });
    // After each of the five calls its persons are looked at in both stores, all by requests about many.
    expect([end.code, waits]).toEqual([0, Array.from({ length: 28 }, () => 500)]);
  });

  it.each([
    ['', [500, 500]],
    ['--rate 60', [1000, 1000]],
  ])('keep to the rate and the lanes of the plan when it is resumed with %j', async (option, expected) => {
    const { waits, ...clock } = createClock();
    const { seen, answer } = inGroupsOf(2);
    const service = await startWithPeople([answer]);
    const planning = `${line} --batch-size 10 --rate 120 --concurrency 2 --plan-only`;
    await service.hogctl(planning, { ...listOf(40), ...clock });
    const end = await service.hogctl(`runs resume 2026 --yes ${option}`, { environment, ...clock });
    expect([end.code, seen.most, service.log.length]).toEqual([0, 2, 4]);
    // Two lanes wait at the same time.
    expect(waits.slice(0, 2)).toEqual(expected.slice(0, 2));
  });

  it('leave only once the journal says so, and the next one once it tells of the answer', async () => {
    const lines: (readonly string[])[] = [];
    const service = await startWithPeople([
      (received) => {
        const [run = ''] = runsOf(service);
        const journal = readFileSync(join(run, 'journal.ndjson'), 'utf8').trim().split('\n');
        const told = journal
          .map((text) => JSON.parse(text))
          .filter(({ type }) => /sending|answered/.test(type));
        lines.push(told.map(({ type, batch, count }) => `${type} ${batch} ${count ?? ''}`.trim()));
        return allDeleted(received);
      },
    ]);
    expect(await service.hogctl(`${line} --batch-size 2`, listOf(3))).toMatchObject({ code: 0 });
    expect(lines).toEqual([['sending 1 2'], ['sending 1 2', 'answered 1', 'sending 2 1']]);
  });

  it('are made about people who were looked up, at most 200 with each request', async () => {
    const { service, there } = await startLiving(450, (received, remove) => {
      remove(idsOf(received));
      return allDeleted(received);
    });
    const end = await service.hogctl(`${line} --batch-size 450`, listOf(450));
    expect([end.code, there.size]).toEqual([0, 0]);
    const lookUps = service.log.filter(({ url }) => url.includes('/batch_by_'));
    const sizes = lookUps.flatMap(({ json }) => Object.values(json as object).map((ids) => ids.length));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
    // Before the call by distinct id, after it by UUID and by distinct id.
    expect(sizes.length).toBeLessThanOrEqual(9);
  });
});

describe('a call that is refused for what is in it', () => {
  const refused = { status: 400, json: { code: 'invalid_input', detail: 'too much' } };
  const upTo = (limit: number) => (received: Received) =>
    idsOf(received).length > limit ? refused : allDeleted(received);
  const sizesOf = (log: readonly Received[]) => log.map((received) => idsOf(received).length);

  it('is halved until the service takes it, and the size stays, also when the run is resumed', async () => {
    let calls = 0;
    const service = await startWithPeople([
      (received) => {
        calls += 1;
        if (calls === 8) return { status: 403, json: { code: 'permission_denied', detail: 'no' } };
        return upTo(100)(received);
      },
    ]);
    expect(await service.hogctl(`${line} --batch-size 1000`, listOf(1450))).toMatchObject({ code: 8 });
    expect(sizesOf(service.log)).toEqual([1000, 500, 250, 125, 100, 100, 100, 100]);
    expect(await service.hogctl('runs resume 2026 --yes', { environment })).toMatchObject({ code: 0 });
    expect(Math.max(...sizesOf(service.log).slice(4))).toBe(100);
    const taken = service.log.map(idsOf).filter(({ length }, at) => length <= 100 && at !== 7);
    expect(taken.flat().toSorted()).toEqual(all(1450));
  });

  it('is halved until the one is alone whom the service refuses, who is named, and the others are sent', async () => {
    const service = await startWithPeople([
      (received) =>
        idsOf(received).includes(uuid(7))
          ? { status: 400, json: { code: 'invalid_input', detail: 'this person is locked' } }
          : allDeleted(received),
    ]);
    const { code, stdout, stderr } = await service.hogctl(`${line} -o json`, listOf(20));
    expect([code, stderr]).toEqual([8, expect.stringContaining('this person is locked')]);
    expect(JSON.parse(stdout)).toMatchObject({ deleted: 19, refused: 1 });
    expect(stdout + stderr).not.toContain('u7');
    const refusals = service.log.map(idsOf).filter((ids) => ids.includes(uuid(7)));
    expect(refusals.map(({ length }) => length)).toEqual([20, 10, 5, 3, 2, 1]);
  });
});

describe('failures of calls', () => {
  const down = { status: 503, json: { detail: 'busy' } };

  it.each([
    ['two, then another person', { 1: down, 2: down }, [8, undefined], 7],
    ['two, twice', { 1: down, 2: down, 4: down, 5: down }, [8, undefined], 8],
    ['three in a row', { 1: down, 2: down, 3: down }, [8, 'three failures in a row'], 3],
    ['one and a success by turns', { 1: down, 3: down, 5: down, 7: down }, [0, undefined], 10],
  ] as const)('stop the run only if three come in a row: %s', async (_, answers, [code, reason], calls) => {
    const service = await startWithPeople(answering(answers));
    const end = await service.hogctl(`${line} --batch-size 10 --retries 0 -o json`, listOf(60));
    expect([end.code, service.log.length]).toEqual([code, calls]);
    expect(JSON.parse(end.stdout).stopped ?? undefined).toBe(reason);
    const again = await service.hogctl('runs resume 2026 --yes', { environment });
    expect(again.code).toBe(0);
    expect(new Set(service.log.flatMap(idsOf))).toEqual(new Set(all(60)));
  });
});

describe('persons whom an answer names as failed', () => {
  const errors = [3, 5].map((number) => ({ person_uuid: uuid(number), step: 'postgres' }));
  const first = { status: 202, json: summary({ found: 6, deleted: 4, errors }) };
  const second = { status: 202, json: summary({ found: 2, deleted: 1, errors: errors.slice(1) }) };

  it('are sent once more, and they only; who fails again is owed, and sent by a resumed run', async () => {
    const service = await startWithPeople(answering({ 1: first, 2: second }));
    const end = await service.hogctl(`${line} -o json`, listOf(6));
    expect([end.code, JSON.parse(end.stdout)]).toEqual([
      8,
      expect.objectContaining({ deleted: 5, failed: 1 }),
    ]);
    expect(service.log.map(idsOf)).toEqual([all(6), [uuid(3), uuid(5)]]);
    expect(await service.hogctl('runs resume 2026 --yes', { environment })).toMatchObject({ code: 0 });
    expect(service.log.slice(2).map(idsOf)).toEqual([[uuid(5)]]);
    expect(await service.hogctl('runs resume 2026 --yes', { environment })).toMatchObject({ code: 0 });
    expect(service.log).toHaveLength(3);
  });

  it('are not called failed any more once they are gone, though the answer that would say so was lost', async () => {
    let calls = 0;
    const { service, there } = await startLiving(6, (received, remove) => {
      calls += 1;
      remove(idsOf(received).filter((id) => calls === 2 || ![uuid(3), uuid(5)].includes(id)));
      return calls === 1 ? first : { reset: 'after' };
    });
    const end = await service.hogctl(`${line} --retries 0 -o json`, listOf(6));
    expect([end.code, there.size, JSON.parse(end.stdout)]).toEqual([
      0,
      0,
      expect.objectContaining({ failed: 0, failures: [], gone: 6 }),
    ]);
  });
});

describe('an interruption', () => {
  it('by a second signal leaves what is in flight unknown, which is looked for before it is sent again', async () => {
    const [soon, now] = [new AbortController(), new AbortController()];
    const stop = () => {
      soon.abort('SIGINT');
      setImmediate(() => now.abort('SIGINT'));
    };
    const service = await startWithPeople(answering({ 2: { never: true, work: stop } }));
    const signals = { signal: soon.signal, forcedSignal: now.signal };
    const end = await service.hogctl(`${line} --batch-size 2 -o json`, { ...listOf(6), ...signals });
    expect([end.code, JSON.parse(end.stdout)]).toEqual([
      130,
      expect.objectContaining({ deleted: 2, unknown: 2, not_sent: 2 }),
    ]);
    expect(await service.hogctl('runs resume 2026 --yes', { environment })).toMatchObject({ code: 0 });
    const [one, two, ...later] = service.log.map(idsOf);
    expect([...(one ?? []), ...(two ?? [])]).toEqual(all(4));
    expect(later.flat()).toEqual(all(6).slice(2));
  });

  it('ends the wait for the next call, which is not made', async () => {
    const soon = new AbortController();
    const service = await startWithPeople([allDeleted]);
    const wait = () => {
      soon.abort('SIGINT');
      return new Promise<void>(() => undefined);
    };
    const end = await service.hogctl(`${line} --batch-size 2 --rate 1 -o json`, {
      ...listOf(6),
      wait,
      signal: soon.signal,
    });
    expect([end.code, JSON.parse(end.stdout)]).toEqual([
      130,
      expect.objectContaining({ deleted: 2, not_sent: 4 }),
    ]);
    expect(service.log).toHaveLength(1);
    expect(end.stderr).toContain('sends what is left');
    expect(end.stderr).not.toContain('runs verify');
    const left = await service.hogctl('runs resume last --dry-run', { environment });
    expect(left.stderr).toContain('2 calls of up to 2, at most 1 a minute\ntakes at least ');
  });
});

describe('a bug of the program in the midst of a run', () => {
  it.each([
    ['between two calls', '--rate 1', {}],
    ['in a call, which may have run', '--retries 2', { 2: { status: 429, json: {} } }],
  ])('ends as one, names the run, and what was sent can be resumed: %s', async (_, option, answers) => {
    const service = await startWithPeople(answering(answers));
    const wait = () => Promise.reject(new RangeError('a broken clock'));
    const command = `${line} --batch-size 2 ${option}`.replace(/--retries 0(?=.*--retries)/, '');
    const { code, stderr } = await service.hogctl(command, { ...listOf(4), wait });
    expect([code, stderr]).toEqual([1, expect.stringContaining('a broken clock')]);
    expect(stderr).toMatch(/hogctl runs resume \S+ sends what is left/);
    const before = service.log.length;
    const [run] = JSON.parse((await service.hogctl('runs list -o json')).stdout);
    expect(run.owed).toBe('persons');
    expect(await service.hogctl('runs resume 2026 --yes', { environment })).toMatchObject({ code: 0 });
    expect(service.log.slice(before).flatMap(idsOf)).toEqual(all(4).slice(2));
  });
});
