import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxSettings } from '../../src/sandbox/start-sandbox.ts';
import type { Dialect } from '../../src/service/endpoint.ts';
import { matchGolden } from '../support/golden.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, type Setting, sandboxEnvironment, type Transcript } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';

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
    variables: [{ id: 'there', name: 'Country', code_name: 'country', type: 'String' }],
  },
  persons: [{ distinct_ids: ['ana'], properties: { plan: 'pro' } }],
  events: [
    event('order_completed', '2026-06-16T12:00:00Z', { revenue: 5 }),
    event('product_viewed', '2026-04-01T12:00:00Z'),
  ],
};

type Sandbox = Awaited<ReturnType<typeof borrowSandbox>>;

/** Two projects, and a folder with files of the first. */
async function twoProjects(dialect: Dialect, keys?: SandboxSettings['keys']) {
  const [staging, live] = await Promise.all([
    borrowSandbox({ dialect, now: NOW }),
    borrowSandbox({ dialect, now: NOW, data: LIVE, keys }),
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
        environment: sandboxEnvironment(sandbox, dialect),
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
  it('become insights with the numbers of this one, and only say so', async () => {
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
    const { pushed, ...others } = read(file());
    expect(others).toEqual(JSON.parse(before));
    expect(pushed).toMatchObject([{ id: '1', short_id: expect.any(String), digest: expect.any(String) }]);
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

  it('change again what a push made of them, by whatever name, and nothing that changed there', async () => {
    const { create, pull, file, folder, inLive, inStaging, listed } = await twoProjects(dialect);
    await pull(await create('Orders of payers', ORDERS));
    const push = (option = '') => inLive(splitWords(`insights push '${folder}' --yes --project 1 ${option}`));
    expect((await push()).code).toBe(0);
    const [made] = await listed();
    edit(file(), { name: 'Orders', description: 'Week 2' });
    expect(await push()).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject([{ id: made.id, name: 'Orders', description: 'Week 2' }]);
    const kept = file();
    expect((await inStaging(['insights', 'pull', folder, '--force'])).code).toBe(0);
    for (const name of readdirSync(folder)) if (join(folder, name) !== kept) rmSync(join(folder, name));
    expect(read(file()).pushed).toMatchObject([{ short_id: made.short_id }]);
    await inLive(`insights update ${made.id} --name 'By hand'`);
    const refused = await push();
    expect([refused.code, refused.stderr]).toEqual([
      9,
      expect.stringContaining('(changed there since the last push)\nhint: look at the difference; --force'),
    ]);
    expect(await listed()).toMatchObject([{ id: made.id, name: 'By hand' }]);
    expect((await push('--force')).code).toBe(0);
    edit(file(), { description: 'Week 3' });
    expect((await push()).code).toBe(0);
    expect(await listed()).toMatchObject([{ id: made.id, name: 'Orders of payers', description: 'Week 3' }]);
  });

  it('are refused with one list of all that is missing or there twice', async () => {
    const { create, pull, folder, inLive, listed, shows } = await twoProjects(dialect);
    await pull(await create('Orders of payers', ORDERS), await create('Who was helped', HELPED));
    for (const embedded of [true, false]) {
      const query = JSON.stringify({ ...ORDERS, embedded });
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

it('of the live service get the variables of this one, by the name that SQL writes', async () => {
  const { create, pull, folder, inLive, listed } = await twoProjects('live');
  const variables = { here: { code_name: 'country', variableId: 'here', value: 'DE' } };
  const source = { kind: 'HogQLQuery', query: 'select {variables.country}', variables };
  await pull(await create('By country', { kind: 'DataVisualizationNode', source }));
  const pushed = await inLive(['insights', 'push', folder, '--yes', '--project', '1']);
  expect(pushed.code, pushed.stderr).toBe(0);
  expect(pushed.stderr).toContain('  variable here "country" -> there\n');
  expect(pushed.stderr).toContain('the SQL of these files may mean something else there: by-country-');
  const [{ query }] = await listed();
  expect(query.source.variables).toEqual({
    there: { code_name: 'country', variableId: 'there', value: 'DE' },
  });
});
