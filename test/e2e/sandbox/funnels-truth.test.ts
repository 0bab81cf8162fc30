import { describe, expect, it } from 'vitest';
import { openSandbox, type TestAnswer } from '../../support/open-sandbox.ts';
import { readTruth } from '../../support/truth.ts';

/** One or two of each topic; the analysis itself is held against all of them. */
const CHOSEN = [
  'F-ORD-01',
  'F-REP-01',
  'F-TIE-01',
  'F-WIN-01',
  'F-STR-01',
  'F-UNO-02',
  'F-EXC-01',
  'F-ERR-01',
  'F-PRO-01',
  'F-PRO-02',
  'F-PRO-04',
  'F-PRO-05',
  'F-ACT-01',
  'F-GRP-01',
  'F-BRK-01',
  'F-BRK-05',
  'F-CNV-01',
  'F-TTC-01',
  'F-TRE-02',
  'F-PER-01',
  'F-PER-02',
];

// The cases hold what the service's own tests assert; each test looks only at the keys its case has.
// biome-ignore lint/suspicious/noExplicitAny: the file's shape is described beside it, not by a type of ours
type Case = any;

const cases = readTruth<Case>('funnels').filter(({ id }) => CHOSEN.includes(id));

const open = ({ data, project, now }: Case, dialect: 'specification' | 'live') =>
  openSandbox({ dialect, data: { ...data, project }, now: now ?? '2026-11-01T12:00:00Z' });

function matchSteps(found: Case, expected: Case): void {
  for (const { order, ...fields } of expected) {
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'number') expect(found[order][name], `${name} of ${order}`).toBeCloseTo(value, 6);
      else expect(found[order][name], `${name} of ${order}`).toEqual(value);
    }
  }
}

function matchResult(result: Case, expected: Case): void {
  if (expected.steps) matchSteps(result, expected.steps);
  if (expected.steps_total !== undefined) expect(result).toHaveLength(expected.steps_total);
  for (const { value, steps } of expected.breakdowns ?? []) {
    const own = result.find(
      (list: Case) => JSON.stringify(list[0].breakdown_value) === JSON.stringify(value),
    );
    expect(own, `value ${value}`).toBeDefined();
    matchSteps(own, steps);
  }
  if (expected.breakdowns_total !== undefined) expect(result).toHaveLength(expected.breakdowns_total);
  if (expected.trend?.conversion_rate) {
    const rates = expected.trend.conversion_rate;
    const found = result[0].data.map((rate: number, index: number) => (rates[index] === null ? null : rate));
    expect(found).toEqual(rates);
  }
  if (expected.time_to_convert) expect(result.bins).toEqual(expected.time_to_convert.bins);
}

function fieldsOf(persons: Case) {
  return {
    funnel_step: persons.funnel_step,
    entrance_period_start: persons.entrance_period_start,
    drop_off: persons.drop_off,
    funnel_step_breakdown: persons.breakdown,
  };
}

async function readPages(post: (path: string, body: unknown) => Promise<TestAnswer>, body: unknown) {
  const pages: Case[][] = [];
  let path: string | null = 'persons/funnel/';
  while (path !== null) {
    const answer: TestAnswer = await post(path, body);
    expect(answer.status).toBe(200);
    pages.push(answer.body.results[0].people);
    expect(answer.body.results[0].count).toBe(answer.body.results[0].people.length);
    const { next }: { next: string | null } = answer.body;
    path = next === null ? null : new URL(next).pathname + new URL(next).search;
  }
  return pages;
}

describe('funnels as the service itself tests them', () => {
  it('has its 21 expected cases', () => {
    expect(cases).toHaveLength(21);
  });

  it.each(cases)('$id $title, specification dialect', async (truth) => {
    const { post } = await open(truth, 'specification');
    const answer = await post('insights/funnel/', truth.request);
    if (truth.expect.error) {
      expect(answer).toMatchObject({ status: truth.expect.error.status, body: { type: 'validation_error' } });
      return;
    }
    expect(answer.status).toBe(200);
    matchResult(answer.body.result, truth.expect);
    for (const persons of truth.expect.persons ?? []) {
      const body = { ...truth.request, ...fieldsOf(persons) };
      if (persons.error) {
        expect((await post('persons/funnel/', body)).status).toBe(persons.error.status);
        continue;
      }
      const pages = await readPages(post, body);
      if (persons.pages) expect(pages.map(({ length }) => length)).toEqual(persons.pages);
      if (persons.count !== undefined) expect(pages.flat()).toHaveLength(persons.count);
      if (persons.distinct_ids) {
        const found = pages
          .flat()
          .map(({ distinct_ids: own }: Case) => own.find((id: string) => persons.distinct_ids.includes(id)));
        expect(found.toSorted()).toEqual(persons.distinct_ids.toSorted());
      }
    }
  });

  it.each(cases.slice(0, 2))('$id $title, live dialect', async (truth) => {
    const { post } = await open(truth, 'live');
    matchResult((await post('insights/funnel/', truth.request)).body.result, truth.expect);
  });
});
