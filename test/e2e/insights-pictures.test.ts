import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSvg } from '../support/read-svg.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { insightNames, readInsight } from '../support/truth.ts';

/** What each of them has to say, read off the answers by hand; none where a table shows it better. */
const words: Readonly<Record<string, readonly string[]>> = {
  dataTableHogQL: [],
  dataVisualizationHogQL: [],
  sqlTableConditionalFormatting: [],
  trendsNumberEmpty: [],
  editorFiltersLongValue: [
    'Trends with long filter value',
    '$pageview',
    '22,870',
    '15,044',
    '796',
    '2022-03-04',
  ],
  funnelCorrelation: ['score updated (success), odds ratio 3006.96', '472 of 481', '60 of 60', '65 of 140'],
  funnelHistoricalTrends: ['14.05%', '16.66%', '0%', '20%', '2022-03-08', '2022-03-15'],
  funnelLeftToRight: ['1 $pageview', '2 $pageview (optional)', '20,166', '8,438', '2,864'],
  funnelLeftToRightBreakdown: [
    '92',
    '98',
    '100',
    '597',
    '19,568',
    '8,436',
    '0% of previous, 0% of first, 1 dropped',
  ],
  funnelLeftToRightCompare: ['current', 'previous', '20,166', '16,000', '2,864', '1,900'],
  funnelTimeToConvert: ['0s to 4h 35s', '4,562', 'from 2d 20h 9m 55s', '19', '12'],
  funnelTopToBottomBreakdown: ['92', '98', '100', '597', '19,568', '2,863', 'Each value has its own scale.'],
  lifecycle: ['N new', 'U resurrecting', 'R returning', 'D dormant', '2022-03-08', '2022-03-15'],
  retention: ['Day 0', '2022-03-04', '6,783', '10,222', '10', '-', '<1%', '49%'],
  sqlBarChart: ['s0', 's4', 'A step without a column is zero or has no figure.', '2025-10-01', '2026-03-01'],
  sqlLineChart: ['SQL with nulls', 'A s0', 'B s1', 'E s4', '50k', '2026-03-01'],
  trendsBar: ['$pageview', '22,870', '15,044', '6,675', '2,557', '112', '0'],
  trendsBoxPlot: ['Revenue sum', '78.3', '105.0', '300', '2022-03-05'],
  trendsCumulative: ['$pageview', '22,870', '37,914', '47,258'],
  trendsLine: ['$pageview', '22,870', '15,625', '796', '2022-03-11'],
  trendsLineBreakdown: ['A $pageview - 1.10.5', 'B $pageview - 1.13.9', 'C $pageview - 1.17.9', '25k'],
  trendsLineMulti: ['A $pageview', 'B $rageclick', 'C All events', '300', '2023-07-03'],
  trendsLineSingleDataPoint: ['Single Day Trend', '1,542', '0', '2026-01-20'],
  trendsLineWithDisplayOptions: ['22,870', '15,044', '796'],
  trendsMetric: ['Metric', '22,870', '796'],
  trendsNumber: ['Signups!', '3,141,592', 'signed_up', 'Last 7 days'],
  trendsPieBreakdown: ['44,182 (93.49%)', '2,478 (5.24%)', '598 (1.27%)', '$pageview - 100'],
  trendsSlopeGraph: ['A $pageview - 1.10.5', 'C $pageview - 1.17.9', '2022-03-15'],
  trendsTable: ['$pageview', '47,258'],
  trendsTableBreakdown: ['$pageview - 100', '44,182', '598', '2,478'],
  trendsValue: ['$pageview', '47,258'],
  trendsValueBreakdown: ['$pageview - 92', '44,182', '598', '2,478'],
  trendsWorldMap: ['$pageview - AU', '1,732', '$pageview - IS', '6'],
  userPaths: [
    '1_http://amazingstore.com → 2_http://amazingstore.com/product',
    '3,705',
    '1,477',
    'The 15 most used of 49.',
  ],
};
const drawn = Object.entries(words).filter(([, said]) => said.length > 0);
const tables = Object.entries(words).filter(([, said]) => said.length === 0);

async function save(name: string) {
  const json = readInsight(name);
  const service = await startService([{ body: json, headers: { 'content-type': 'application/json' } }]);
  const file = join(temporaryDirectory(), 'chart.svg');
  // The answer of a correlation is no insight.
  const line =
    name === 'funnelCorrelation'
      ? ['insights', 'funnel-correlation', '--events', 'a,b']
      : ['insights', 'get', '9'];
  const transcript = await service.hogctl([...line, '--save', file]);
  return { ...transcript, svg: existsSync(file) ? readFileSync(file, 'utf8') : undefined };
}

describe('pictures of insights of the live service', () => {
  it('are asked for here, each of them', () => {
    expect(Object.keys(words).toSorted()).toEqual(insightNames.toSorted());
  });

  it.each(drawn)('say what the answer says: %s', async (name, said) => {
    const { code, stdout, stderr, svg } = await save(name);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
    const { tags, texts } = readSvg(svg ?? '');
    expect(
      said.filter((word) => !texts.includes(word)),
      texts.join(' | '),
    ).toEqual([]);
    const { width, height } = tags[0]?.attributes ?? {};
    const ground = tags.find(({ name: tag }) => tag === 'rect');
    expect(ground?.attributes).toMatchObject({ width, height, class: 'ground' });
  });

  it.each(tables)('are refused where a table shows it better: %s', async (name) => {
    const { code, stdout, stderr, svg } = await save(name);
    expect({ code, stdout, svg }).toEqual({ code: 2, stdout: '', svg: undefined });
    expect(stderr).toContain('this result cannot be drawn as a picture');
  });
});

