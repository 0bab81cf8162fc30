import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, numbered, summary, uuid } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { nobodyThere, startWithoutSql, startWithPeople, temporaryDirectory } from '../support/service.ts';

const path = '/api/projects/1/persons/bulk_delete/';
const bom = '\ufeff';

function fileOf(text: string | Uint8Array, name = 'ids.csv'): string {
  const file = join(temporaryDirectory(), name);
  writeFileSync(file, text);
  return file;
}

describe('ids that look like numbers stay text', () => {
  const rows = ['0010', '"0010"', '12345678901234567890', '1e5', '0x1F', '+4512345678'];
  const right = ['0010', '12345678901234567890', '1e5', '0x1F', '+4512345678'];

  it.each([
    ['with other columns', ['distinct_id,note', ...rows.map((row) => `${row},x`)], ' --column distinct_id'],
    ['alone', ['distinct_id', ...rows], ' --column distinct_id'],
    ['alone, without --column', ['distinct_id', ...rows], ''],
  ])('in a CSV whose ids stand %s', async (_, lines, more) => {
    const service = await startWithPeople([allDeleted]);
    const file = fileOf(`${lines.join('\n')}\n`);
    const { code } = await service.hogctl(
      `persons bulk-delete --from ${file} --as distinct-ids${more} --yes`,
    );
    expect(code).toBe(0);
    expect(service.lookedUp).toEqual(new Set(right));
    expect(service.log.map(({ url }) => url)).toEqual([path]);
  });
});

describe('a file of ids from a spreadsheet', () => {
  const csv = `${bom}distinct_id,note\r\nu1,"a, ""b"""\r\nu2,"two\nlines"\r\n\r\n`;
  const list = `${bom}u1\r\nu2\r\n\r\n`;
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(list.slice(1), 'utf16le')]);

  it.each([
    ['a CSV with a byte order mark, CRLF, quotes and a blank line', csv, ' --column distinct_id'],
    ['a list with a byte order mark, CRLF and a blank line', list, ''],
    ['a list in UTF-16', utf16, ''],
  ])('%s', async (_, content, more) => {
    const service = await startWithPeople([allDeleted]);
    const line = `persons bulk-delete --from ${fileOf(content)} --as distinct-ids${more} --yes`;
    expect(await service.hogctl(line)).toMatchObject({ code: 0 });
    expect(service.log.map(({ json }) => json)).toEqual([{ ids: ['1', '2'] }]);
  });

  it.each(['distinct_id,name,distinct_id', 'Distinct_ID,name,distinct_id '])(
    'does not choose between two columns of the same name: %s',
    async (header) => {
      const service = await startWithPeople([]);
      const file = fileOf(`${header}\nu1,Ana,u2\n`);
      const { code, stderr } = await service.hogctl(
        `persons bulk-delete --from ${file} --as distinct-ids --column distinct_id --yes`,
      );
      expect(code).toBe(2);
      expect(stderr).toContain('2 columns of the input are called "distinct_id"');
      expect(service.log).toEqual([]);
    },
  );

  it('does not choose a column by itself', async () => {
    const service = await startWithPeople([]);
    const { code, stderr } = await service.hogctl(
      `persons bulk-delete --from ${fileOf('name,email\na,b\n')} --as distinct-ids --yes`,
    );
    expect(code).toBe(2);
    expect(stderr).toContain('--column');
    expect(service.log).toEqual([]);
  });
});

describe('more ids than one call allows, with repeats', () => {
  const listOf = (count: number) => `${[...numbered(count), ...numbered(50)].join('\n')}\n`;
  const line = 'persons bulk-delete --from - --as distinct-ids --yes -o json';

  it.each([
    ['100 by default', '', 100, 350, 4],
    ['1000 where the service takes them', ' --batch-size 1000', 1000, 1050, 2],
  ])('sends every id once and in order, %s', async (_, more, limit, count, calls) => {
    const service = await startWithPeople([
      (received) => (idsOf(received).length > limit ? { status: 400, json: {} } : allDeleted(received)),
    ]);
    const { code, stdout } = await service.hogctl(line + more, { stdin: listOf(count) });
    expect(code).toBe(0);
    expect(service.log).toHaveLength(calls);
    expect(service.log.flatMap(idsOf)).toEqual(numbered(count, ''));
    expect(JSON.parse(stdout)).toMatchObject({
      asked: count + 50,
      repeats: 50,
      unique: count,
      sent: count,
      deleted: count,
    });
  });

  it('falls back to 100 where the service does not take more', async () => {
    const service = await startWithPeople([
      (received) => (idsOf(received).length > 100 ? { status: 400, json: {} } : allDeleted(received)),
    ]);
    const { code } = await service.hogctl(`${line} --batch-size 1000`, { stdin: listOf(1050) });
    expect(code).toBe(0);
    const sizes = service.log.map((received) => idsOf(received).length);
    expect(sizes.filter((size) => size > 100)).toEqual([1000, 500, 250, 125]);
    const taken = service.log.map(idsOf).filter(({ length }) => length <= 100);
    expect(taken.flat()).toEqual(numbered(1050, ''));
  });
});

