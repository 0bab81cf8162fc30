import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { golden } from '../support/golden.ts';
import { person, queryOf, requestsTo, startService, temporaryDirectory } from '../support/service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';

const TRIAL = '--property plan:exact=trial';

describe.each([['persons-selected', 'live'] as const])('%s on the live sandbox', (folder, dialect) => {
  const { shows } = golden(folder, { dialect });
  const wide = { terminal: { columns: 100 } };
  shows('lists a cohort', 'persons list --cohort 3 --limit 2 --columns id,name', wide);
  shows('exports a cohort', 'persons export --cohort 3 --property newsletter=true -o csv --columns id');
  shows('lists the same', 'persons list --cohort 3 --property newsletter=true --all -o csv --columns id');
  shows('exports one person as a document', 'persons export --email ana.olsen@example.org');
  shows(
    'exports an address beside a condition as rows',
    'persons export --email ana.olsen@example.org --property plan:is_set -o csv',
  );
  shows('plans to delete a cohort', 'persons bulk-delete --cohort 3 --max 30 --dry-run');
  shows('refuses a person and conditions', 'persons export 42 --cohort 3');
  shows('refuses events of many persons', 'persons export --cohort 3 --with-events');
  shows('refuses a cohort that is not there', 'persons export --cohort 99 -o csv');
});

describe('conditions of an export', () => {
  it.each([
    ['--email a@example.org --distinct-id user_1', { email: 'a@example.org', distinct_id: 'user_1' }],
    ['--email a@example.org --search ana', { email: 'a@example.org', search: 'ana' }],
    ['--search ana', { search: 'ana' }],
  ])('select as in a list: %s', async (words, sent) => {
    const service = await startService([{ json: { results: [], next: null }, times: 2 }]);
    for (const command of ['export', 'list --all'])
      await service.hogctl(`persons ${command} ${words} -o csv`);
    for (const received of service.log) {
      const { limit: _, ...query } = Object.fromEntries(queryOf(received));
      expect(query).toEqual(sent);
    }
    expect(service.log).toHaveLength(2);
  });

  it.each(['--cohort 3', '--cohort 3 --cohort 4', '--search a --search b', '--property plan'])(
    'are refused as in a list and a deletion: %s',
    async (words) => {
      const service = await startService([]);
      const ends = [];
      for (const command of ['list', 'export', 'bulk-delete']) {
        const consent = command === 'bulk-delete' ? '--max 9 --yes --project 1' : '';
        const { code, stderr } = await service.hogctl(`persons ${command} ${words} ${consent}`);
        ends.push({ code, stderr });
      }
      expect(ends[0]?.code).toBe(2);
      expect(ends).toEqual([ends[0], ends[0], ends[0]]);
      expect(service.log).toEqual([]);
    },
  );

  it.each([
    `persons export ${TRIAL} --via query`,
    `persons export ${TRIAL} --with-events`,
    `persons export 42 ${TRIAL}`,
    'persons export 42 --email a@example.org',
    'persons export --email a@example.org --save a.csv',
    'persons export 42 -o tsv --save a.tsv',
    'persons export --email a@example.org --resume state --save out -o csv',
  ])('are refused with what does not go with them: %s', async (words) => {
    const service = await startService([]);
    expect((await service.hogctl(words)).code).toBe(2);
    expect(service.log).toEqual([]);
  });
});

const TOTAL = 2500;

/** Persons of a list, newest first; every answer but those of `fails` is given. One of them has no trial. */
function trialList(fails: (asked: number) => boolean) {
  let asked = 0;
  return (received: Received): StubAnswer => {
    asked += 1;
    if (fails(asked)) return { status: 503 };
    const query = queryOf(received);
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit'))];
    const end = Math.min(offset + limit, TOTAL);
    const rows = Array.from({ length: end - offset }, (_, index) => {
      const number = TOTAL - offset - index;
      return { ...person(number), properties: { plan: number === TOTAL - 1 ? 'pro' : 'trial' } };
    });
    query.set('offset', String(end));
    return { json: { next: end < TOTAL ? `/api/projects/1/persons/?${query}` : null, results: rows } };
  };
}

describe('a selection that is exported part by part', () => {
  const line = (folder: string, words: string) =>
    `persons export ${words} -o csv --columns id --no-headers --retries 0 --save ${join(folder, 'out')} --resume ${join(folder, 'state')}`;

  it('goes on with the same conditions, and tells at its end who does not satisfy them', async () => {
    const folder = temporaryDirectory();
    const service = await startService([trialList((asked) => asked === 2)]);
    expect((await service.hogctl(line(folder, TRIAL))).code).toBe(6);
    const { code, stderr } = await service.hogctl(line(folder, TRIAL));
    expect(code).toBe(0);
    expect(stderr).toContain('Continuing after 1000 persons.');
    expect(stderr).toContain(
      `warning: 1 of these persons does not satisfy every condition: person ${TOTAL - 1}`,
    );
    const ids = readFileSync(join(folder, 'out'), 'utf8').trimEnd().split('\n');
    expect([ids.length, new Set(ids).size]).toEqual([TOTAL, TOTAL]);
    const filters = new Set(service.log.map((received) => queryOf(received).get('properties')));
    expect([...filters]).toEqual(['[{"key":"plan","operator":"exact","value":"trial","type":"person"}]']);
  });

  it('is refused with other conditions before anything is sent', async () => {
    const folder = temporaryDirectory();
    const service = await startService([trialList((asked) => asked === 2)]);
    expect((await service.hogctl(line(folder, TRIAL))).code).toBe(6);
    const asked = service.log.length;
    for (const words of [
      '',
      '--via list',
      '--property plan:exact=pro',
      `${TRIAL} --search a`,
      '--cohort 3',
    ]) {
      const environment = { HOGCTL_DIALECT: 'live' };
      const { code, stderr } = await service.hogctl(line(folder, words), { environment });
      expect(code).toBe(2);
      expect(stderr).toContain('belongs to another export: its conditions are {"properties":[{"key":"plan"');
    }
    expect(requestsTo(service)).toHaveLength(asked);
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });

  it('goes on with all persons where the state is older than conditions', async () => {
    const folder = temporaryDirectory();
    const service = await startService([trialList((asked) => asked === 2)]);
    expect((await service.hogctl(line(folder, '--via list'))).code).toBe(6);
    const { conditions, ...state } = JSON.parse(readFileSync(join(folder, 'state'), 'utf8'));
    expect(conditions).toBe('{}');
    delete state.place.list.unmet;
    writeFileSync(join(folder, 'state'), JSON.stringify(state));
    const { code, stderr } = await service.hogctl(line(folder, '--via list'));
    expect([code, stderr]).toEqual([0, expect.stringContaining('Continuing after 1000 persons.')]);
  });
});