describe('a picture that is saved', () => {
  const series = { label: 'orders', data: [4, 2], days: ['2026-01-01', '2026-01-02'] };
  const insight = {
    id: 9,
    short_id: 'zeNY2NOU',
    name: 'Orders',
    last_refresh: '2026-01-02T03:04:05Z',
    result: [series],
  };

  async function saved(answer: object, line = 'insights get 9') {
    const service = await startService([{ json: answer }]);
    const file = join(temporaryDirectory(), 'chart.svg');
    const { code, stderr } = await service.hogctl([...line.split(' '), '--save', file]);
    return { code, stderr, texts: existsSync(file) ? readSvg(readFileSync(file, 'utf8')).texts : [] };
  }

  it('insightNames the insight as stderr does', async () => {
    const { stderr, texts } = await saved(insight);
    expect(texts.slice(2, 5)).toEqual([
      'Orders',
      '2026-01-01 to 2026-01-02',
      'insight 9 (zeNY2NOU), calculated 2026-01-02T03:04:05Z',
    ]);
    expect(stderr).toContain('Orders, insight 9 (zeNY2NOU), calculated 2026-01-02T03:04:05Z');
  });

  it('says that its figures are old ones, as stderr does', async () => {
    const { stderr, texts } = await saved({ ...insight, query_status: { id: 'q1', complete: false } });
    const note =
      'insight 9 (zeNY2NOU) is still being calculated as query q1; the figures are those of 2026-01-02T03:04:05Z';
    expect(texts).toContain(note);
    expect(stderr).toContain(`warning: ${note}\n`);
  });

  it('is told of when it is there, unless it is to be quiet', async () => {
    expect((await saved(insight)).stderr).toMatch(/\nSaved to [^\n]*chart\.svg\.\n$/);
    expect((await saved(insight, 'insights get 9 -q')).stderr).toBe('');
  });

  it('says that its insight is deleted', async () => {
    expect((await saved({ ...insight, deleted: true })).texts).toContain('insight 9 (zeNY2NOU) is deleted');
  });

  it('has the name of its analysis where there is no insight', async () => {
    const step = { name: 'paid', order: 0, count: 3 };
    const { texts } = await saved({ result: [step] }, 'insights funnel --events paid --date-from -30d');
    expect(texts).toEqual(expect.arrayContaining(['Funnel: paid', 'Last 30 days', '1 paid', '3']));
  });

  it.each([
    ['a shape that nobody knows', { result: { unheard: 'of' } }],
    ['no rows', { result: [] }],
  ])('is refused for %s', async (_, answer) => {
    const { code, stderr, texts } = await saved({ ...insight, ...answer });
    expect({ code, texts }).toEqual({ code: 2, texts: [] });
    expect(stderr).toContain('this result cannot be drawn as a picture');
  });
});

describe('a picture', () => {
  const noon = () => Date.parse('2026-01-03T12:00:00Z');
  const days = ['2026-01-01', '2026-01-02', '2026-01-03'];

  async function tagsOf(source: object, result: readonly object[]) {
    const json = { id: 9, query: { kind: 'InsightVizNode', source }, result };
    const service = await startService([{ json }]);
    const file = join(temporaryDirectory(), 'chart.svg');
    const { code } = await service.hogctl(['insights', 'get', '9', '--save', file], { now: noon });
    expect(code).toBe(0);
    return readSvg(readFileSync(file, 'utf8')).tags;
  }

  const classes = async (source: object, result: readonly object[]) =>
    (await tagsOf(source, result)).flatMap(({ attributes }) =>
      attributes.class?.startsWith('fill') ? attributes.class : [],
    );

  it('dashes the columns of what is not over', async () => {
    const bars = { kind: 'TrendsQuery', trendsFilter: { display: 'ActionsBar' } };
    const drawn = await classes(bars, [{ label: 'paid', data: [4, 5, 1], days }]);
    expect(drawn).toEqual(['fill0', 'fill0', 'fill0', 'fill0 open']);
    const life = { kind: 'LifecycleQuery' };
    const stacked = await classes(life, [
      { status: 'new', data: [4, 5, 1], days },
      { status: 'dormant', data: [-1, -2, -3], days },
    ]);
    expect(stacked.filter((each) => each.endsWith('open'))).toEqual(['fill0 open', 'fill1 open']);
  });

  it('leaves out numbers of days that would cover others', async () => {
    const numbers = Array.from({ length: 31 }, (_, index) => index + 1);
    const result = [{ label: 'paid', days: numbers, data: numbers.map((number) => 100 - number) }];
    const tags = await tagsOf({ kind: 'StickinessQuery' }, result);
    const places = tags
      .filter(({ name, attributes }) => name === 'text' && attributes['text-anchor'] === 'middle')
      .filter(({ attributes }) => attributes.class === 'faint')
      .map(({ attributes }) => Number(attributes.x));
    expect(places.length).toBeGreaterThan(10);
    // "on 31" takes some 30 points.
    expect(places.slice(1).every((x, at) => x - (places[at] ?? 0) > 35)).toBe(true);
  });
});
