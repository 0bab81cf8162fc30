import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';
import { people, person, startService, temporaryDirectory } from '../support/service.ts';
import { type Asked, asksFor, MOST, queriesIn, sqlOver } from '../support/sql-service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';

const listed = (total: number): StubAnswer & { readonly on: string; readonly times: number } => ({
  on: 'GET /api/projects/1/persons/',
  times: 9,
  json: { next: null, results: people(total).toReversed() },
});
const refused = (status: number, code: string) => ({
  on: 'POST /api/projects/1/query/',
  times: 9,
  status,
  json: { type: 'authentication_error', code, detail: 'no query:read' },
});

describe('an export of all persons', () => {
  it('gives the same rows through SQL and from the list', async () => {
    const service = await startService([listed(4), sqlOver(4)]);
    const query = await service.hogctl('persons export --via query -o ndjson');
    const list = await service.hogctl('persons export --via list -o ndjson');
    expect(query.stdout.split('\n').sort()).toEqual(list.stdout.split('\n').sort());
    expect(query.stdout.split('\n')[0]).toBe(
      '{"id":"00000000-0000-4000-8000-000000000001","distinct_ids":["user_1"],"created_at":"2026-01-02T03:04:05Z","properties":{"email":"user_1@example.org"}}',
    );
    expect(query.stderr).toBe('Reading persons through SQL, ordered by id.\n');
    expect(list.stderr).toBe('Reading persons from the list, newest first.\n');
  });

  it('goes on by key after a full page, never by offset', async () => {
    const service = await startService([sqlOver(MOST + 2)]);
    const { code, stdout } = await service.hogctl('persons export -o csv --columns id --no-headers');
    expect([code, stdout.split('\n').length]).toEqual([0, MOST + 3]);
    expect(stdout.slice(-37)).toBe(`${person(MOST + 2).uuid}\n`);
    const [middle, last] = [person(MOST).uuid, person(MOST + 2).uuid];
    const asked = queriesIn(service.log).map(({ query, values }) => [
      query.replace(' LIMIT 2500', ''),
      values,
    ]);
    const ids = 'SELECT person_id, groupArray(distinct_id) FROM person_distinct_ids';
    const range = 'WHERE person_id >= {from} AND person_id <= {last} GROUP BY person_id ORDER BY person_id';
    const all = 'SELECT id, properties, created_at FROM persons';
    expect(asked).toHaveLength(5);
    expect(asked).toEqual(
      // Two queries are on their way at a time, and either may arrive first.
      expect.arrayContaining([
        [`${all} ORDER BY id`, {}],
        [`${ids} ${range}`, { from: person(1).uuid, last: middle }],
        [`${all} WHERE id > {after} ORDER BY id`, { after: middle }],
        [`${ids} ${range}`, { from: person(MOST + 1).uuid, last }],
        [`${all} WHERE id > {after} ORDER BY id`, { after: last }],
      ]),
    );
  });

  it.each([403, 404, 400, 405, 501])(
    'takes the list where SQL is refused with %d, and says so',
    async (status) => {
      const service = await startService([refused(status, 'permission_denied'), listed(2)]);
      const { code, stdout, stderr } = await service.hogctl(
        'persons export -o csv --columns id --no-headers',
      );
      expect([code, stdout.split('\n').length]).toEqual([0, 3]);
      expect(stderr).toMatch(/^Cannot use SQL for this: .*\nReading persons from the list/);
      expect((await service.hogctl('persons export --via query')).code).not.toBe(0);
    },
  );

  it('does not try a wrong key twice', async () => {
    const service = await startService([refused(401, 'authentication_failed'), listed(2)]);
    expect((await service.hogctl('persons export -o csv')).code).toBe(4);
    expect(service.log).toHaveLength(1);
  });

  it('keeps digits that a number would lose', async () => {
    const row = [person(1).uuid, '{"n":12345678901234567890,"m":1}', '2026-01-02T03:04:05Z'];
    const service = await startService([
      { on: asksFor('FROM persons ORDER'), json: { results: [row] } },
      { on: asksFor('person_distinct_ids'), json: { results: [[person(1).uuid, ['b', 'a']]] } },
      { json: { results: [] } },
    ]);
    const { stdout } = await service.hogctl('persons export -o csv --columns properties,distinct_ids');
    expect(stdout).toContain('"{""n"":12345678901234567890,""m"":1}","[""a"",""b""]"');
  });

  it('is empty where there is nobody', async () => {
    const service = await startService([sqlOver(0)]);
    expect(await service.hogctl('persons export -o json')).toMatchObject({ code: 0, stdout: '[]\n' });
    const queries = service.log.filter(({ method }) => method === 'POST');
    expect(queries.every(({ body }) => body.includes('"refresh":"force_blocking"'))).toBe(true);
  });
});

