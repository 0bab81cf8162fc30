import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isObject, type Json } from '../../src/json/kinds.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { validateNode } from '../support/query-nodes.ts';
import { runProgram, type Setting, sandboxEnvironment } from '../support/run-program.ts';
import { startService, temporaryDirectory } from '../support/service.ts';

const PATHS = { kind: 'PathsQuery', pathsFilter: { stepLimit: 4 } };
const NEWER = {
  kind: 'InsightVizNode',
  source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'a', brandNew: true }] },
};

function fileWith(content: string): string {
  const file = join(temporaryDirectory(), 'node.json');
  writeFileSync(file, content);
  return file;
}

describe('the query of an insight that is created or changed', () => {
  it.each([
    [
      'create --name a',
      '{"kind":"TrendQuery"}',
      '--query: kind: cannot be "TrendQuery"',
      'did you mean "TrendsQuery"? Nothing',
    ],
    [
      'update 9',
      '{"kind":"TrendsQuery","series":[{"kind":"EventsNode","evnt":"a"}]}',
      '--query: series[0].evnt: EventsNode has no such field',
      'did you mean "event"? Nothing',
    ],
    [
      'update 9',
      '{"kind":"TrendsQuery","series":[],"interval":"fortnight","date_from":"-7d"}',
      `the service does not take 2 parts of what was to be sent:
--query: interval: cannot be "fortnight": minute, hour, day, week, month
--query: date_from: TrendsQuery has no such field; did you mean "dateRange"?`,
      'nothing',
    ],
  ])(
    'is refused before anything is sent if the service would refuse it: %s %s',
    async (line, query, message, meant) => {
      const service = await startService([]);
      const { code, stderr } = await service.hogctl(['insights', ...line.split(' '), '--query', query]);
      const hint = `${meant} was sent; --unchecked sends it as it is`;
      expect([code, stderr]).toEqual([2, `error: ${message}\nhint: ${hint}\n`]);
      expect(service.log).toEqual([]);
    },
  );

  it('is refused with the line of its file', async () => {
    const file = fileWith(
      '{\n  "kind": "InsightVizNode",\n  "source": {\n    "kind": "TrendsQuery",\n    "series": [\n      { "kind": "EventsNode",\n        "evnt": "a" }\n    ]\n  }\n}\n',
    );
    const service = await startService([]);
    const { code, stderr } = await service.hogctl([
      'insights',
      'create',
      '--name',
      'a',
      '--query',
      `@${file}`,
    ]);
    expect([code, stderr.split('\n')[0]]).toEqual([
      2,
      `error: ${file}, line 7: source.series[0].evnt: EventsNode has no such field`,
    ]);
    expect(service.log).toEqual([]);
  });

  it('is sent as it is with --unchecked', async () => {
    const service = await startService([{ status: 201, json: { id: 1, short_id: 'abcd1234', saved: true } }]);
    const words = ['insights', 'create', '--unchecked', '--query', JSON.stringify(NEWER)];
    expect((await service.hogctl(words, { environment: { HOGCTL_DIALECT: 'live' } })).code).toBe(0);
    expect(service.log[0]?.json).toEqual({ query: NEWER, saved: true });
    const useless = await service.hogctl('insights create --name a --unchecked');
    expect([useless.code, service.log.length]).toEqual([2, 1]);
  });

  it('is sent with a note if the service has its kind and hogctl does not know the fields', async () => {
    const service = await startService([{ status: 201, json: { id: 1, short_id: 'abcd1234', saved: true } }]);
    const { code, stderr } = await service.hogctl(['insights', 'create', '--query', JSON.stringify(PATHS)]);
    expect([code, service.log.length]).toEqual([0, 1]);
    expect(stderr).toContain('PathsQuery in --query was not checked: hogctl does not know its fields.\n');
  });
});

