import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { summary, uuid } from '../support/bulk-deletions.ts';
import { isLookUpOfMany, minuteText, nothingShown, startStores } from '../support/changing-stores.ts';
import { temporaryDirectory } from '../support/service.ts';
import { known } from '../support/two-stores.ts';

const dialects = ['live', 'specification'] as const;
const month = 30 * 24 * 60;
const plan = 'persons bulk-delete --distinct-ids user_1 --plan-only --yes';
const resume = 'runs resume 2026 --yes';
const lost = () => ({ reset: 'before' as const });

/** Person 1, who signed up again and got the same UUID. */
const again = (minute: number) => known(1, undefined, { id: 71, created_at: minuteText(minute) });

describe('an answer about many that shows somebody else', () => {
  const tens = (number: number) => Array.from({ length: 9 }, (_, at) => `device_${number}_${at}`);
  const withTen = (number: number) =>
    known(number, undefined, { distinct_ids: [`user_${number}`, ...tens(number)] });

  it('sends nobody if it is one of 502 persons with ten distinct ids each, and SQL is refused', {
    timeout: 60_000,
  }, async () => {
    const listed = Array.from({ length: 502 }, (_, at) => withTen(at + 1));
    const other = withTen(900);
    const wrong = { user_502: other };
    const { hogctl, sent } = await startStores({
      listed: [...listed, other],
      lookUp: ({ url, body }) => {
        if (!url.includes('batch_by_distinct_ids') || !body.includes('"user_502"')) return undefined;
        const ids = [...body.matchAll(/"user_(\d+)"/g)].map(([, number]) => Number(number));
        const own = ids.map((number) => [`user_${number}`, withTen(number)] as const);
        return { json: { results: { ...Object.fromEntries(own), ...wrong } } };
      },
    });
    const list = join(temporaryDirectory(), 'list.txt');
    writeFileSync(list, listed.map(({ distinct_ids: [id] }) => `${id}\n`).join(''));
    const { code, stderr } = await hogctl(`persons bulk-delete --from ${list} --as distinct-ids --yes`, 0);
    expect([code, sent()]).toEqual([5, []]);
    expect(stderr).toContain('a person who does not have the distinct id');
  });

  it('sends nobody if it leaves out the distinct ids', async () => {
    const { distinct_ids: _, ...other } = known(2);
    const { hogctl, sent } = await startStores({
      listed: [known(1), known(2)],
      lookUp: ({ url }) =>
        url.includes('batch_by_distinct_ids') ? { json: { results: { user_1: other } } } : undefined,
    });
    const { code, stderr } = await hogctl('persons bulk-delete --distinct-ids user_1 --yes', 0);
    expect([code, sent()]).toEqual([5, []]);
    expect(stderr).toContain('a person who does not have the distinct id');
  });
});