describe('an export that is resumed', () => {
  const line = (folder: string, format = 'csv') =>
    ['persons', 'export', '-o', format, '--retries', '0', '--save', join(folder, 'out')].concat([
      '--resume',
      join(folder, 'state'),
    ]);

  it.each(['csv', 'ndjson'])(
    'holds every row once, as if nothing had happened: %s',
    async (format) => {
      const answer = sqlOver(MOST + 3);
      const whole = await startService([answer]);
      const { stdout } = await whole.hogctl(['persons', 'export', '-o', format]);
      const folder = temporaryDirectory();
      const service = await startService([{ on: asksFor('persons WHERE id >'), status: 503 }, answer]);
      expect((await service.hogctl(line(folder, format))).code).toBe(6);
      expect(existsSync(join(folder, 'out'))).toBe(false);
      // As after a crash in the middle of a write.
      appendFileSync(join(folder, 'out.part'), '"torn');
      const before = service.log.length;
      const again = await service.hogctl(line(folder, format));
      expect([again.code, again.stdout]).toEqual([0, '']);
      expect(again.stderr).toContain(`Continuing after ${MOST} persons.`);
      expect(readFileSync(join(folder, 'out'), 'utf8')).toBe(stdout);
      expect(queriesIn(service.log).at(before)?.values).toEqual({ after: person(MOST).uuid });
      expect(statSync(join(folder, 'out')).mode & 0o777).toBe(0o600);
    },
    60_000,
  );

  it('begins anew when it is complete, and replaces the file only when it is complete again', async () => {
    let total: number | undefined = 3;
    const service = await startService([
      (received) => (total === undefined ? { status: 503 } : sqlOver(total)(received)),
    ]);
    const folder = temporaryDirectory();
    const again = () => service.hogctl(line(folder, 'ndjson'));
    const rows = () => readFileSync(join(folder, 'out'), 'utf8').trimEnd().split('\n').length;
    expect([(await again()).code, rows()]).toEqual([0, 3]);
    total = undefined;
    expect([(await again()).code, rows()]).toEqual([6, 3]);
    total = 2;
    const { code, stderr } = await again();
    expect([code, rows(), existsSync(join(folder, 'out.part'))]).toEqual([0, 2, false]);
    expect(stderr).toContain(`The export to ${join(folder, 'out')} is complete, so a new one starts.`);
  });

  it('is refused when it is another one, and when the state is none', async () => {
    const service = await startService([sqlOver(2)]);
    const folder = temporaryDirectory();
    expect((await service.hogctl(line(folder))).code).toBe(0);
    const other = await service.hogctl(line(folder, 'ndjson'));
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('its format is csv, not ndjson')]);
    writeFileSync(join(folder, 'state'), '{"host":');
    expect((await service.hogctl(line(folder))).code).toBe(2);
  });

  it('writes a header where there is nobody', async () => {
    const [service, folder] = [await startService([sqlOver(0)]), temporaryDirectory()];
    expect((await service.hogctl(line(folder))).code).toBe(0);
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('id,distinct_ids,created_at,properties\n');
  });

  it.each([
    'persons export --resume state',
    'persons export --resume state --save out -o json',
    'persons export --resume state --save out',
    'persons export 42 --resume state',
    'persons export 42 --via list',
    'persons export --with-events',
    'persons export 42 -o csv',
    'persons export 42 -o table',
    'persons export 42 -o ndjson',
    'persons export 42 --columns id',
    'persons export --server-format csv',
  ])('is refused with what does not go with it: %s', async (words) => {
    const service = await startService([]);
    expect((await service.hogctl(words)).code).toBe(2);
    expect(service.log).toEqual([]);
  });
});