describe('the query of an insight that is pulled and pushed', () => {
  async function twoSandboxes() {
    const [from, to] = await Promise.all(
      [1, 2].map(() => borrowSandbox({ dialect: 'live', data: { persons: [], events: [] } })),
    );
    if (from === undefined || to === undefined) throw new Error('two were started');
    onTestFinished(async () => {
      await from.stop();
      await to.stop();
    });
    const run =
      (sandbox: typeof from) =>
      (words: readonly string[], setting: Setting = {}) =>
        runProgram(words, { ...setting, environment: sandboxEnvironment(sandbox, 'live') });
    return { here: run(from), there: run(to), folder: temporaryDirectory() };
  }

  it('is never refused while nobody changes it', async () => {
    const folder = temporaryDirectory();
    const insight = { id: 7, short_id: 'abcd1234', name: 'A', tags: [], saved: true, query: NEWER };
    const service = await startService([
      { on: /^GET .*insights\/\?/, json: { results: [insight], next: null }, times: 9 },
      { on: /^GET .*insights\/7\//, json: insight, times: 9 },
      { on: /^PATCH /, json: { ...insight, name: 'B' }, times: 9 },
    ]);
    expect((await service.hogctl(['insights', 'pull', folder])).code).toBe(0);
    const file = join(folder, readdirSync(folder)[0] ?? '');
    const pulled = readFileSync(file, 'utf8');
    writeFileSync(file, pulled.replace('"name": "A"', '"name": "B"'));
    const push = ['insights', 'push', folder, '--yes', '--project', '1'];
    const renamed = await service.hogctl(push);
    expect(renamed.code, renamed.stderr).toBe(0);
    expect(service.log.at(-1)?.json).toEqual({ name: 'B' });
    writeFileSync(file, pulled.replace('"event": "a"', '"event": "b"'));
    const sent = service.log.length;
    const changed = await service.hogctl(push);
    expect([changed.code, changed.stderr.split('\n')[0]]).toEqual([
      2,
      `error: ${file}, line 24: query.source.series[0].brandNew: EventsNode has no such field`,
    ]);
    writeFileSync(join(folder, 'new.json'), '{\n  "name": "N",\n  "query": { "kind": "TrendQuery" }\n}\n');
    const both = await service.hogctl(push);
    expect([both.code, both.stderr]).toEqual([
      2,
      `error: the service does not take 2 parts of what was to be sent:
${file}, line 24: query.source.series[0].brandNew: EventsNode has no such field
${join(folder, 'new.json')}, line 3: query.kind: cannot be "TrendQuery"; did you mean "TrendsQuery"?
hint: nothing was sent; --unchecked sends it as it is
`,
    ]);
    rmSync(join(folder, 'new.json'));
    expect(service.log).toHaveLength(sent);
    expect((await service.hogctl([...push, '--unchecked'])).code).toBe(0);
    const query = JSON.stringify(NEWER).replace('"event":"a"', '"event":"b"');
    expect(service.log.at(-1)?.json).toEqual({ query: expect.any(String) });
    expect(JSON.parse(Object(service.log.at(-1)?.json).query)).toEqual(JSON.parse(query));
  });

  it('goes to another project with a note if hogctl does not know its kind', async () => {
    const { here, there, folder } = await twoSandboxes();
    await here(['insights', 'create', '--name', 'Ways', '--query', JSON.stringify(PATHS)]);
    expect((await here(['insights', 'pull', folder])).code).toBe(0);
    const { code, stderr } = await there(['insights', 'push', folder, '--yes', '--project', '1']);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('was not checked: hogctl does not know its fields.\n');
    expect(JSON.parse((await there(['insights', 'list', '-o', 'json'])).stdout)).toMatchObject([
      { query: PATHS },
    ]);
  });
});

it('the sandbox refuses what the service does, also in a change', async () => {
  const sandbox = await borrowSandbox({ dialect: 'live', data: { persons: [], events: [] } });
  onTestFinished(() => sandbox.stop());
  const hogctl = (words: readonly string[]) =>
    runProgram(words, { environment: sandboxEnvironment(sandbox, 'live') });
  await hogctl(['insights', 'create', '--name', 'a']);
  for (const line of ['create --name b', 'update 1']) {
    const words = ['insights', ...line.split(' '), '--unchecked', '--query', JSON.stringify(NEWER)];
    const { code, stderr } = await hogctl([...words, '-o', 'json']);
    const { error } = JSON.parse(stderr);
    expect([code, error.status, error.code]).toEqual([5, 400, 'parse_error']);
    expect(error.message).toContain('source.series.0.brandNew');
  }
});

const FUNNEL =
  '--events a,b --exclude c --exclude-from 1 --exclude-to 2 --window 3d --property person.properties.plan=pro';

/** One line or more for each kind of node and each option that changes one. */
const LINES = [
  'insights trends --events a --math sum --math-property revenue --interval week --date-from -30d --date-to -1d',
  'insights trends --events a --math p95 --math-property revenue --breakdown plan --breakdown-type person --breakdown-limit 5',
  'insights trends --actions 3 --math dau --breakdown 1,2 --breakdown-type cohort --filter-test-accounts',
  'insights trends --event a --where n:gt=3 --event b --where person.properties.plan:is_set --breakdown properties.x --breakdown-type hogql',
  'insights retention --events a,b --interval week --intervals 5 --first-time --property plan:icontains=x',
  'insights retention --actions 1 --interval hour',
  'insights lifecycle --events a --interval month --property person.properties.plan:is_not_set',
  'insights stickiness --events a --interval day --property plan:regex=^x --date-from 2026-01-01',
  ...['strict', 'unordered', 'ordered'].map(
    (type) => `insights funnel ${FUNNEL} --order-type ${type} --via query`,
  ),
  ...['steps', 'trends', 'time_to_convert'].map(
    (viz) => `insights funnel --events a,b --viz ${viz} --via query`,
  ),
  'insights funnel --events a,b --breakdown plan --breakdown-type event --breakdown-limit 3 --via query',
  'insights funnel --actions 1,2 --group-type-index 0 --via query',
  `insights funnel-correlation ${FUNNEL} --via query`,
  `persons funnel ${FUNNEL} --step 2 --via query`,
  'persons funnel --events a,b --step 2 --dropped --limit 5 --via query',
  `persons funnel-correlation ${FUNNEL} --entity c --converted --via query`,
  'insights trends --events a --create x',
  'insights retention --events a --create x',
  'insights lifecycle --events a --create x',
  'insights stickiness --events a --create x',
  'insights funnel --events a,b --create x',
  'persons list --search x --limit 3',
  'query "select 1" --value a=1',
  'query --tables',
];

it.each(LINES)('sends a node that a validator of the published types takes: %s', async (line) => {
  const service = await startService([
    { times: 9, json: { results: [], id: 1, short_id: 'abcd1234', saved: true } },
  ]);
  await service.hogctl(line, { environment: { HOGCTL_DIALECT: 'live' } });
  const nodes = service.log.flatMap(({ json }) => {
    const query = isObject(json as Json) ? (json as { readonly query?: Json }).query : undefined;
    return isObject(query) ? [query] : [];
  });
  if (!line.startsWith('persons list')) expect(nodes.length).toBeGreaterThan(0);
  for (const node of nodes) expect(validateNode(node), JSON.stringify(node)).toEqual([]);
});

it('every insight of the sample is one that a validator of the published types takes', async () => {
  const sandbox = await borrowSandbox({ dialect: 'live' });
  onTestFinished(() => sandbox.stop());
  const { stdout } = await runProgram(['insights', 'list', '--all', '-o', 'json'], {
    environment: sandboxEnvironment(sandbox, 'live'),
  });
  const rows: readonly { readonly name: string; readonly query: Json }[] = JSON.parse(stdout);
  expect(rows.length).toBeGreaterThan(8);
  for (const { name, query } of rows) expect(validateNode(query), name).toEqual([]);
});