describe('accepted although nobody is deleted yet', () => {
  const line = `persons bulk-delete --from - --as ids --delete-events --yes`;
  const stdin = [1, 2, 3].map(uuid).join('\n');
  const answers = [
    { status: 202, json: summary({ found: 3, deleted: 0, queued: 3, events: true }) },
    { status: 200 },
    { status: 204 },
  ];

  it.each(answers)('is a success and says what is only queued: %j', async (answer) => {
    const service = await startWithPeople([answer]);
    const { code, stdout, stderr } = await service.hogctl(`${line}`, { stdin });
    expect(code).toBe(0);
    if ('json' in answer) {
      expect(stdout).toMatch(/^queued for deletion +3$/m);
      expect(stdout).toMatch(/^deleted +0$/m);
    } else {
      expect(stdout).toMatch(/^accepted +3 /m);
      expect(stdout).not.toMatch(/^(deleted|queued)/m);
    }
    expect(stderr).toContain('deletion of events was requested');
    expect(stderr).toContain('Sunday 2026-03-08, 05:00 UTC');
    expect(service.log[0]?.body).toContain('"delete_events":true');
  });

  it('never sends delete_events as false', async () => {
    const service = await startWithPeople([allDeleted]);
    await service.hogctl(`persons bulk-delete ${uuid(1)} --yes`);
    expect(service.log[0]?.body).toBe(JSON.stringify({ ids: [uuid(1)] }));
    expect(service.log[0]?.url).toBe(path);
  });
});

describe('a success that hides failures or matches nobody', () => {
  const errors = [1, 2, 3].map((number) => ({ person_uuid: uuid(number), step: 'postgres' }));
  const stdin = `${numbered(105).join('\n')}\n`;
  const answers = [
    { status: 202, json: summary({ found: 100, deleted: 97, errors }) },
    { status: 202, json: summary({ found: 3, deleted: 0, errors }) },
    { status: 202, json: summary({ found: 0, deleted: 0 }), times: 2 },
  ];
  const line = 'persons bulk-delete --from - --as distinct-ids --yes';

  it('lists who failed at which step, and calls nobody else deleted', async () => {
    const service = await startWithPeople(answers);
    const { code, stdout } = await service.hogctl(`${line} -o json`, { stdin });
    expect(code).toBe(8);
    const [, again] = service.log.map(({ json }) => json);
    expect(again).toEqual({ ids: ['1', '2', '3'] });
    expect(JSON.parse(stdout)).toMatchObject({
      unique: 105,
      sent: 105,
      found: 100,
      deleted: 97,
      failed: 3,
      failures: errors.map((error) => ({ ...error, batch: 1 })),
      not_accounted_for: 5,
    });
  });

  it('shows requested, found, deleted and failed in words', async () => {
    const service = await startWithPeople(answers);
    const { stdout, stderr } = await service.hogctl(line, { stdin });
    for (const figure of [
      'ids asked for +105',
      'persons found +100',
      'deleted +97',
      'failed +3',
      'not accounted for +5',
    ])
      expect(stdout).toMatch(new RegExp(`^${figure}\\b`, 'm'));
    expect(stderr).toContain('error: the run is not complete: 3 persons could not be deleted');
  });

  it('reads the summary in a 5xx', async () => {
    const failing = { status: 503, json: summary({ found: 2, deleted: 0, errors: errors.slice(0, 2) }) };
    const service = await startWithPeople([{ ...failing, times: 99 }]);
    const { code, stdout } = await service.hogctl(
      'persons bulk-delete --distinct-ids user_1,user_2 --yes -o json',
    );
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ found: 2, deleted: 0, failed: 2, unknown: 0 });
  });
});

