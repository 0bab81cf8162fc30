import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSandbox, PEOPLE } from '../../support/open-sandbox.ts';

const UUID = '00000000-0000-4000-8000-000000000001';

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

describe('the clock', () => {
  it('stands still and moves forward only', async () => {
    const { post } = await openSandbox();
    for (const to of ['2026-06-17T11:59:59Z', 'tomorrow', '2026-13-01']) {
      expect((await post('/_sandbox/advance/', { to })).status).toBe(400);
    }
    expect((await post('/_sandbox/advance/', { to: '2026-06-18T00:00:00+02:00' })).body.now).toBe(
      '2026-06-17T22:00:00Z',
    );
    expect((await post('/_sandbox/advance/')).body).toMatchObject({ code: 'required', attr: 'to' });
  });

  it('dates the answers', async () => {
    const { sandbox, post } = await openSandbox();
    const dateOf = async (path: string) => {
      const headers = { authorization: 'Bearer phx_everything' };
      return (await fetch(new URL(path, sandbox.origin), { headers })).headers.get('date');
    };
    expect(await dateOf('/api/projects/1/persons/')).toBe('Wed, 17 Jun 2026 12:00:00 GMT');
    await post('/_sandbox/advance/', { to: '2026-06-21T05:00:00.999Z' });
    expect(await dateOf('/api/projects/1/persons/1/')).toBe('Sun, 21 Jun 2026 05:00:00 GMT');
    expect(await dateOf('/nothing/')).toBe('Sun, 21 Jun 2026 05:00:00 GMT');
  });

  it('needs a key', async () => {
    const { call } = await openSandbox();
    expect((await call('POST', '/_sandbox/reset/', {}, null)).status).toBe(401);
  });
});

describe('a reset', () => {
  it('brings back the first content and the first clock, and numbers from the beginning', async () => {
    const { get, post, del } = await openSandbox();
    const before = (await get('persons/')).text;
    await post('persons/1/split/');
    await del('persons/2/?delete_events=true');
    await post('/_sandbox/advance/', { to: '2026-06-21T05:00:00Z' });
    expect((await post('/_sandbox/reset/')).body).toEqual({ now: '2026-06-17T12:00:00Z' });
    expect((await get('persons/')).text).toBe(before);
    expect((await get('persons/activity/')).body.total_count).toBe(0);
    await post('persons/1/split/');
    expect((await get('persons/?distinct_id=ana-phone')).body.results[0].id).toBe(4);
  });
});