describe.each(dialects)('somebody who changed between plan and call, %s dialect', (dialect) => {
  it('is spared if somebody excepted was merged into them', async () => {
    const [named, held] = [known(1), known(2)];
    const { hogctl, sent, stores, owed, verify } = await startStores({ listed: [named, held] }, dialect);
    const hold = join(temporaryDirectory(), 'hold.txt');
    writeFileSync(hold, 'user_2\n');
    expect(await hogctl(`${plan} --except ${hold} --except-as distinct-ids`, 0)).toMatchObject({ code: 0 });
    const merged = { ...named, distinct_ids: ['user_1', 'user_2'] };
    stores.listed = [merged];
    const { code, stderr } = await hogctl(resume, 60);
    expect([code, sent(), stores.listed]).toEqual([8, [], [merged]]);
    expect(stderr).toContain('1 person of this run is now excepted: not sent, and still owed');
    expect(stderr).toContain('with these ids and exceptions plans them again');
    expect(await owed(61)).toBe('persons');
    const verified = await verify(62);
    expect(verified).toMatchObject({ code: 9, record: { left: 1, holds: false } });
    expect(verified.stderr).toContain('with these ids and exceptions plans them again');
  });

  it('is spared if they signed up again under the same UUID, also if no answer has a date', async () => {
    const { hogctl, sent, stores, owed } = await startStores({ listed: [known(1)], hasDate: false }, dialect);
    expect(await hogctl(plan, 0)).toMatchObject({ code: 0 });
    stores.listed = [again(5)];
    const { code, stderr } = await hogctl(resume, month);
    expect([code, sent(), stores.listed]).toEqual([8, [], [again(5)]]);
    expect(stderr).toContain('1 person was spared');
    expect(await owed(month + 1)).toBe('persons');
  });

  it('is spared if they did, and were merged with somebody who had come before the plan', async () => {
    const { hogctl, sent, stores, owed } = await startStores({ listed: [known(1)] }, dialect);
    expect(await hogctl(plan, 0)).toMatchObject({ code: 0 });
    const created_at = '2025-06-01T00:00:00Z';
    const merged = { ...again(5), created_at, distinct_ids: ['user_1', 'older_5'] };
    stores.listed = [merged];
    const { code, stderr } = await hogctl(resume, 60);
    expect([code, sent(), stores.listed]).toEqual([8, [], [merged]]);
    expect(stderr).toContain('1 person was spared');
    expect(await owed(61)).toBe('persons');
  });

  it('is spared if they signed up again after a call that ran, whose answer was lost', async () => {
    const { hogctl, sent, stores, remove, owed } = await startStores({ listed: [known(1)] }, dialect);
    stores.answers.push((received) => {
      stores.lookUp = () => ({ status: 503 });
      return { ...remove(received), reset: 'after' };
    });
    const line = 'persons bulk-delete --distinct-ids user_1 --yes --retries 0';
    expect((await hogctl(line, 0)).code).not.toBe(0);
    expect([sent().length, stores.listed]).toEqual([1, []]);
    Object.assign(stores, { lookUp: undefined, listed: [again(5)] });
    const { code, stderr } = await hogctl(resume, 10);
    expect([code, sent().length, stores.listed]).toEqual([8, 1, [again(5)]]);
    expect(stderr).toContain('1 person was spared');
    expect(await owed(11)).toBe('persons');
  });
});

describe('persons of whom no answer tells what became of them', () => {
  const both = 'persons bulk-delete --distinct-ids user_1,user_2 --yes --retries 0';
  const named = (errors: readonly string[]) => errors.map((step) => ({ person_uuid: uuid(1), step }));
  const twoSteps = summary({ found: 2, deleted: 0, errors: named(['postgres', 'clickhouse']) });

  it('are sent once more beside one who failed in two steps', async () => {
    const { hogctl, sent, stores, verify } = await startStores({ listed: [known(1), known(2)] });
    stores.answers.push(() => ({ status: 202, json: twoSteps }));
    expect(await hogctl(both, 0)).toMatchObject({ code: 0 });
    expect([sent().at(-1), stores.listed]).toEqual([[uuid(1), uuid(2)], []]);
    expect(await verify(1)).toMatchObject({ code: 0 });
  });

  it('are owed if only the one who failed in two steps is deleted then', async () => {
    const { hogctl, stores, owed } = await startStores({ listed: [known(1), known(2)] });
    stores.answers.push(
      () => ({ status: 202, json: twoSteps }),
      () => {
        stores.listed = [known(2)];
        return { status: 202, json: summary({ found: 1, deleted: 1 }) };
      },
    );
    expect(await hogctl(both, 0)).toMatchObject({ code: 8 });
    expect(await owed(1)).toBe('persons');
    const { stderr } = await hogctl('runs prune --older-than 0 --yes', 2);
    expect(stderr).toContain('keeps its ids, since it owes something');
    expect(await hogctl(resume, 3)).toMatchObject({ code: 0 });
    expect(stores.listed).toEqual([]);
  });

  it.each(['', ' --ignore-missing'])('are owed if they were merged after the look-up%s', async (more) => {
    const { hogctl, stores, remove, owed } = await startStores({ listed: [known(1)] });
    const survivor = known(9, undefined, { distinct_ids: ['user_9', 'user_1'] });
    stores.answers.push((received) => {
      stores.listed = [survivor];
      return remove(received);
    });
    const { code, stderr } = await hogctl(`persons bulk-delete --distinct-ids user_1 --yes${more}`, 0);
    expect([code, stores.listed]).toEqual([8, [survivor]]);
    expect(stderr).not.toContain('right kind');
    expect(await owed(1)).toBe('persons');
  });

  it('are owed if a call fails, the next answer is lost, and the one after that finds nobody', async () => {
    const { hogctl, stores, owed, verify } = await startStores({ listed: [known(1)] });
    const none = () => ({ status: 202, json: summary({ found: 0, deleted: 0 }) });
    const failed = summary({ found: 1, deleted: 0, errors: named(['postgres']) });
    stores.answers.push(() => ({ status: 202, json: failed }), lost, none, none);
    const line = 'persons bulk-delete --distinct-ids user_1 --yes --retries 0';
    expect(await hogctl(line, 0)).toMatchObject({ code: 8 });
    expect(await hogctl(`${resume} --retries 0`, 20)).toMatchObject({ code: 8 });
    expect(await owed(21)).toBe('persons');
    expect(await verify(22)).toMatchObject({ code: 9, record: { left: 1 } });
  });
});