describe('a 429 in the middle without Retry-After', () => {
  it('waits longer each time and goes on where it was, one call at a time', async () => {
    const waits: number[] = [];
    let open = 0;
    const busy = {
      status: 429,
      json: { detail: 'Request was throttled. Expected available in 20 seconds.' },
    };
    const one = (received: Parameters<typeof allDeleted>[0]) => {
      open += 1;
      expect(open).toBe(1);
      return { ...allDeleted(received), delay: 5 };
    };
    let call = 0;
    const service = await startWithPeople([
      (received) => {
        call += 1;
        open = 0;
        return call === 3 || call === 4 ? busy : one(received);
      },
    ]);
    const line = 'persons bulk-delete --from - --as distinct-ids --batch-size 10 --yes';
    const { code, stderr } = await service.hogctl(line, {
      stdin: numbered(50).join('\n'),
      random: Math.random,
      wait: async (milliseconds) => {
        waits.push(milliseconds);
      },
    });
    expect(code).toBe(0);
    const sizes = service.log.map((received) => idsOf(received)[0]);
    expect(sizes).toEqual(['1', '11', '21', '21', '21', '31', '41']);
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThanOrEqual(500);
    expect(waits[0]).toBeLessThanOrEqual(1000);
    expect(waits[1]).toBeGreaterThanOrEqual(1000);
    expect(stderr).toContain('trying again in');
  });
});

describe('many who are already gone', () => {
  const nobody = () =>
    startWithoutSql([{ on: 'GET /api/projects/1/persons/', json: { next: null, results: [] } }, nobodyThere]);

  it('is not found, and nothing is sent', async () => {
    const service = await nobody();
    const { code, stderr } = await service.hogctl('persons bulk-delete 42 43 --yes');
    expect(code).toBe(3);
    expect(stderr).toContain('error: no person has any of these ids');
    expect(service.log.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('is owed until it is proven if the look-up found them, and the call did not', async () => {
    const service = await startWithPeople([
      { status: 202, json: summary({ found: 0, deleted: 0 }), times: 9 },
    ]);
    expect(await service.hogctl('persons bulk-delete 42 43 --yes')).toMatchObject({ code: 8 });
    expect(service.log.map(idsOf)).toEqual([
      ['42', '43'],
      ['42', '43'],
    ]);
    expect(JSON.parse((await service.hogctl('runs list -o json')).stdout)).toMatchObject([
      { owed: 'persons' },
    ]);
  });
});

describe('a bulk deletion without a terminal and without --yes', () => {
  it.each([
    ['an empty input', () => ({})],
    ['a yes without a line break', () => ({ stdin: 'y' })],
    ['the number', () => ({ stdin: '2\n' })],
    ['an open pipe that never sends', () => ({ stdin: new PassThrough() })],
    ['CI=true', () => ({ environment: { CI: 'true' } })],
  ] as const)('sends nothing with %s', async (_, setting) => {
    const service = await startWithPeople([]);
    const { code, stdout, stderr } = await service.hogctl('persons bulk-delete 42 43', setting());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--yes');
    expect(service.log).toEqual([]);
  });

  it('does not look for an answer in the ids that are piped in', async () => {
    const service = await startWithPeople([]);
    const { code } = await service.hogctl('persons bulk-delete --from - --as ids', { stdin: '42\n1\n' });
    expect(code).toBe(2);
    expect(service.log).toEqual([]);
  });
});

describe('a run of one project', () => {
  it.each(['verify', 'resume'])('is not taken to another project or host: runs %s', async (verb) => {
    const [service, other] = [await startWithPeople([allDeleted]), await startWithPeople([])];
    await service.hogctl('persons bulk-delete --distinct-ids a --yes');
    const [run = ''] = runsOf(service);
    for (const environment of [{ HOGCTL_PROJECT: '2' }, { HOGCTL_HOST: other.origin }]) {
      const { code, stderr } = await service.hogctl(`runs ${verb} ${run} --yes`, { environment });
      expect([code, stderr]).toEqual([2, expect.stringContaining('this run is for project 1 at')]);
    }
    expect([service.log.length, other.log.length]).toEqual([1, 0]);
  });
});
