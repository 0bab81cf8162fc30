import { describe, expect, it } from 'vitest';
import { golden } from '../support/golden.ts';
import { person, requestsTo, startService } from '../support/service.ts';

const wide = { terminal: { columns: 100 } };

const dialects = { cohorts: 'specification', 'cohorts-live': 'live' } as const;

describe.each(Object.entries(dialects))('%s on the sandbox in the %s dialect', (folder, dialect) => {
  const { shows } = golden(folder, { dialect });
  shows('lists cohorts on a terminal', 'cohorts list', wide);
  shows('lists cohorts as csv', 'cohorts list -o csv');
  shows('says that there are more cohorts', 'cohorts list --limit 2');
  shows('shows a cohort', 'cohorts get 1', wide);
  shows('shows a cohort as json', 'cohorts get 3 -o json');
  shows('misses a cohort', 'cohorts get 9');
  shows('refuses a name in place of an id', 'cohorts get beta');
  shows('lists the persons of a cohort on a terminal', 'cohorts persons 3 --limit 3', wide);
  shows('lists the persons of a cohort as csv', 'cohorts persons 3 --limit 2 -o csv');
  shows('counts the persons of a cohort', 'cohorts persons 3 --all -o ndjson --columns id');
  shows('misses a cohort whose persons are asked for', 'cohorts persons 9');
});

const cohort = (id: number, more = {}) => ({
  id,
  name: `cohort ${id}`,
  count: 2,
  is_static: false,
  is_calculating: false,
  last_calculation: '2026-06-01T00:00:00Z',
  errors_calculating: 0,
  ...more,
});

const page = (results: readonly unknown[]) => ({ json: { next: null, previous: null, results } });

describe('cohorts whose people are not final', () => {
  it('are named at the end of the list, ten of them', async () => {
    const others = Array.from({ length: 10 }, (_, index) => cohort(10 + index, { is_calculating: true }));
    const service = await startService([
      page([
        cohort(1),
        cohort(2, { is_static: true, last_calculation: null }),
        cohort(3, { is_calculating: true }),
        cohort(4, { errors_calculating: 2 }),
        cohort(5, { last_calculation: null }),
        ...others,
      ]),
    ]);
    const { code, stderr } = await service.hogctl('cohorts list -q');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'warning: 13 cohorts are not final: 3 (it is being calculated), 4 (2 calculations',
    );
    expect(stderr).toContain('failed since, its persons are those of 2026-06-01T00:00:00Z), 5 (it was never');
    expect(stderr).toContain('and 3 more');
    expect(stderr).not.toContain(' 2 (');
  });

  it('are told before their persons, which are read all the same', async () => {
    const service = await startService([
      { json: cohort(3, { is_calculating: true }) },
      page([person(1), person(2)]),
    ]);
    const { code, stdout, stderr } = await service.hogctl('cohorts persons 3 --all -o csv --columns id');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'id\n1\n2\n' });
    expect(stderr).toBe('warning: cohort 3 is not final: it is being calculated\n');
    expect(requestsTo(service)).toEqual([
      'GET /api/projects/1/cohorts/3/',
      'GET /api/projects/1/cohorts/3/persons/?limit=1000',
    ]);
  });
});

describe('the persons of a cohort', () => {
  it('end with 8 in a file if the list may have cut their distinct ids, and not in a table', async () => {
    const many = { ...person(1), distinct_ids: Array.from({ length: 1000 }, (_, index) => `d${index}`) };
    const service = await startService([
      { json: cohort(3), times: 2, on: 'GET /api/projects/1/cohorts/3/' },
      { ...page([many]), times: 2 },
    ]);
    const cut = await service.hogctl('cohorts persons 3 -o ndjson');
    expect(cut.code).toBe(8);
    expect(cut.stderr).toContain('1 person may have more distinct ids than the list shows');
    expect((await service.hogctl('cohorts persons 3')).code).toBe(0);
  });

  it('come over several pages', async () => {
    const next = '/api/projects/1/cohorts/3/persons/?limit=2&offset=2';
    const service = await startService([
      { json: cohort(3) },
      { json: { next, previous: null, results: [person(1), person(2)] } },
      page([person(3)]),
    ]);
    const { stdout } = await service.hogctl('cohorts persons 3 --all --limit 2 -o csv --columns id');
    expect(stdout).toBe('id\n1\n2\n3\n');
  });
});
