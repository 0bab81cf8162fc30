import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, numbered, uuid } from '../support/bulk-deletions.ts';
import { queryOf, startService } from '../support/service.ts';
import { answerFrom, known } from '../support/two-stores.ts';

const live = { HOGCTL_DIALECT: 'live' };

const bystander = known(999, undefined, { distinct_ids: ['somebody-else'] });

/** A live service without a look-up of many ids, whose list knows these persons, and whose SQL those others. */
async function start({ listed, queried }: { listed: readonly number[]; queried?: readonly number[] }) {
  const withBystander = (numbers: readonly number[]) => [
    ...numbers.map((number) => known(number)),
    bystander,
  ];
  const answer = answerFrom({ listed: withBystander(listed), queried: queried && withBystander(queried) });
  const service = await startService([
    (received) => {
      if (received.url.includes('/batch_by_')) return { status: 404, json: { detail: 'Not found.' } };
      return received.url.includes('/bulk_delete/') ? allDeleted(received) : answer(received);
    },
  ]);
  const erase = (words: string, stdin: readonly string[] = []) =>
    service.hogctl(`persons bulk-delete ${words} --yes`, { environment: live, stdin: stdin.join('\n') });
  const sent = () => service.log.filter(({ url }) => url.includes('/bulk_delete/')).flatMap(idsOf);
  return { ...service, erase, sent };
}

describe('a live service that has no look-up of many ids', () => {
  it.each([
    ['--distinct-ids', 'user_1,user_2'],
    ['--ids', `1,${uuid(2)}`],
  ])('is asked one by one, and sent UUIDs: %s', async (option, ids) => {
    const { erase, sent } = await start({ listed: [1, 2] });
    const { code, stderr } = await erase(`${option} ${ids}`);
    expect([code, sent()], stderr).toEqual([0, [uuid(1), uuid(2)]]);
  });

  it('is asked one by one by runs verify, and before an old plan is carried out', async () => {
    const { hogctl, erase, sent } = await start({ listed: [1, 2] });
    expect(await erase('--distinct-ids user_1,user_2 --plan-only')).toMatchObject({ code: 0 });
    const later = { environment: live, now: () => Date.UTC(2026, 2, 2, 18) };
    expect(await hogctl('runs resume 2026 --yes', later)).toMatchObject({ code: 0 });
    expect(sent()).toEqual([uuid(1), uuid(2)]);
    // This service keeps them.
    const { code, stderr } = await hogctl('runs verify last', later);
    expect([code, stderr]).toEqual([9, expect.stringContaining('2 persons still there')]);
  });

  it('is asked one by one about any number, which is said, and only whom it shows is sent', async () => {
    const { erase, sent } = await start({ listed: [1], queried: [2, 501] });
    const distinct = await erase('--from - --as distinct-ids', [
      ...numbered(499, 'gone_'),
      'user_1',
      'user_2',
    ]);
    expect([distinct.code, sent()], distinct.stderr).toEqual([8, [uuid(1)]]);
    expect(distinct.stderr).toContain('has no look-up of many ids, so each takes a request.');
    expect(distinct.stderr).toContain('1 id is in doubt');
    const ids = Array.from({ length: 501 }, (_, at) => uuid(at + 1));
    const { code, stdout } = await erase('--from - --as ids -o json', ids);
    expect([code, sent().slice(1)]).toEqual([8, [uuid(1)]]);
    expect(JSON.parse(stdout)).toMatchObject({ nobody: 498, doubtful: 2 });
  });

  it('is no reason to delete if its look-up fails in another way', async () => {
    const { erase, sent } = await start({ listed: [1], queried: [] });
    const service = await startService([{ on: /batch_by_/, times: 9, status: 503 }]);
    const failed = await service.hogctl('persons bulk-delete --distinct-ids user_1 --yes --retries 0', {
      environment: live,
    });
    expect([failed.code, service.log.length]).toEqual([6, 1]);
    expect(await erase('--distinct-ids user_9')).toMatchObject({ code: 3 });
    expect(sent()).toEqual([]);
  });
});

it('an id that SQL shows with whom it no longer belongs to deletes only whom the person list shows', async () => {
  const [split, gone] = [
    known(2, undefined, { distinct_ids: ['other'] }),
    known(4, undefined, { distinct_ids: ['x'] }),
  ];
  const listed = [
    bystander,
    known(1),
    split,
    known(3, undefined, { distinct_ids: ['user_2', 'user_3'] }),
    gone,
  ];
  const answer = answerFrom({ listed, queried: [known(1), known(2), known(4)] });
  const service = await startService([
    (received) => (received.url.includes('bulk_delete') ? allDeleted(received) : answer(received)),
  ]);
  const stdin = [...numbered(498, 'gone_'), 'user_1', 'user_2', 'user_4'].join('\n');
  const line = 'persons bulk-delete --from - --as distinct-ids --yes';
  const { code, stderr } = await service.hogctl(line, { stdin });
  const sent = service.log.filter(({ url }) => url.includes('bulk_delete')).flatMap(idsOf);
  expect([code, sent.toSorted()], stderr).toEqual([8, ['1', '3']]);
  expect(stderr).toContain('1 id is in doubt');
});

it('a live service that has no look-up of many ids is asked about all ids of everybody, as SQL is', async () => {
  let people = [1, 2].map((number) =>
    known(number, undefined, { distinct_ids: [`user_${number}`, `x_${number}`] }),
  );
  const service = await startService([
    (received) => {
      if (received.url.includes('/batch_by_')) return { status: 404, json: { detail: 'Not found.' } };
      const there = [...people, bystander];
      const answer = answerFrom({ listed: there, queried: there })(received);
      if (!received.url.includes('/bulk_delete/')) return answer;
      people = [];
      return allDeleted(received);
    },
  ]);
  const line = 'persons bulk-delete --distinct-ids user_1,user_2 --yes';
  expect(await service.hogctl(line, { environment: live })).toMatchObject({ code: 0 });
  const before = service.log.length;
  const { code, stderr } = await service.hogctl('runs verify last', { environment: live });
  expect(code, stderr).toBe(0);
  const asked = service.log.slice(before).filter(({ method }) => method === 'GET');
  const ids = asked.map((received) => queryOf(received).get('distinct_id'));
  expect(ids).toEqual(expect.arrayContaining(['user_1', 'user_2', 'x_1', 'x_2']));
  for (const number of [1, 2]) expect(asked.some(({ url }) => url.endsWith(`/${uuid(number)}/`))).toBe(true);
});