describe('an import', () => {
  it('loads persons and events, digits and all, and gives waiting events to their persons', async () => {
    const directory = await makeDirectory();
    const { get, post } = await openSandbox();
    const events = join(directory, 'events.ndjson');
    const line = (distinctId: string) =>
      `{"event":"visit","distinct_id":"${distinctId}","timestamp":"2026-05-01T00:00:00.123456Z","properties":{}}`;
    await writeFile(events, `${line('zoe')}\n\n${line('ana')}\n`);
    expect((await post('/_sandbox/import/', { events })).body).toEqual({ persons: 0, events: 2 });
    const persons = join(directory, 'people.jsonl');
    await writeFile(persons, '{"distinct_ids":["zoe"],"properties":{"n":12345678901234567890,"r":1.0}}');
    expect((await post('/_sandbox/import/', { persons })).body).toEqual({ persons: 1, events: 0 });
    expect((await get('persons/?distinct_id=zoe')).text).toContain('{"n":12345678901234567890,"r":1.0}');
    const zoe = (await get('persons/4/properties_timeline/?date_from=2026-05-01')).body.points;
    expect(zoe).toMatchObject([{ timestamp: '2026-06-17T12:00:00Z', relevant_event_count: 1 }]);
    const ana = (await get('persons/1/properties_timeline/')).body.points;
    expect(ana[0].relevant_event_count).toBe(4);
  });

  it('reads CSV and Parquet with properties as JSON', async () => {
    const directory = await makeDirectory();
    const { get, post } = await openSandbox();
    const csv = join(directory, 'events.csv');
    await writeFile(
      csv,
      'event,distinct_id,timestamp,properties\nvisit,ana,2026-05-01 10:00:00,"{""total"": 1.0}"\nvisit,ben,2026-05-01T10:00:00Z,\n',
    );
    const parquet = join(directory, 'events.parquet');
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(
      `copy (select 'visit' as event, 'ana' as distinct_id, timestamp '2026-05-02 10:00:00.5' as timestamp) to '${parquet}'`,
    );
    connection.closeSync();
    instance.closeSync();
    expect((await post('/_sandbox/import/', { events: csv })).body).toEqual({ persons: 0, events: 2 });
    expect((await post('/_sandbox/import/', { events: parquet })).body).toEqual({ persons: 0, events: 1 });
    expect((await get('persons/1/properties_timeline/')).body.points[0].relevant_event_count).toBe(5);
  });

  it.each([
    [
      '{"distinct_ids":["zoe"]}\n{"distinct_ids":["ana"]}',
      'line 2 has the distinct id "ana", which is taken',
    ],
    ['{"distinct_ids":["zoe"]}\n{"distinct_ids":', 'persons, line 2 is not JSON'],
    ['{"distinct_ids":["zoe"]}\n{"properties":{}}', 'line 2 has no distinct_ids'],
    ['\n{"distinct_ids":["zoe"]}\r\n\n[]\n', 'line 4 is not an object'],
    ['{"distinct_ids":["zoe"],"id":2}', 'line 1 has the person id 2, which is taken'],
    [
      '{"distinct_ids":["zoe"],"id":7}\n{"distinct_ids":["yan"],"id":7}',
      'line 2 has the person id 7, which is taken',
    ],
    [
      `{"distinct_ids":["zoe"],"id":"${UUID}"}\n{"distinct_ids":[],"uuid":"${UUID}"}`,
      `line 2 has the UUID ${UUID}, which`,
    ],
    [`{"distinct_ids":["zoe"],"id":"${UUID}","uuid":"${UUID.replace('0', '1')}"}`, 'line 1 has two UUIDs'],
    [
      '{"distinct_ids":["zoe"],"id":"zoe"}',
      'line 1 has an id that is neither a whole number nor a UUID: zoe',
    ],
    ['{"distinct_ids":[]}', 'line 1 has no distinct_ids'],
  ])('loads nothing of a file with a wrong row', async (text, detail) => {
    const directory = await makeDirectory();
    const { get, post } = await openSandbox();
    const persons = join(directory, 'people.ndjson');
    await writeFile(persons, text);
    const refused = await post('/_sandbox/import/', { persons });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(detail);
    expect((await get('persons/')).body.count).toBe(3);
  });

  it('takes a path for what it is, never for a pattern', async () => {
    const directory = await makeDirectory();
    const names = ['p[1].ndjson', 'p1.ndjson', '*.ndjson', 'q?.ndjson', 'qx.ndjson', '[a-z].ndjson'];
    for (const name of names) {
      await writeFile(join(directory, name), JSON.stringify({ distinct_ids: [`from ${name}`] }));
    }
    const { get, post } = await openSandbox();
    for (const name of names) {
      const { body } = await post('/_sandbox/import/', { persons: join(directory, name) });
      expect(body, name).toEqual({ persons: 1, events: 0 });
      const found = await get(`persons/?distinct_id=${encodeURIComponent(`from ${name}`)}`);
      expect(found.body.count, name).toBe(1);
    }
    const missing = await post('/_sandbox/import/', { persons: join(directory, 'p[2].ndjson') });
    expect(missing.body.detail).toBe('The file cannot be read: no such file or directory');
  });

  it.runIf(process.platform !== 'win32')('reads regular files only and goes on answering', async () => {
    const directory = await makeDirectory();
    const { get, post } = await openSandbox();
    const pipe = join(directory, 'pipe.ndjson');
    execFileSync('mkfifo', [pipe]);
    const link = join(directory, 'zero.csv');
    await symlink('/dev/zero', link);
    const folder = join(directory, 'folder.json');
    await mkdir(folder);
    for (const persons of [pipe, link, folder]) {
      const { status, body } = await post('/_sandbox/import/', { persons });
      expect({ status, detail: body.detail }).toEqual({
        status: 400,
        detail: 'The file cannot be read: it is not a regular file',
      });
    }
    expect((await get('persons/')).body.count).toBe(3);
  });

  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  it.each([
    [
      'people.ndjson',
      `{"distinct_ids":["zoe"]}\n{"distinct_ids":["yan"],"properties":${deep(50_000)}}`,
      'line 2',
    ],
    ['people.json', `{"distinct_ids":["yan"],"properties":${deep(50_000)}}`, 'line 1'],
    [
      'people.json',
      `[{"distinct_ids":["zoe"]},{"distinct_ids":["yan"],"properties":${deep(50_000)}}]`,
      'the file',
    ],
    ['people.tsv', `distinct_ids\tproperties\n["yan"]\t${deep(50_000)}`, 'row 1'],
  ])('names the row of %s that is nested too deep', async (name, text, place) => {
    const file = join(await makeDirectory(), name);
    await writeFile(file, text);
    const { get, post } = await openSandbox();
    const { status, body } = await post('/_sandbox/import/', { persons: file });
    expect({ status, attr: body.attr }).toEqual({ status: 400, attr: 'persons' });
    expect(body.detail).toMatch(new RegExp(`^persons, ${place} .*deep|^persons, ${place} .*levels`));
    expect((await get('persons/')).body.count).toBe(3);
  });

  it.each([
    [{}, 'Give a file'],
    [{ events: '/nowhere/events.ndjson' }, 'The file cannot be read'],
    [{ events: '/nowhere/events.txt' }, 'must end in .ndjson'],
    [{ events: 'https://example.org/events.csv' }, 'Only files on this computer'],
  ])('refuses %j', async (body, detail) => {
    const { post } = await openSandbox();
    const refused = await post('/_sandbox/import/', body);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(detail);
  });
});

