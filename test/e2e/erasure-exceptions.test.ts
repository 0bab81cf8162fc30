import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf } from '../support/bulk-deletions.ts';
import { person, queryOf, startService, temporaryDirectory } from '../support/service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';

/** Their UUIDs are told in capital letters, as some services do. */
const PEOPLE = [1, 2, 3].map((id) => ({
  ...person(id),
  uuid: person(id).uuid.replace('00000000', 'ABCDEF00'),
  distinct_ids: [`user_${id}`, `device_${id}`],
  properties: { email: `user_${id}@example.org`, plan: 'x' },
}));

/** Three persons with two distinct ids each, listed and looked up one by one. */
function answer(received: Received): StubAnswer {
  const { url, json } = received;
  if (url.includes('/bulk_delete/')) return allDeleted({ json });
  if (url.includes('/query/')) return { status: 403, json: { code: 'permission_denied', detail: 'no' } };
  const [, id] = /\/persons\/([^/?]+)\//.exec(url) ?? [];
  const byId = PEOPLE.find((one) => String(one.id) === id || one.uuid.toLowerCase() === id?.toLowerCase());
  if (id !== undefined) return byId ? { json: byId } : { status: 404, json: { code: 'not_found' } };
  const asked = queryOf(received);
  const [distinctId, email, search] = ['distinct_id', 'email', 'search'].map((name) => asked.get(name));
  const results = PEOPLE.filter(
    ({ distinct_ids: ids, properties }) =>
      (!distinctId || ids.includes(distinctId)) &&
      (!email || properties.email === email) &&
      (!search || properties.email.includes(search.toLowerCase())),
  );
  return { json: { count: 99, next: null, results } };
}

async function start(held: string) {
  const service = await startService([answer]);
  const except = join(temporaryDirectory(), 'hold.csv');
  writeFileSync(except, held);
  const deleted = () => service.log.filter(({ url }) => url.includes('/bulk_delete/')).flatMap(idsOf);
  return { ...service, except, deleted };
}

describe('people on legal hold', () => {
  it.each([
    ['another distinct id', 'distinct-ids', 'user_1\nuser_2\n', 'device_2\n', ['1']],
    [
      'an address in another case',
      'emails',
      'user_1@example.org\nuser_2@example.org\n',
      'USER_2@example.org\n',
      ['1'],
    ],
    ['their integer', 'ids', `${PEOPLE[0]?.uuid}\n${PEOPLE[1]?.uuid}\n`, '2\n', ['1']],
  ])('are spared, whatever leads to them: %s', async (_, kind, asked, held, sent) => {
    const { hogctl, deleted, except } = await start(held);
    const line = `persons bulk-delete --from - --as ${kind} --except ${except} --yes`;
    const { code, stderr } = await hogctl(line, { stdin: asked });
    expect([code, deleted()]).toEqual([0, sent]);
    expect(stderr).toContain('1 person excepted\n');
    expect(stderr).toMatch(/^1 line: .*, 1 excepted$|^1 id of excepted persons, not sent$|, 1 excepted$/m);
  });

  it('are spared in a selection', async () => {
    const { hogctl, deleted, except } = await start('user_2\nnobody\n');
    const line = `persons bulk-delete --property plan:exact=x --max 9 --except ${except} --except-as distinct-ids --yes`;
    const { code, stderr } = await hogctl(line);
    expect([code, deleted()]).toEqual([0, ['1', '3']]);
    expect(stderr).toContain('line 2: no person has this id\n');
  });

  it('stand in the rows of a dry run and in the receipt', async () => {
    const { hogctl, deleted, except } = await start('device_2\n');
    const line = `persons bulk-delete --from - --as distinct-ids --except ${except}`;
    const stdin = 'user_1\nuser_2\nnobody\n';
    const { code, stdout } = await hogctl(`${line} --dry-run -o csv`, { stdin });
    expect([code, deleted()]).toEqual([0, []]);
    expect(stdout.trim().split('\n')).toEqual([
      'line,given,kind,outcome,person,name',
      `1,user_1,distinct-ids,found,${PEOPLE[0]?.uuid},person 1`,
      `2,user_2,distinct-ids,excepted,${PEOPLE[1]?.uuid},person 2`,
      '3,nobody,distinct-ids,nobody,,',
    ]);
    const sent = await hogctl(`${line} --receipt ${except}.receipt --yes`, { stdin });
    expect(sent.code).toBe(0);
    expect(readFileSync(`${except}.receipt`, 'utf8')).toContain('user_2,2,excepted,,\n');
    const later = `runs resume 2026 --yes --from - --as distinct-ids --receipt ${except}.later`;
    expect(await hogctl(later, { stdin })).toMatchObject({ code: 0 });
    expect(readFileSync(`${except}.later`, 'utf8')).toContain('user_2,2,excepted,,\n');
  });

  it('can be everybody, and then nothing is sent', async () => {
    const { hogctl, deleted, except } = await start('user_1\n');
    const line = `persons bulk-delete --distinct-ids device_1 --except ${except} --except-as distinct-ids --yes`;
    const { code, stderr } = await hogctl(line);
    expect([code, deleted()]).toEqual([0, []]);
    expect(stderr).toContain('all persons are excepted; nothing was sent');
    const dry = await hogctl(`${line} --dry-run -o csv`);
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining(',device_1,distinct-ids,excepted,')]);
  });

  it('can be everybody of a list, which is answered, and whose odd lines are told', async () => {
    const { hogctl, deleted, except } = await start('user_1\n');
    const line = `persons bulk-delete --from - --except ${except} --as distinct-ids --odd skip`;
    const stdin = 'device_1\nnull\n';
    expect(await hogctl(`${line} --dry-run`, { stdin })).toMatchObject({ code: 8 });
    const { code } = await hogctl(`${line} --receipt ${except}.receipt --yes`, { stdin });
    expect([code, deleted()]).toEqual([8, []]);
    expect(readFileSync(`${except}.receipt`, 'utf8')).toMatch(
      /^given,line,outcome,person,remark\ndevice_1,1,excepted,,\nnull,2,odd,,.*null"\n$/,
    );
  });

  it.each([['', '--except needs --except-as']])('are never guessed: %s', async (more, text) => {
    const { hogctl, log, except } = await start('user_1\n');
    const { code, stderr } = await hogctl(
      `persons bulk-delete --distinct-ids user_1 --except ${except} --yes ${more}`,
    );
    expect([code, log]).toEqual([2, []]);
    expect(stderr).toContain(text);
  });

  it.each([
    ['in which a line is damaged', '\u200buser_1@example.org\n', '', 'a damaged line spares no person'],
    ['in which nothing stands', '', '', 'hold.csv holds no addresses'],
    ['in which only a heading stands', 'email\n', '', 'hold.csv holds no addresses'],
    ['in which a line is damaged, beside --odd skip', '#N/A\n', '--odd skip', 'spares no person'],
    ['in which a line is damaged, beside --odd send', '#N/A\n', '--odd send', 'spares no person'],
  ])('are never left out by a file %s', async (_, held, more, text) => {
    const { hogctl, log, except } = await start(held);
    const line = `persons bulk-delete --emails user_1@example.org --except ${except} --except-as emails --yes ${more}`;
    const { code, stderr } = await hogctl(line);
    expect([code, log.filter(({ url }) => url.includes('bulk_delete'))]).toEqual([2, []]);
    expect(stderr).toContain(text);
  });
});
