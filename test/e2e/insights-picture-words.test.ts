import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at, NOW } from '../support/dated-insight.ts';
import { startService, temporaryDirectory } from '../support/service.ts';

/** The cells of a page, a list for each row. */
const cellsOf = (page: string) =>
  [...page.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[dh]>(.*?)<\/t[dh]>/g)].map(([, cell]) => cell),
  );

async function save(answer: object, line: string, ending = 'html') {
  const { hogctl } = await startService([() => ({ json: answer })]);
  const file = join(temporaryDirectory(), `picture.${ending}`);
  const transcript = await hogctl(`${line} --save ${file}`);
  return { ...transcript, page: existsSync(file) ? readFileSync(file, 'utf8') : '' };
}

const funnel = {
  result: [
    { order: 0, name: 'signup', count: 300, average_conversion_time: null },
    { order: 1, name: 'paid', count: 177, average_conversion_time: 100.57627118644068 },
  ],
};

describe('the page of a chart', () => {
  it('rounds as its picture does, counts steps from 1, and has headings of words', async () => {
    const { page } = await save(funnel, 'insights funnel --events signup,paid');
    const [head, , second] = cellsOf(page);
    expect(head).toEqual([
      'step',
      'name',
      'count',
      'from previous %',
      'from first %',
      'dropped',
      'average time',
    ]);
    expect(second).toEqual(['2', 'paid', '177', '59', '59', '123', '1m 41s']);
    expect(page).not.toContain('100.576');
  });

  it('says of which project and of what it is', async () => {
    const { page } = await save(funnel, 'insights funnel --events signup,paid --date-from -30d');
    expect(page).toContain('<h1>Funnel: signup → paid</h1>');
    expect(page).toMatch(/<p class="small">Project 1 at 127\.0\.0\.1</);
    expect(page).toContain('Last 30 days');
  });

  it('has the title that was given, and so has a picture', async () => {
    const line = 'insights funnel --events signup,paid --title Onboarding';
    expect((await save(funnel, line)).page).toContain('<h1>Onboarding</h1>');
    expect((await save(funnel, line, 'svg')).page).toContain('Onboarding');
    expect((await save(funnel, line, 'csv')).code).toBe(2);
  });
});

describe('a breakdown by what nothing has', () => {
  it.each([
    ['insights funnel --events a,b --breakdown newsletterx', [['']]],
    ['insights funnel --events a,b --breakdown newsletterx', [null]],
    ['insights funnel --events a,b --breakdown newsletterx', ['$$_posthog_breakdown_null_$$']],
  ])('is told', async (line, [value]) => {
    const steps = [5, 2].map((count, order) => ({ order, name: `s${order}`, count, breakdown_value: value }));
    const { hogctl } = await startService([() => ({ json: { result: [steps] } })]);
    const { stderr } = await hogctl(`${line} --breakdown-type person`);
    expect(stderr).toContain(
      'Nothing has a value of the person property "newsletterx": its name may be wrong.',
    );
  });

  it('is not told if one has it', async () => {
    const steps = (value: string) =>
      [5, 2].map((count, order) => ({ order, name: 's', count, breakdown_value: [value] }));
    const { hogctl } = await startService([() => ({ json: { result: [steps(''), steps('yes')] } })]);
    expect((await hogctl('insights funnel --events a,b --breakdown newsletter')).stderr).toBe('');
  });
});

describe('a table that is no chart', () => {
  const rows = [
    ['2026-11-25', 5],
    ['2026-11-26', 7],
    ['2026-11-27', 6],
  ];
  const source = {
    kind: 'HogQLQuery',
    query: 'select toDate(timestamp) day, count() n from events group by day',
  };

  it.each([
    ['a DataTableNode', { kind: 'DataTableNode', source }],
    ['a table of SQL', { kind: 'DataVisualizationNode', source, display: 'ActionsTable' }],
  ])('is never drawn as one: %s', async (_, query) => {
    const { hogctl } = await at(NOW, { query, result: rows, columns: ['day', 'n'] });
    const { stdout, stderr } = await hogctl('insights get 9 --chart');
    expect(stderr).toContain('This has no chart, so a table shows it.');
    expect(stdout).toMatch(/2026-11-26 +7/);
    const drawn = await at(NOW, {
      query: { ...query, kind: 'DataVisualizationNode', display: 'ActionsLineGraph' },
      result: rows,
      columns: ['day', 'n'],
    });
    expect((await drawn.hogctl('insights get 9 --chart')).stdout).toContain('┤');
  });
});
