import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type SandboxSettings, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import type { Dialect } from '../../src/service/endpoint.ts';
import { matchGolden } from '../support/golden.ts';
import { runProgram, type Setting, type Transcript } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';
import { startService, temporaryDirectory } from './service.ts';

const NOW = '2026-06-18T12:00:00Z';

const ORDERS = {
  kind: 'InsightVizNode',
  source: {
    kind: 'TrendsQuery',
    series: [
      { kind: 'ActionsNode', id: 1, name: 'Bought something' },
      { kind: 'EventsNode', event: 'order_completed', math: 'sum', math_property: 'revenue' },
    ],
    properties: [{ type: 'cohort', key: 'id', value: 1 }],
    breakdownFilter: { breakdown_type: 'cohort', breakdown: [1, 'all'] },
  },
};

const HELPED = {
  kind: 'InsightVizNode',
  source: {
    kind: 'TrendsQuery',
    series: [
      { kind: 'ActionsNode', id: 2 },
      { kind: 'EventsNode', event: 'product_viewed' },
    ],
    properties: [
      { type: 'cohort', key: 'id', value: 3 },
      { type: 'person', key: 'rating', operator: 'gt', value: 3 },
    ],
  },
};

const event = (name: string, timestamp: string, properties = {}) => ({
  event: name,
  distinct_id: 'ana',
  timestamp,
  properties,
});

