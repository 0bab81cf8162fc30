import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/service/endpoint.ts';
import { uuid } from '../support/bulk-deletions.ts';
import { startOf } from '../support/moving-people.ts';
import { onSandbox } from '../support/on-sandbox.ts';

const words = { live: 'queued', specification: 'deleted' } as const;

const minutes = (count: number) => Date.parse('2026-06-18T12:00:00Z') + count * 60_000;

/** A plan for two people, of whom the first loses the given id to somebody else before it is carried out. */
async function splitAfterPlan(dialect: Dialect) {
  const { hogctl, state } = await onSandbox(dialect);
  const file = (name: string) => join(state, name);
  writeFileSync(file('list.txt'), 'shopper-0001\nshopper-0007\n');
  const list = `--from ${file('list.txt')} --as distinct-ids`;
  const planned = await hogctl(`persons bulk-delete ${list} --plan-only --yes`, { now: () => minutes(0) });
  expect(planned).toMatchObject({ code: 0 });
  const split = 'persons split --distinct-id shopper-0001 --only shopper-0001 --yes';
  expect(await hogctl(split)).toMatchObject({ code: 0 });
  const receipt = () => readFileSync(file('receipt.csv'), 'utf8').trimEnd().split('\n').slice(1);
  const verify = async (minute: number) => {
    const line = `runs verify last ${list} --force --receipt ${file('receipt.csv')} -o json`;
    const { code, stdout, stderr } = await hogctl(line, { now: () => minutes(minute) });
    return {
      code,
      stderr,
      record: JSON.parse(stdout),
      proven: receipt().map((row) => row.split(',').at(-1)),
    };
  };
  const runs = async () => JSON.parse((await hogctl('runs list -o json')).stdout);
  const report = async () => JSON.parse((await hogctl('runs report last -o json')).stdout);
  return { hogctl, list, file, receipt, verify, runs, report };
}

describe.each<Dialect>(['live', 'specification'])('an id split off after the plan, %s dialect', (dialect) => {
  it('is proved by nothing as long as nothing was sent', async () => {
    const { verify, report } = await splitAfterPlan(dialect);
    const { code, stderr, record, proven } = await verify(2);
    expect({ code, record }).toMatchObject({
      code: 9,
      record: { left: 2, others: 1, came_back: 0, lines: { 'not agreed': 2 } },
    });
    expect(stderr).toContain('1 other person behind ids of the run, and 2 ids never sent');
    expect(proven).toEqual(['no', 'no']);
    expect(await report()).toMatchObject({ verified: false, verification: { holds: false, others: 1 } });
  });

  it('is spared, and the planned person sent, so that the line is owed until somebody plans it anew', async () => {
    const { hogctl, list, file, verify, report } = await splitAfterPlan(dialect);
    const dry = await hogctl('runs resume last --dry-run -o json', { now: () => minutes(5) });
    expect(JSON.parse(dry.stdout)).toMatchObject([{ ids: 2 }]);
    const resume = `runs resume 2026 ${list} --force --receipt ${file('receipt.csv')} --yes`;
    const end = await hogctl(resume, { now: () => minutes(5) });
    expect([end.code, end.stderr]).toEqual([
      0,
      expect.stringMatching(
        /1 id now leads to another person, who was not sent; hogctl runs verify \S+ names them/,
      ),
    ]);
    expect(readFileSync(file('receipt.csv'), 'utf8')).toMatch(
      new RegExp(
        `shopper-0001,1,${words[dialect]},.*\nshopper-0007,2,${words[dialect].replace('queued', 'gone')},`,
      ),
    );
    const whoHas = async (id: string) =>
      JSON.parse((await hogctl(`persons list --distinct-id ${id} -o json`)).stdout);
    expect(await whoHas('device-shopper-0001')).toHaveLength(0);
    expect(await whoHas('shopper-0001')).toHaveLength(1);
    const { code, stderr, record, proven } = await verify(6);
    expect({ code, record, proven }).toMatchObject({
      code: 9,
      record: { left: 0, others: 1, lines: { told: 1, gone: 1 } },
      proven: ['no', 'person list and sql'],
    });
    expect(stderr).toContain('hogctl persons bulk-delete --new-run with these ids plans them again');
    const { outcome, members } = await report();
    expect(outcome).toMatchObject({ sent: 2, [words[dialect]]: 2, gone: 1, verdict: 'done' });
    expect(members.list.map((one: { outcome: string }) => one.outcome)).toEqual([
      words[dialect],
      words[dialect],
    ]);
    expect(JSON.parse((await hogctl('runs list -o json')).stdout)[0].owed).toBe('persons');
    const found = await hogctl(`runs find ${list}`);
    expect([found.code, found.stderr]).toEqual([9, expect.stringContaining('2 of 2 lines name')]);
  });
});

