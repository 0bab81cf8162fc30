import { describe, expect, it } from 'vitest';
import { namedFormats } from '../../src/print/formats.ts';
import { startService } from '../support/service.ts';

const LEVELS = 20_000;
const deep = `{"id":7,"uuid":"00000000-0000-4000-8000-000000000007","distinct_ids":["d"],"properties":{"a":${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}}}`;
const shallow = '{"id":8,"uuid":"00000000-0000-4000-8000-000000000008","distinct_ids":["e"],"properties":{}}';
const page = `{"next":null,"results":[${deep},${shallow}]}`;

const ask = async (body: string, words: string) => {
  const service = await startService([() => ({ body, headers: { 'content-type': 'application/json' } })]);
  return service.hogctl(words.split(' '));
};

describe('a value of 20,000 levels', () => {
  it.each([...namedFormats, 'json --columns id,properties.a'])(
    'in a list leaves out that row, as %s',
    async (format) => {
      const { code, stdout, stderr } = await ask(page, `persons list -o ${format}`);
      expect(code).toBe(8);
      expect(stdout).toContain('8');
      expect(stderr).toContain('00000000-0000-4000-8000-000000000007');
    },
  );

  it.each(['persons export --via list -o ndjson', 'api GET persons/ --paginate', 'insights list -o json'])(
    'leaves out that row of %s',
    async (words) => {
      const { code, stderr } = await ask(page, words);
      expect([code, stderr.includes('000000000007')]).toEqual([8, true]);
    },
  );

  it.each([
    'persons get 7',
    'persons get 7 -o json',
    'insights get 9',
    'insights get 9 -o csv',
    'persons cohorts 7',
    'api GET persons/7/',
    'api GET persons/7/ -o csv',
  ])('is the whole answer of %s', async (words) => {
    const { code, stderr } = await ask(deep, `${words} -q`);
    expect(code).toBe(6);
    expect(stderr).toContain('more than 1000 levels');
  });

  it('is the answer of a free write, which may have been done', async () => {
    const { code, stdout, stderr } = await ask(deep, 'api PATCH persons/7/ -f a=1 --yes');
    expect([code, stdout]).toEqual([8, '']);
    expect(stderr).toContain('more than 1000 levels');
  });

  it('in a query is no bug', async () => {
    const { code, stderr } = await ask(`{"results":[[${deep}]],"columns":["a"]}`, 'query select');
    expect(stderr).toContain('the answer is too deep: it has more than 1000 levels');
    expect(stderr).toContain('hint: ask for less');
    expect(code).toBe(6);
  });
});

// A call takes some 100,000 arguments, and work that grows by the square shows at this length.
describe('150,000 of what an answer holds', { timeout: 60_000 }, () => {
  const many = (text: string) => Array(150_000).fill(text).join();
  const insight = (kind: string, result: string) =>
    `{"id":1,"short_id":"abc","query":{"kind":"InsightVizNode","source":{"kind":"${kind}","series":[]}},"result":[${result}]}`;

  it.each([
    ['rows', `{"columns":["a"],"results":[${many('[1]')}]}`, 'query select -o csv'],
    ['columns of one name', `{"columns":[${many('"a"')}],"results":[[1]]}`, 'query select -o ndjson'],
    ['cells in a row', `{"columns":["a"],"results":[[${many('1')}]]}`, 'query select -o ndjson'],
    ['rows that are too deep', `{"results":[${many('[[1]]')}]}`, 'insights list -o json'],
    ['series', insight('TrendsQuery', many('{"label":"x","aggregated_value":3}')), 'insights get 1 -o json'],
    ['steps', insight('FunnelsQuery', many('{"name":"x","count":1,"order":1}')), 'insights get 1 -o json'],
  ])('is no bug: %s', async (_, body, words) => {
    const { code, stderr } = await ask(body, words);
    expect([0, 6], stderr).toContain(code);
  });
});