/** A shop that has other numbers, one cohort twice, and an event that came long ago. */
const LIVE = {
  project: {
    name: 'Live shop',
    cohorts: [
      { id: 40, name: 'Paying customers', filters: [] },
      { id: 41, name: 'Beta testers', distinct_ids: ['ana'] },
      { id: 42, name: 'Beta testers', distinct_ids: [] },
    ],
    actions: [{ id: 7, name: 'Bought something', steps: [{ event: 'order_completed' }] }],
  },
  persons: [{ distinct_ids: ['ana'], properties: { plan: 'pro' } }],
  events: [
    event('order_completed', '2026-06-16T12:00:00Z', { revenue: 5 }),
    event('product_viewed', '2026-04-01T12:00:00Z'),
  ],
};

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Two projects, and a folder with files of the first. */
async function twoProjects(dialect: Dialect, keys?: SandboxSettings['keys']) {
  const [staging, live] = await Promise.all([
    startSandbox({ dialect, now: NOW }),
    startSandbox({ dialect, now: NOW, data: LIVE, keys }),
  ]);
  onTestFinished(async () => {
    await staging.stop();
    await live.stop();
  });
  const run =
    (sandbox: Sandbox) =>
    (line: string | readonly string[], setting: Setting = {}) =>
      runProgram(typeof line === 'string' ? splitWords(line) : line, {
        now: () => Date.parse(NOW),
        ...setting,
        environment: {
          HOGCTL_HOST: sandbox.origin,
          HOGCTL_PROJECT: sandbox.projectId,
          HOGCTL_API_KEY: sandbox.keys[0]?.key ?? '',
          HOGCTL_DIALECT: dialect,
        },
      });
  const folder = temporaryDirectory();
  const inStaging = run(staging);
  const create = async (name: string, query: object) => {
    const { stdout } = await inStaging([
      'insights',
      'create',
      '--name',
      name,
      '--query',
      JSON.stringify(query),
      '-o',
      'json',
    ]);
    return String(JSON.parse(stdout).short_id);
  };
  return {
    inStaging,
    inLive: run(live),
    folder,
    create,
    /** Pulls, and keeps the files of these insights only. */
    pull: async (...shortIds: readonly string[]) => {
      expect((await inStaging(['insights', 'pull', folder])).code).toBe(0);
      for (const name of readdirSync(folder)) {
        if (!shortIds.some((id) => name.includes(id))) rmSync(join(folder, name));
      }
    },
    file: () => join(folder, readdirSync(folder)[0] ?? ''),
    listed: async () => {
      const { stdout } = await run(live)('insights list --all -o json');
      return JSON.parse(stdout);
    },
    shows: async (name: string, { code, stdout, stderr }: Transcript) => {
      const text = `exit ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}`
        .replaceAll(staging.origin, 'http://staging')
        .replaceAll(live.origin, 'http://live')
        .replaceAll(folder, 'files');
      await matchGolden(text, `../golden/insights-carry-over-${dialect}/${name}.txt`);
    },
  };
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const edit = (file: string, edits: object) =>
  writeFileSync(file, JSON.stringify({ ...read(file), ...edits }));

describe.each(['specification', 'live'] as const)('files of another project, %s', (dialect) => {
  it('become insights with the numbers of this one, and stay as they are', async () => {
    const { create, pull, file, folder, inLive, listed, shows } = await twoProjects(dialect);
    await pull(await create('Orders of payers', ORDERS));
    const before = readFileSync(file(), 'utf8');
    expect(read(file())).toMatchObject({
      project: { id: '1' },
      names: { cohorts: { '1': 'Paying customers' }, actions: { '1': 'Bought something' } },
    });
    const dry = await inLive(['insights', 'push', folder, '--dry-run']);
    expect(dry.code, dry.stderr).toBe(0);
    expect(await listed()).toEqual([]);
    const line = ['insights', 'push', folder];
    const asked = await inLive(line, { answers: ['y'] });
    await shows('asks', asked);
    expect(await listed()).toMatchObject([
      {
        name: 'Orders of payers',
        query: {
          source: {
            series: [{ id: 7 }, { event: 'order_completed' }],
            properties: [{ type: 'cohort', value: 40 }],
            breakdownFilter: { breakdown: [40, 'all'] },
          },
        },
      },
    ]);
    expect(readFileSync(file(), 'utf8')).toBe(before);
    const again = await inLive([...line, '--project', '1', '--yes']);
    expect([again.code, again.stdout]).toEqual([0, '']);
    expect(again.stderr).toContain('there is nothing to push');
  });

  it('overwrite what only shares a name with --force, after the difference was shown', async () => {
    const { create, pull, file, folder, inLive, listed, shows } = await twoProjects(dialect);
    await pull(await create('Orders of payers', ORDERS));
    await inLive(['insights', 'create', '--name', 'Orders of payers', '--query', JSON.stringify(HELPED)]);
    edit(file(), { description: 'By hand' });
    const [before] = await listed();
    const refused = await inLive(['insights', 'push', folder, '--yes', '--project', '1']);
    await shows('refuses-to-overwrite', refused);
    expect(refused.code).toBe(9);
    expect(await listed()).toEqual([before]);
    expect((await inLive(['insights', 'push', folder, '--force'], { answers: ['n'] })).code).toBe(7);
    expect(await listed()).toEqual([before]);
    const forced = await inLive([
      'insights',
      'push',
      folder,
      '--force',
      '--yes',
      '--project',
      '1',
      '-o',
      'json',
    ]);
    expect(forced.code, forced.stderr).toBe(0);
    expect(JSON.parse(forced.stdout)).toMatchObject([{ action: 'changed', id: before.id }]);
    expect(await listed()).toMatchObject([{ id: before.id, description: 'By hand' }]);
  });

  it('are refused with one list of all that is missing or there twice', async () => {
    const { create, pull, folder, inLive, listed, shows } = await twoProjects(dialect);
    await pull(await create('Orders of payers', ORDERS), await create('Who was helped', HELPED));
    for (const name of ['a', 'b']) {
      const query = JSON.stringify({ ...ORDERS, name });
      await inLive(['insights', 'create', '--name', 'Orders of payers', '--query', query]);
    }
    const before = await listed();
    const refused = await inLive(['insights', 'push', folder, '--force', '--yes', '--project', '1']);
    await shows('lists-what-is-missing', refused);
    expect(await listed()).toEqual(before);
  });

  it('need a key that may list what they name', async () => {
    const scopes = ['insight:write', 'cohort:read', 'action:read', 'property_definition:read'];
    const keys = [{ key: 'phx_TESTONLY_0123456789abcdef', label: 'narrow', scopes }];
    const { create, pull, folder, inLive, listed } = await twoProjects(dialect, keys);
    await pull(await create('Orders of payers', ORDERS));
    const refused = await inLive(['insights', 'push', folder, '--yes', '--project', '1']);
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('event_definition:read');
    expect(await listed()).toEqual([]);
  });
});

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
      { 'a.json': { ...other, name: 'A', query: ORDERS } },
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
    expect(stderr).toContain('was changed just now');
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
    expect(recent.stderr).toContain('what their SQL names is not looked for in the project: b.json');
    const old = await run('2026-05-19T00:00:00Z');
    expect([old.code, old.stderr]).toEqual([
      9,
      expect.stringContaining('"paid" was last seen on 2026-05-19 (a.json)'),
    ]);
    expect((await run(null)).stderr).toContain('"paid" was never seen');
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
    const insight = { id: 9, short_id: 'Ab12', name: 'A', query: ORDERS };
    const refused = {
      status: 403,
      json: { code: 'permission_denied', detail: "API key missing required scope 'action:read'" },
    };
    const service = await startService([
      { on: /actions/, ...refused },
      list('cohorts', [{ id: 1, name: 'Payers' }]),
      list('insights', [insight]),
    ]);
    const folder = temporaryDirectory();
    const { code, stderr } = await service.hogctl(`insights pull ${folder}`);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('warning: files do not name the actions they use'),
    ]);
    expect(read(join(folder, 'a-Ab12.json')).names).toEqual({ cohorts: { '1': 'Payers' } });
  });
});