describe('somebody who was merged after the plan', () => {
  const planned = { uuid: uuid(1), created: '2026-01-01T00:00:00Z', ids: ['user_1', 'phone_1'] };
  const survivor = { uuid: uuid(9), created: '2025-01-01T00:00:00Z', ids: ['old_9', 'phone_1', 'user_1'] };

  it.each([
    ['a distinct id', '--distinct-ids user_1'],
    ['a person id', `--ids ${uuid(1)}`],
  ])('is not proved to be gone by a call that found nobody, given by %s', async (_, given) => {
    const { hogctl, sent, change, clock } = await startOf([planned]);
    clock.afterLookUp = () => change([survivor], '2026-03-02T12:05:00Z');
    const erase = `persons bulk-delete ${given} --yes --ignore-missing`;
    expect(await hogctl(erase, 0)).toMatchObject({ code: 8 });
    expect(sent()).toEqual([uuid(1)]);
    const { code, stdout } = await hogctl('runs verify last -o json', 6);
    expect([code, JSON.parse(stdout)]).toMatchObject([9, { left: 0, others: 1, holds: false }]);
  });

  it.each([
    ['a distinct id', '--distinct-ids user_1'],
    ['a person id', `--ids ${uuid(1)}`],
  ])('is spared later, and told, given by %s', async (_, given) => {
    const { hogctl, sent, change } = await startOf([planned]);
    await hogctl(`persons bulk-delete ${given} --plan-only --yes`, 0);
    change([survivor], '2026-03-02T12:30:00Z');
    const { code, stderr } = await hogctl('runs resume 2026 --yes', 30);
    expect([code, sent()]).toEqual([8, []]);
    expect(stderr).toContain('1 person was spared');
    expect(await hogctl('runs verify last', 31)).toMatchObject({ code: 9 });
  });

  it('is not proved to be gone if only another id was split off, and SQL does not show that yet', async () => {
    const { hogctl, change } = await startOf([planned], { hasSql: true });
    await hogctl('persons bulk-delete --distinct-ids user_1 --plan-only --yes', 0);
    const split = { uuid: uuid(9), created: '2026-03-02T12:01:00Z', ids: ['phone_1'] };
    change([{ ...planned, ids: ['user_1'] }, split], '2026-03-02T12:02:00Z');
    expect(await hogctl('runs resume 2026 --yes', 2)).toMatchObject({ code: 0 });
    const { code, stdout } = await hogctl('runs verify last -o json', 3);
    expect([code, JSON.parse(stdout)]).toMatchObject([9, { others: 1, stores: ['person list', 'sql'] }]);
  });

  it('has come back if that was after the deletion, however old the survivor is', async () => {
    const { hogctl, change } = await startOf([planned]);
    await hogctl('persons bulk-delete --distinct-ids user_1 --yes', 0);
    change([survivor], '2026-03-02T12:05:00Z');
    const { code, stdout } = await hogctl('runs verify last -o json', 5);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { others: 0, came_back: 1, holds: true }]);
  });
});