describe('a file', () => {
  it('keeps everything, the clock included, from one start to the next', async () => {
    const file = join(await makeDirectory(), 'shop.duckdb');
    const first = await openSandbox({ file });
    await first.del('persons/2/?delete_events=true');
    await first.patch('persons/1/', { properties: { plan: 'gold' } });
    await first.post('/_sandbox/advance/', { to: '2026-06-20T00:00:00Z' });
    const before = (await first.get('persons/')).text;
    await first.sandbox.stop();
    const second = await openSandbox({ file, data: undefined, now: undefined });
    expect((await second.get('persons/')).text.replaceAll(second.sandbox.origin, '')).toBe(
      before.replaceAll(first.sandbox.origin, ''),
    );
    expect((await second.get('persons/activity/')).body.total_count).toBe(2);
    const advanced = await second.post('/_sandbox/advance/', { to: '2026-06-21T05:00:00Z' });
    expect(advanced.body.event_deletions_completed).toBe(1);
    await second.post('/_sandbox/reset/');
    expect((await second.get('persons/')).body.count).toBe(3);
  });

  it('is used by one sandbox at a time, and only with the content it was made from', async () => {
    const file = join(await makeDirectory(), 'shop.duckdb');
    const first = await openSandbox({ file });
    await first.sandbox.stop();
    await expect(openSandbox({ file, data: 'empty' })).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('was made from other content'),
    });
    const again = await openSandbox({ file, data: PEOPLE, now: '2026-06-22T00:00:00Z' });
    expect((await again.post('/_sandbox/advance/', { to: '2026-06-21T00:00:00Z' })).status).toBe(400);
  });

  it('that is something else is refused and left alone', async () => {
    const directory = await makeDirectory();
    const text = join(directory, 'notes.txt');
    await writeFile(text, 'not a database');
    await expect(openSandbox({ file: text })).rejects.toMatchObject({ kind: 'usage' });
    const other = join(directory, 'other.duckdb');
    const instance = await DuckDBInstance.create(other);
    const connection = await instance.connect();
    await connection.run('create table t (a integer)');
    connection.closeSync();
    instance.closeSync();
    await expect(openSandbox({ file: other })).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('is not a sandbox'),
    });
  });
});