describe.each(dialects)(
  'a look-up that shows nobody, after a call that did not run, %s dialect',
  (dialect) => {
    it('neither settles nor sends them, since nobody else is in it', async () => {
      const { hogctl, sent, stores, owed, verify } = await startStores({ listed: [known(1)] }, dialect);
      stores.answers.push(lost, lost);
      const line = 'persons bulk-delete --distinct-ids user_1 --yes --retries 0';
      expect(await hogctl(line, 0)).toMatchObject({ code: 8 });
      const before = sent().length;
      stores.lookUp = dialect === 'live' ? onlyMany : nothingShown;
      const { code, stderr } = await hogctl(resume, 20);
      expect([code, sent().length]).toEqual([8, before]);
      expect(stderr).not.toContain('gone');
      stores.lookUp = undefined;
      expect(await owed(21)).toBe('persons');
      expect(await verify(22)).toMatchObject({ code: 9, record: { left: 1, holds: false } });
    });
  },
);

/** The list goes on showing people, and the look-up of many shows nobody. */
const onlyMany: typeof nothingShown = (received) =>
  isLookUpOfMany(received) ? { json: { results: {} } } : undefined;

describe('an id of which the person list and SQL say different things', () => {
  it('is in doubt and never proven if only SQL shows somebody behind it', async () => {
    const [one, other] = [known(1), known(2)];
    const { hogctl, sent, stores, owed } = await startStores({ listed: [one], queried: [one, other] });
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'list.txt'), 'user_1\nuser_2\n');
    const list = `--from ${join(folder, 'list.txt')} --as distinct-ids --receipt ${join(folder, 'answer.csv')}`;
    const { code, stderr } = await hogctl(`persons bulk-delete ${list} --yes`, 0);
    expect([code, sent()]).toEqual([8, [[uuid(1)]]]);
    expect(stderr).toContain('1 id is in doubt');
    expect(await owed(1)).toBe('persons');
    stores.listed = [other];
    const verified = await hogctl(`runs verify last ${list} --force -o json`, 2);
    expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([9, { holds: false }]);
    expect(verified.stderr).toContain('bulk-delete --new-run with these ids plans them again');
    const receipt = readFileSync(join(folder, 'answer.csv'), 'utf8').trim().split('\n');
    expect(receipt.slice(1)).toEqual([
      `user_1,1,deleted,${uuid(1)},,person list and sql`,
      'user_2,2,in doubt,,,no',
    ]);
  });

  it('leads to the survivor of a merge that SQL does not show yet, also among 502', {
    timeout: 60_000,
  }, async () => {
    const [first, merged] = [known(1), known(2)];
    const survivor = known(9, undefined, { distinct_ids: ['user_9', 'user_2'] });
    const { hogctl, sent, stores, owed, verify } = await startStores(
      { listed: [first, survivor], queried: [first, merged, known(9)] },
      'specification',
    );
    const list = join(temporaryDirectory(), 'list.txt');
    const ids = ['user_1', 'user_2', ...Array.from({ length: 500 }, (_, at) => `nobody_${at}`)];
    writeFileSync(list, ids.map((id) => `${id}\n`).join(''));
    const { code, stderr } = await hogctl(`persons bulk-delete --from ${list} --as distinct-ids --yes`, 0);
    expect([code, sent(), stores.listed], stderr).toEqual([0, [['1', '9']], []]);
    expect(await owed(1)).toBe('persons');
    stores.queried = [merged];
    expect(await verify(2)).toMatchObject({ code: 9, record: { others: 1 } });
    stores.queried = [];
    expect(await verify(3)).toMatchObject({ code: 0, record: { holds: true } });
  });
});