describe('a plan that is older than 15 minutes', () => {
  const people = [1, 2, 3].map((number) => ({
    uuid: uuid(number),
    created: '2026-01-01T00:00:00Z',
    ids: [`user_${number}`],
  }));
  const plan = 'persons bulk-delete --distinct-ids user_1,user_2,user_3 --plan-only --yes';

  it('is carried out as it was planned if nothing changed', async () => {
    const { hogctl, sent } = await startOf(people);
    await hogctl(plan, 0);
    expect(await hogctl('runs resume 2026 --yes', 60)).toMatchObject({ code: 0 });
    expect(sent()).toEqual([uuid(1), uuid(2), uuid(3)]);
    expect(await hogctl('runs verify last', 61)).toMatchObject({ code: 0 });
  });

  it('sends nobody who is gone by then, or who signed up again under the same UUID', async () => {
    const { hogctl, sent, change } = await startOf(people);
    await hogctl(plan, 0);
    const again = { uuid: uuid(2), created: '2026-03-02T12:10:00Z', ids: ['user_2'] };
    change([...people.slice(2), again], '2026-03-02T13:00:00Z');
    const { code, stdout, stderr } = await hogctl('runs resume 2026 --yes -o json', 60);
    expect([code, sent()]).toEqual([8, [uuid(3)]]);
    expect(stderr).toContain('1 person was spared');
    expect(JSON.parse(stdout)).toMatchObject({ sent: 1, found: 1, deleted: 1, gone: 2, not_sent: 1 });
    const report = JSON.parse((await hogctl('runs report last -o json', 61)).stdout);
    const outcomes = report.members.list.map((one: { outcome: string }) => one.outcome);
    expect(outcomes).toEqual(['gone when looked up', 'spared', 'deleted']);
  });

  it('is looked into as well if the question stood for so long', async () => {
    const { hogctl, sent, change, clock } = await startOf(people);
    clock.afterLookUp = () => {
      clock.minute = 20;
      const other = { uuid: uuid(9), created: '2026-03-02T12:10:00Z', ids: ['user_1'] };
      change([other, ...people.slice(1)], '2026-03-02T12:20:00Z');
    };
    const line = 'persons bulk-delete --distinct-ids user_1,user_2,user_3 --yes';
    expect(await hogctl(line, 0)).toMatchObject({ code: 8 });
    expect(sent()).toEqual([uuid(2), uuid(3)]);
  });

  it('is about nobody else when an answer was lost and is asked for again', async () => {
    const { hogctl, sent, people: there, change, clock } = await startOf(people);
    await hogctl(plan, 0);
    const other = { uuid: uuid(9), created: '2026-03-02T12:10:00Z', ids: ['user_1'] };
    const split = { uuid: uuid(1), created: '2026-01-01T00:00:00Z', ids: ['phone_1'] };
    change([other, split, ...people.slice(1)], '2026-03-02T13:00:00Z');
    clock.failures = 1;
    expect(await hogctl('runs resume 2026 --yes --retries 0', 60)).toMatchObject({ code: 0 });
    const planned = [uuid(1), uuid(2), uuid(3)];
    expect(sent()).toEqual([...planned, ...planned]);
    expect(there()).toEqual([other]);
    expect(await hogctl('runs verify last', 61)).toMatchObject({ code: 9 });
  });

  it('requests no deletion of events that no call was about', async () => {
    const { hogctl, change, clock } = await startOf(people);
    const events = async (minute: number) => {
      const [row] = JSON.parse((await hogctl('runs list -o json', minute)).stdout);
      const report = JSON.parse((await hogctl('runs report last -o json', minute)).stdout);
      return [row.events, report.events.requested_at !== null, report.last_answered_at !== null];
    };
    await hogctl(`${plan} --delete-events --batch-size 2`, 0);
    expect(await events(1)).toEqual(['not requested', false, false]);
    change(people.slice(2), '2026-03-02T13:00:00Z');
    clock.refusals = 1;
    const { stderr } = await hogctl('runs resume 2026 --yes', 60);
    expect(stderr).not.toContain('was requested');
    expect(await events(61)).toEqual(['not requested', false, false]);
    await hogctl('runs resume 2026 --yes', 62);
    expect(await events(63)).toEqual(['partly requested', true, true]);
  });
});
