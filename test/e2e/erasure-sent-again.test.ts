import { describe, expect, it } from 'vitest';
import { idsOf, summary, uuid } from '../support/bulk-deletions.ts';
import { person, startWithoutSql } from '../support/service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 2, 2, 12);

type Deletion = { readonly ids: readonly string[]; readonly minute: number };

/**
 * A live service with a clock of its own, where two persons are until they are deleted. `answers` are those to its first
 * deletions, `ran` the numbers of those that were carried out all the same.
 */
async function start(answers: readonly StubAnswer[], ran: readonly number[] = []) {
  const now = { minute: 0 };
  const there = new Map(
    [1, 2].map((id) => [uuid(id), { ...person(id), created_at: '2026-01-01T00:00:00Z' }]),
  );
  const deletions: Deletion[] = [];
  const isDeletion = ({ method, url }: Received) => method === 'DELETE' || url.includes('bulk_delete');
  const remove = (received: Received): StubAnswer => {
    const [, one] = /persons\/([^/?]+)\/(?:\?|$)/.exec(received.url) ?? [];
    const ids = received.method === 'DELETE' && one !== undefined ? [one] : idsOf(received);
    const answer = answers[deletions.length];
    deletions.push({ ids, minute: now.minute });
    if (answer !== undefined && !ran.includes(deletions.length)) return answer;
    const found = ids.filter((id) => there.delete(id)).length;
    if (answer !== undefined) return answer;
    if (received.method === 'DELETE') return found === 1 ? { status: 202 } : { status: 404, json: {} };
    return { status: 202, json: summary({ found, deleted: found }) };
  };
  const bystander = person(999);
  const lookUp = ({ url, json }: Received): StubAnswer => {
    const everybody = [bystander, ...there.values()];
    if (url.endsWith('/persons/?limit=10')) return { json: { results: everybody, next: null } };
    const { uuids = [], distinct_ids: ids = [] } = (json ?? {}) as Record<string, readonly string[]>;
    const found = [...uuids, ...ids].flatMap((id) => {
      const one = everybody.find(({ uuid, distinct_ids: own }) => uuid === id || own.includes(id));
      return one === undefined ? [] : [[id, one] as const];
    });
    return { json: { results: Object.fromEntries(found), next: null } };
  };
  const service = await startWithoutSql([
    (received) => {
      const answer = isDeletion(received) ? remove(received) : lookUp(received);
      const date = new Date(START + now.minute * MINUTE).toUTCString();
      return { ...answer, headers: { date, ...answer.headers } };
    },
  ]);
  return {
    there,
    sent: () => deletions.map(({ ids }) => ids),
    requests: () => service.log.map(({ url }) => /bulk_delete|batch_by/.exec(url)?.[0] ?? 'one'),
    hogctl: (line: string, minute: number) => {
      now.minute = minute;
      const at = START + minute * MINUTE;
      return service.hogctl(line, { environment: { HOGCTL_DIALECT: 'live' }, now: () => at });
    },
    /** Somebody who was deleted signs up again, and gets the same UUID. */
    signUpAgain: (id: number, minute: number) => {
      const created_at = new Date(START + minute * MINUTE).toISOString();
      there.set(uuid(id), { ...person(id), created_at });
    },
  };
}

const month = 30 * 24 * 60;
const failing = summary({ found: 1, deleted: 0, errors: [{ person_uuid: uuid(1), step: 'postgres' }] });

describe('somebody who signs up again under the same UUID before a run is resumed', () => {
  const failed = { status: 202, json: failing };
  const refused = { status: 403, json: { code: 'permission_denied', detail: 'no' } };
  const bulk = `persons bulk-delete --distinct-ids user_1`;
  const one = `persons delete ${uuid(1)}`;

  it.each([
    ['two answers that named them as failed', bulk, [failed, failed], [], 8, month],
    ['a refusal of the key, of one person', one, [refused], [], 4, month],
    ['a refusal of the key, of a list', bulk, [refused], [], 4, month],
    ['two answers that were lost, ten minutes later', bulk, [{ status: 502 }, { status: 502 }], [], 8, 10],
    ['two of one person, ten minutes later', one, [{ status: 502 }, { reset: 'after' as const }], [], 6, 10],
    ['a plan that nobody carried out', `${bulk} --plan-only`, [], [], 0, 10],
  ])('is spared after %s', async (_, line, answers, ran, code, minute) => {
    const { hogctl, there, sent, signUpAgain } = await start(answers, ran);
    expect(await hogctl(`${line} --yes`, 0)).toMatchObject({ code });
    const before = sent().length;
    signUpAgain(1, 5);
    const { code: end, stderr } = await hogctl('runs resume 2026 --yes', minute);
    expect({ sent: sent().length, there: there.has(uuid(1)) }).toEqual({ sent: before, there: true });
    expect([end, stderr]).toEqual([8, expect.stringContaining('1 person was spared')]);
    expect(stderr).toMatch(/hint: hogctl runs verify \S+ says who is there now/);
  });
});

describe('a deletion whose answer is lost', () => {
  const bulk = `persons bulk-delete ${uuid(1)} ${uuid(2)} --yes -o json`;
  const lost = [
    ['a connection that is lost', { reset: 'after' as const }],
    ['a gateway that fails', { status: 502 }],
    ['a service that is down', { status: 503, headers: { 'retry-after': '1' } }],
    ['an answer that is cut off', { status: 202, json: failing, cutAt: 5 }],
  ] as const;

  it.each(lost)('is looked into before anybody is sent again: %s', async (_, answer) => {
    const ran = await start([answer], [1]);
    const end = await ran.hogctl(bulk, 0);
    expect([end.code, JSON.parse(end.stdout)]).toEqual([0, expect.objectContaining({ gone: 2, unknown: 0 })]);
    // A project says who else is there, then nobody has any of the ids, of either kind: they are known to be gone.
    expect(ran.requests()).toEqual(['batch_by', 'bulk_delete', 'one', 'batch_by', 'batch_by']);
    expect(JSON.parse((await ran.hogctl('runs list -o json', 1)).stdout)[0].owed).toBeNull();
    const idle = await start([answer]);
    const again = await idle.hogctl(bulk, 0);
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, expect.objectContaining({ deleted: 2 })]);
    const looks = ['batch_by', 'batch_by'];
    expect(idle.requests()).toEqual(['batch_by', 'bulk_delete', 'one', ...looks, 'bulk_delete', ...looks]);
  });

  it.each(lost)('is looked into for one person, too: %s', async (_, answer) => {
    const ran = await start([answer], [1]);
    const end = await ran.hogctl(`persons delete ${uuid(1)} --yes`, 0);
    expect([end.code, end.stderr]).toEqual([0, expect.stringContaining('although no answer said so')]);
    expect(ran.sent()).toHaveLength(1);
    const idle = await start([answer]);
    expect(await idle.hogctl(`persons delete ${uuid(1)} --yes`, 0)).toMatchObject({ code: 0 });
    expect([idle.sent().length, idle.there.size]).toEqual([2, 1]);
  });
});

it('a person whom the deletion does not find, and the look-up did, is owed', async () => {
  const { hogctl } = await start([{ status: 404, json: { code: 'not_found', detail: 'Not found.' } }]);
  const { code, stderr } = await hogctl(`persons delete ${uuid(1)} --yes --ignore-missing`, 0);
  expect([code, stderr]).toEqual([8, expect.stringContaining('was not found by the deletion')]);
  expect(JSON.parse((await hogctl('runs list -o json', 1)).stdout)[0].owed).toBe('persons');
});