describe('an export of one person', () => {
  const about = (activity: StubAnswer) => [
    { on: 'GET /api/projects/1/persons/42/', times: 9, json: person(42) },
    { on: 'GET /api/projects/1/persons/cohorts/', times: 9, json: { results: [{ id: 1, name: 'Paying' }] } },
    { on: 'GET /api/projects/1/persons/42/activity/', times: 9, ...activity },
  ];
  const entry = { json: { next: null, results: [{ activity: 'updated' }] } };
  const event = (id: number) => [
    `e${String(id).padStart(6, '0')}`,
    'visit',
    '2026-01-01T00:00:00Z',
    'user_42',
    '{"n":1.0}',
  ];

  it('is one document, its events in the order of time and read by key', async () => {
    const all = Array.from({ length: MOST + 1 }, (_, index) => event(index));
    const events = ({ json }: Received): StubAnswer => {
      const { last = '' } = (json as Asked).query.values;
      return { json: { results: all.filter(([uuid = '']) => uuid > last).slice(0, MOST) } };
    };
    const service = await startService([...about(entry), events]);
    const { code, stdout, stderr } = await service.hogctl('persons export 42 --with-events');
    const document = JSON.parse(stdout);
    expect([code, stderr]).toEqual([0, '']);
    expect(Object.keys(document)).toEqual([
      'exported_at',
      'host',
      'project',
      'person',
      'cohorts',
      'activity',
      'missing',
      'events',
    ]);
    expect(document).toMatchObject({ person: person(42), activity: [{ activity: 'updated' }], missing: [] });
    expect(document.events).toHaveLength(MOST + 1);
    expect(document.events.at(-1)).toMatchObject({ uuid: 'e002500', distinct_id: 'user_42' });
    expect(queriesIn(service.log).map(({ values }) => values)).toEqual([
      { person: person(42).uuid },
      { person: person(42).uuid, time: '2026-01-01T00:00:00Z', last: 'e002499' },
    ]);
  }, 60_000);

  it('names what the key may not read', async () => {
    const service = await startService(
      about({ status: 403, json: { code: 'permission_denied', detail: 'no scope' } }),
    );
    const { code, stdout, stderr } = await service.hogctl('persons export 42');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      activity: null,
      missing: [expect.stringMatching(/^activity: /)],
    });
    expect(stderr).toMatch(/^warning: not in this export: activity: /);
  });

  it('prints nothing where the events that were asked for are not to be had', async () => {
    const service = await startService([...about(entry), refused(403, 'permission_denied')]);
    const { code, stdout } = await service.hogctl('persons export 42 --with-events');
    expect([code, stdout]).toEqual([4, '']);
  });

  it('is a folder of tables, readable by its owner only', async () => {
    const folder = join(temporaryDirectory(), 'ana');
    const service = await startService([...about(entry), { json: { results: [event(1)] } }]);
    const { code } = await service.hogctl([
      'persons',
      'export',
      '42',
      '--with-events',
      '-o',
      'csv',
      '--save',
      folder,
    ]);
    expect(code).toBe(0);
    expect(readdirSync(folder)).toEqual([
      'activity.csv',
      'cohorts.csv',
      'distinct-ids.csv',
      'events.csv',
      'person.csv',
    ]);
    expect(readFileSync(join(folder, 'events.csv'), 'utf8')).toBe(
      'uuid,event,timestamp,distinct_id,properties\ne000001,visit,2026-01-01T00:00:00Z,user_42,"{""n"":1}"\n',
    );
    expect(readFileSync(join(folder, 'distinct-ids.csv'), 'utf8')).toBe('distinct_id\nuser_42\n');
    expect(statSync(join(folder, 'person.csv')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('gives a table without rows its header', async () => {
    const folder = join(temporaryDirectory(), 'ana');
    const service = await startService([
      { on: 'GET /api/projects/1/persons/cohorts/', times: 9, json: { results: [] } },
      ...about({ json: { next: null, results: [] } }),
    ]);
    const { code } = await service.hogctl(['persons', 'export', '42', '-o', 'csv', '--save', folder]);
    expect(code).toBe(0);
    const text = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(text('activity.csv')).toBe('id,user,activity,scope,item_id,created_at,detail\n');
    expect(text('cohorts.csv')).toBe('id,name\n');
  });
});

describe.each(['specification', 'live'] as const)('exports of the sandbox, %s', (dialect) => {
  let sandbox: Awaited<ReturnType<typeof borrowSandbox>>;
  beforeAll(async () => {
    sandbox = await borrowSandbox({ dialect, now: '2026-06-18T12:00:00Z' });
  });
  afterAll(() => sandbox.stop());
  const hogctl = (line: string | readonly string[]) =>
    runProgram(typeof line === 'string' ? line.split(' ') : line, {
      environment: sandboxEnvironment(sandbox, dialect),
    });

  // `3.0` and `3` are one number, and which of them a page shows depends on the rows beside it.
  const rowsOf = (stdout: string) =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .sort((left, right) => (left.id < right.id ? -1 : 1));

  it('hold everybody, whichever way is chosen', async () => {
    const list = rowsOf((await hogctl('persons export --via list -o ndjson')).stdout);
    const chosen = rowsOf((await hogctl('persons export -o ndjson')).stdout);
    expect(list).toHaveLength(1000);
    expect(chosen).toEqual(list);
  });

  it('hold everybody in the order of their ids, and all events of one person, through SQL', async (context) => {
    const { code, stdout } = await hogctl('persons export --via query -o ndjson');
    if (code === 5) context.skip('the sandbox has no table of distinct ids');
    const list = rowsOf((await hogctl('persons export --via list -o ndjson')).stdout);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(list);
    const one = JSON.parse((await hogctl('persons export 1 --with-events')).stdout);
    const sql = 'select count() from events where person_id = {id}';
    const counted = await hogctl([
      'query',
      sql,
      '--value',
      `id=${one.person.uuid}`,
      '-o',
      'csv',
      '--no-headers',
    ]);
    expect(one.events).toHaveLength(Number(counted.stdout));
    expect(new Set(one.events.map(({ uuid }: { uuid: string }) => uuid)).size).toBe(one.events.length);
  });

  it('hold one person whole', async () => {
    const { code, stdout } = await hogctl('persons export 1');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ person: { id: 1 }, missing: [] });
    expect(JSON.parse(stdout).cohorts.length).toBeGreaterThan(0);
  });
});
