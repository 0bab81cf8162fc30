import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startService, temporaryDirectory } from '../support/service.ts';

const COHORTS = {
  kind: 'InsightVizNode',
  source: {
    kind: 'TrendsQuery',
    series: [{ kind: 'ActionsNode', id: 1 }],
    properties: [{ type: 'cohort', key: 'id', value: 1 }],
  },
};

describe('files of another project', () => {
  const list = (path: string, results: readonly object[]) => ({
    on: new RegExp(`^GET /api/projects/1/${path}/`),
    json: { count: results.length, next: null, results },
    times: 9,
  });
  const other = { project: { host: 'https://eu.posthog.com', id: '5' } };
  const folderOf = (files: Readonly<Record<string, object>>) => {
    const folder = temporaryDirectory();
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(folder, name), JSON.stringify(content));
    }
    return folder;
  };
  const sql = (query: string) => ({ kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query } });

  it.each([
    ['with --prune', { 'a.json': { ...other, name: 'A' } }, '--prune', 'is from another project'],
    ['without a name', { 'a.json': { ...other, name: null } }, '', 'has no name'],
    [
      'with one name twice',
      { 'a.json': { ...other, name: 'A' }, 'b.json': { name: 'A' } },
      '',
      'have the same name',
    ],
    [
      'without the name of a cohort',
      { 'a.json': { ...other, name: 'A', query: COHORTS } },
      '',
      'cohort 1 and does not say its name',
    ],
    [
      'with a number in SQL',
      { 'a.json': { ...other, name: 'A', query: sql('select 1 from persons where id in cohort 12') } },
      '',
      'says "cohort 12"',
    ],
  ])('are refused before anything is sent: %s', async (_, files, option, reason) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl(`insights push ${folderOf(files)} --yes ${option}`);
    expect([code, service.log]).toEqual([2, []]);
    expect(stderr).toContain(reason);
  });

  it('are told by name only if every insight was listed', async () => {
    const page = { count: 3, next: null, results: [{ id: 1, short_id: 'Ab12', name: 'B' }] };
    const service = await startService([{ on: /^GET/, json: page, times: 9 }]);
    const { code, stderr } = await service.hogctl(
      `insights push ${folderOf({ 'a.json': { ...other, name: 'A' } })} --yes`,
    );
    expect([code, service.log.filter(({ method }) => method !== 'GET')]).toEqual([6, []]);
    expect(stderr).toContain('2 more insights than it listed');
  });

  it('do not overwrite what was changed while the question stood', async () => {
    const there = { id: 9, short_id: 'Ab12', name: 'A', description: 'Old' };
    const service = await startService([
      list('insights', [there]),
      { on: 'GET /api/projects/1/insights/9/', json: { ...there, description: 'Newer' } },
    ]);
    const folder = folderOf({ 'a.json': { ...other, name: 'A', description: 'Mine' } });
    const { code, stderr } = await service.hogctl(`insights push ${folder} --force --yes`);
    expect([code, service.log.filter(({ method }) => method !== 'GET')]).toEqual([9, []]);
    expect(stderr).toContain('was changed meanwhile');
  });

  describe('that were pushed before', () => {
    const there = { id: 9, short_id: 'Ab12', name: 'A', description: 'Old' };
    const service = (...insights: readonly object[]) => startService([list('insights', insights)]);
    type Service = Awaited<ReturnType<typeof startService>>;
    const push = async (run: Service, files: Readonly<Record<string, object>>) => {
      const { code, stdout, stderr } = await run.hogctl(`insights push ${folderOf(files)} --dry-run`);
      return { code, text: stdout + stderr };
    };
    const pushedTo = (host: string, short_id = 'Ab12') => ({
      pushed: [{ host, id: '1', short_id, digest: 'of another state' }],
    });

    it('are told by what was made of them, not by their names', async () => {
      const run = await service(there, { id: 10, short_id: 'Cd34', name: 'B' });
      const file = { ...other, name: 'B', ...pushedTo(run.origin) };
      const { code, text } = await push(run, { 'a.json': file, 'b.json': { ...other, name: 'A' } });
      expect([code, text]).toEqual([
        9,
        expect.stringContaining('a.json (changed there since the last push)'),
      ]);
      expect(text).toContain('a.json: insight 9 (Ab12), A');
      expect(text).toContain('b.json: a new insight');
    });

    it('go by name if another project has what was made', async () => {
      const run = await service(there);
      const file = { ...other, name: 'A', description: 'Mine', ...pushedTo('https://us.posthog.com') };
      const { code, text } = await push(run, { 'a.json': file });
      expect([code, text]).toEqual([9, expect.stringContaining('a.json (only its name is the same)')]);
    });

    it('are refused if what was made of them is gone', async () => {
      const run = await service(there);
      const { code, text } = await push(run, {
        'a.json': { ...other, name: 'A', ...pushedTo(run.origin, 'Xy9') },
      });
      expect([code, text]).toEqual([
        9,
        expect.stringContaining(
          'insight Xy9, which a push made of the file, is gone (a.json)\nhint: restore',
        ),
      ]);
    });

    it('are refused as copies, and with a record that cannot be read', async () => {
      const run = await service(there);
      const file = { name: 'A', ...pushedTo(run.origin) };
      const copied = await push(run, { 'a.json': file, 'b.json': { ...file, name: 'B' } });
      expect([copied.code, copied.text]).toEqual([
        2,
        expect.stringContaining('were both pushed as insight Ab12'),
      ]);
      const damaged = await push(run, { 'a.json': { name: 'A', pushed: [{ host: run.origin, id: '1' }] } });
      expect([damaged.code, damaged.text]).toEqual([2, expect.stringContaining('its pushed is no list of')]);
      expect(run.log).toEqual([]);
    });
  });

  it('take an event by the time of the service, and say that SQL is not looked into', async () => {
    const query = { kind: 'InsightVizNode', source: { series: [{ kind: 'EventsNode', event: 'paid' }] } };
    const files = {
      'a.json': { ...other, name: 'A', query },
      'b.json': { ...other, name: 'B', query: sql('select 1') },
    };
    const seen = (last_seen_at: string | null) => [
      list('insights', []),
      {
        ...list('event_definitions', [{ name: 'paid', last_seen_at }]),
        headers: { date: 'Thu, 18 Jun 2026 12:00:00 GMT' },
      },
    ];
    const run = async (last: string | null) => {
      const service = await startService(seen(last));
      return service.hogctl(`insights push ${folderOf(files)} --dry-run`);
    };
    const recent = await run('2026-05-20T00:00:00Z');
    expect(recent.code, recent.stderr).toBe(0);
    expect(recent.stderr).toContain('the SQL of these files may mean something else there: b.json');
    const old = await run('2026-05-19T00:00:00Z');
    expect([old.code, old.stderr]).toEqual([
      9,
      expect.stringContaining('"paid" was last seen on 2026-05-19 (a.json)'),
    ]);
    expect((await run(null)).stderr).toContain('"paid" was never seen');
  });

  it('are refused if the service has no list of what they use', async () => {
    const service = await startService([list('insights', []), { on: /./, status: 404, json: {}, times: 9 }]);
    const names = { cohorts: { '1': 'Payers' }, actions: { '1': 'Paid' } };
    const file = { ...other, names, name: 'A', query: COHORTS };
    const { code, stderr } = await service.hogctl(`insights push ${folderOf({ 'a.json': file })} --yes`);
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining('the service does not list cohorts\nhint: files that use no cohorts'),
    ]);
  });

  it('are not pulled over, and tell that older files must be pulled again', async () => {
    const service = await startService([list('insights', [])]);
    const mixed = await service.hogctl(`insights pull ${folderOf({ 'a.json': { ...other, name: 'A' } })}`);
    expect([mixed.code, service.log]).toEqual([2, []]);
    expect(mixed.stderr).toContain('is from project 5 at https://eu.posthog.com, and this is project 1 at ');
    const old = await service.hogctl(
      `insights push ${folderOf({ 'a.json': { short_id: 'Ab12', name: 'A' } })} --yes`,
    );
    expect([old.code, old.stderr]).toEqual([
      9,
      expect.stringContaining('if another project has it, pull again there'),
    ]);
  });

  it('are pulled without names by a key that may not list them, which a warning says', async () => {
    const insight = { id: 9, short_id: 'Ab12', name: 'A', query: COHORTS };
    const refused = {
      status: 403,
      json: { code: 'permission_denied', detail: "API key missing required scope 'action:read'" },
    };
    const service = await startService([
      { on: /actions/, ...refused, times: 9 },
      list('cohorts', [{ id: 1, name: 'Payers' }]),
      list('insights', [insight]),
    ]);
    const folder = temporaryDirectory();
    const { code, stderr } = await service.hogctl(`insights pull ${folder}`);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('warning: the names of actions are not in the files'),
    ]);
    const file = join(folder, 'a-Ab12.json');
    const content = JSON.parse(readFileSync(file, 'utf8'));
    expect(content.names).toEqual({ cohorts: { '1': 'Payers' } });
    const names = { ...content.names, actions: { '1': 'Paid' } };
    writeFileSync(file, JSON.stringify({ ...content, names }));
    const { stdout } = await service.hogctl(`insights pull ${folder} -o json`);
    expect(JSON.parse(stdout)).toMatchObject([{ state: 'same' }]);
  });

  describe('with a property', () => {
    const query = {
      kind: 'InsightVizNode',
      source: { series: [{ kind: 'EventsNode', event: null, math_property: 'a`b' }] },
    };
    const file = { ...other, name: 'A', query };
    const there = (name: string) => [list('insights', []), list('property_definitions', [{ name }])];
    const counts = (answer: object) => ({ on: 'POST /api/projects/1/query/', ...answer });
    const push = async (script: Parameters<typeof startService>[0]) => {
      const service = await startService(script);
      const transcript = await service.hogctl(`insights push ${folderOf({ 'a.json': file })} --dry-run`);
      return { ...transcript, asked: service.log.find(({ method }) => method === 'POST')?.json };
    };

    it('go if an event of the last 30 days has it', async () => {
      const { code, stderr, asked } = await push([...there('a`b'), counts({ json: { results: [[3]] } })]);
      expect(code, stderr).toBe(0);
      expect(asked).toMatchObject({
        query: {
          query:
            'select countIf(properties.`a``b` is not null) from events where timestamp > now() - interval 30 day',
        },
      });
    });

    it('are refused if none has it, or if the service does not know it', async () => {
      const old = await push([...there('a`b'), counts({ json: { results: [[0]] } })]);
      expect([old.code, old.stderr]).toEqual([
        9,
        expect.stringContaining('was not seen in the last 30 days (a.json)'),
      ]);
      const unknown = await push(there('other'));
      expect([unknown.code, unknown.asked]).toEqual([9, undefined]);
      expect(unknown.stderr).toContain('event property "a`b" was never seen (a.json)');
    });

    it('need a key that may count them, and go with a warning if they cannot be counted', async () => {
      const scope = { code: 'permission_denied', detail: "API key missing required scope 'query:read'" };
      const refused = await push([...there('a`b'), counts({ status: 403, json: scope })]);
      expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('query:read')]);
      const slow = await push([
        ...there('a`b'),
        counts({ status: 400, json: { detail: 'Query is too slow.' } }),
      ]);
      expect([slow.code, slow.stderr]).toEqual([0, expect.stringContaining('seen lately is not known: ')]);
    });

    it('are not looked into if nothing of them is to be sent', async () => {
      const insight = { id: 9, short_id: 'Ab12', name: 'A', query };
      const { code, stderr } = await push([list('insights', [insight])]);
      expect([code, stderr]).toEqual([0, expect.stringContaining('there is nothing to push')]);
    });
  });
});
