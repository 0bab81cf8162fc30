import { describe, expect, it, onTestFinished } from 'vitest';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';
import { startService } from '../support/service.ts';

describe('other values for once', () => {
  const query = {
    kind: 'DataVisualizationNode',
    source: {
      kind: 'HogQLQuery',
      query: 'select count() as c from events where country = {variables.country}',
      variables: { 'v-1': { code_name: 'country', variableId: 'v-1', value: 'SE' } },
    },
  };
  const insight = { id: 9, short_id: 'Ab12', query, columns: ['c'], result: [[3]], hasMore: false };

  it.each(['get', "check --expect 'sum > 1'"])('reach a variable by its name: %s', async (command) => {
    const [verb, ...options] = command.split(' ');
    const { hogctl, log } = await startService([() => ({ json: insight })]);
    const line = `insights ${verb} 9 ${options.join(' ')} --refresh --variable country=NO --filters-override '{"date_from":"-7d"}'`;
    expect((await hogctl(line)).code).toBe(0);
    const sent = new URL(log.at(-1)?.url ?? '', 'http://127.0.0.1').searchParams;
    expect(JSON.parse(sent.get('variables_override') ?? '')).toEqual({
      'v-1': { code_name: 'country', variableId: 'v-1', value: 'NO' },
    });
    expect(JSON.parse(sent.get('filters_override') ?? '')).toEqual({ date_from: '-7d' });
  });

  it.each([
    ['--variable town=X', 'insight 9 has no variable "town"', 'choose from country'],
    ['--filters-override 7', '--filters-override', ''],
  ])('are refused for what is not there: %s', async (options, text, hint) => {
    const { hogctl, log } = await startService([() => ({ json: insight })]);
    const { code, stderr } = await hogctl(`insights get 9 ${options}`);
    expect([code, stderr.includes(text), stderr.includes(hint)]).toEqual([2, true, true]);
    expect(log.every(({ url }) => !url.includes('override'))).toBe(true);
  });

  const variables = {
    count: 1,
    next: null,
    results: [{ id: 'v-1', code_name: 'country', name: 'Country', default_value: 'SE' }],
  };

  it('reach a variable of the project in a query', async () => {
    const rows = { results: [[1]], columns: ['c'], hasMore: false };
    const { hogctl, log } = await startService([{ json: variables }, { json: rows }]);
    const sql = 'select 1 where country = {variables.country}';
    expect((await hogctl(['query', sql, '--variable', 'country=NO'])).code).toBe(0);
    expect(log.map(({ url }) => url)).toEqual([
      expect.stringContaining('/insight_variables/'),
      expect.stringContaining('/query/'),
    ]);
    expect(log[1]?.json).toEqual({
      query: {
        kind: 'HogQLQuery',
        query: sql,
        variables: { 'v-1': { code_name: 'country', variableId: 'v-1', value: 'NO' } },
      },
    });
  });

  it('name a variable that the project has, before a query is sent', async () => {
    const { hogctl, log } = await startService([{ json: variables }]);
    const { code, stderr } = await hogctl(['query', 'select {variables.town}', '--variable', 'town=Bergen']);
    expect([code, stderr]).toEqual([
      2,
      'error: the project has no variable "town"\nhint: choose from country\n',
    ]);
    expect(log).toHaveLength(1);
  });

  it('are taken by a query', async () => {
    const { hogctl, log } = await startService([
      { json: { results: [[1]], columns: ['c'], hasMore: false } },
    ]);
    await hogctl(['query', 'select 1 where {filters}', '--filters-override', '{"date_from":"-7d"}']);
    expect(log[0]?.json).toMatchObject({ filters_override: { date_from: '-7d' } });
  });

  it('change what the sandbox calculates', async () => {
    const sandbox = await borrowSandbox({ dialect: 'live' });
    onTestFinished(() => sandbox.stop());
    const environment = sandboxEnvironment(sandbox, 'live');
    const hogctl = async (...words: readonly string[]) => {
      const { code, stdout } = await runProgram([...words, '-o', 'json'], { environment });
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    const source = {
      kind: 'HogQLQuery',
      query: 'select count() from persons where properties.country = {variables.country}',
      variables: { v: { code_name: 'country', variableId: 'v', value: 'PL' } },
    };
    const created = JSON.stringify({ kind: 'DataVisualizationNode', source });
    const { id } = await hogctl('insights', 'create', '--query', created);
    const polish = await hogctl('insights', 'get', String(id), '--refresh', 'blocking');
    const german = await hogctl(
      ...['insights', 'get', String(id), '--refresh', 'blocking', '--variable', 'country=DE'],
    );
    expect(german.result[0][0]).toBeGreaterThan(2 * polish.result[0][0]);
    const people = 'select count() as c from persons where properties.country = {variables.country}';
    const [french] = await hogctl('query', people, '--variable', 'country=FR');
    const [spanish] = await hogctl('query', people, '--variable', 'country=ES');
    expect(french.c).toBeGreaterThan(spanish.c);
    const sql = 'select count() as c from events where {filters}';
    const [day] = await hogctl('query', sql, '--filters-override', '{"date_from":"-1d"}');
    const [all] = await hogctl('query', sql);
    expect(all.c).toBeGreaterThan(20 * day.c);
    expect(day.c).toBeGreaterThan(0);
  });
});
