import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, it, onTestFinished } from 'vitest';
import { matchGolden } from '../support/golden.ts';
import { startService } from '../support/service.ts';
import { insightNames, readInsight } from '../support/truth.ts';

/** One of each kind: the signs of ASCII differ by kind alone. */
const kinds = [
  'funnelHistoricalTrends',
  'funnelLeftToRightCompare',
  'funnelTimeToConvert',
  'lifecycle',
  'retention',
  'trendsBar',
  'trendsBoxPlot',
  'trendsLineMulti',
  'trendsNumber',
  'userPaths',
];

type Place = {
  readonly columns: number;
  readonly ascii?: true;
  readonly color?: 'always';
  readonly options?: string;
};

async function show(name: string, { columns, ascii, color, options = '' }: Place) {
  const json = readInsight(name);
  // Later than any of these answers was calculated.
  const headers = { 'content-type': 'application/json', date: 'Mon, 01 Jun 2026 12:00:00 GMT' };
  const service = await startService([{ body: json, headers }]);
  // The answer of a correlation is no insight.
  const line = name === 'funnelCorrelation' ? 'insights funnel-correlation --events a,b' : 'insights get 9';
  return service.hogctl(`${line} ${options} --color ${color ?? 'never'}`.replace('  ', ' '), {
    terminal: { columns },
    environment: { LANG: ascii ? 'C' : 'en_US.UTF-8' },
  });
}

describe('insights of the live service on a terminal', () => {
  const cases = insightNames.flatMap((name) => [80, 40].map((columns) => [name, columns] as const));

  it.each(cases)('draws %s on %d columns', async (name, columns) => {
    const { code, stdout, stderr } = await show(name, { columns });
    const text = `exit ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}`;
    await matchGolden(text, `../golden/charts/${name}-${columns}.txt`);
  });

  it.each(kinds)('draws %s in ASCII', async (name) => {
    const { stdout } = await show(name, { columns: 80, ascii: true });
    expect(stdout).toMatch(/^[\n -~]*$/);
    await expect(stdout).toMatchFileSnapshot(`../golden/charts/ascii/${name}.txt`);
  });

  it.each(insightNames)('says the same of %s without colour', async (name) => {
    const [plain, colored] = await Promise.all([
      show(name, { columns: 80 }),
      show(name, { columns: 80, color: 'always' }),
    ]);
    expect(colored.stdout.replace(/\u001b\[\d+m/g, '')).toBe(plain.stdout);
  });

  it.each(insightNames)('keeps %s within 57 columns', async (name) => {
    const { stdout } = await show(name, { columns: 57 });
    expect(stdout.split('\n').filter((line) => stringWidth(line) > 57)).toEqual([]);
  });
});

describe('the chart of an insight', () => {
  const insight = {
    id: 9,
    name: 'Orders <per> day',
    query: {
      kind: 'InsightVizNode',
      source: { kind: 'TrendsQuery', trendsFilter: { display: 'ActionsBar' } },
    },
    result: [
      {
        label: 'orders',
        data: [4, 0, null, 2],
        days: ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'],
      },
    ],
  };
  const bars = [
    'orders',
    `2026-01-01 │${'█'.repeat(66)} 4`,
    '2026-01-02 │ 0',
    '2026-01-03 │ no figure',
    `2026-01-04 │${'█'.repeat(33)} 2`,
    '',
  ].join('\n');
  const get = async (options: string, setting = {}) =>
    (await startService([{ json: insight }])).hogctl(`insights get 9 ${options}`, setting);

  it('takes the place of the table where it holds every figure', async () => {
    expect((await get('', { terminal: { columns: 80 }, environment: { NO_COLOR: '1' } })).stdout).toBe(bars);
  });

  it('stands above the columns that somebody chose', async () => {
    const { stdout } = await get('--columns day,value', {
      terminal: { columns: 80 },
      environment: { NO_COLOR: '1' },
    });
    expect(stdout.startsWith(`${bars}\n`)).toBe(true);
    expect(stdout).toContain('2026-01-04 │     2');
  });

  it('goes through a pipe where it is asked for, and no further', async () => {
    expect((await get('--chart')).stdout).toBe(bars);
    expect((await get('')).stdout).not.toContain('█');
    expect(
      (await get('--no-chart', { terminal: { columns: 80 }, environment: { NO_COLOR: '1' } })).stdout,
    ).not.toContain('█');
  });

  it.each(['json', 'csv', 'ndjson', 'tsv'])('never gets into %s', async (format) => {
    const [piped, shown] = [
      await get(`-o ${format}`),
      await get(`-o ${format}`, { terminal: { columns: 80 }, environment: { NO_COLOR: '1' } }),
    ];
    expect(piped.stdout).not.toContain('█');
    expect(shown.stdout).toBe(piped.stdout);
  });

  it('is left to the table where it cannot be drawn, but not as a picture', async () => {
    const answers = [{ json: { id: 9, result: [] } }];
    const shown = await (await startService(answers)).hogctl('insights get 9 --chart');
    expect(shown).toMatchObject({ code: 0, stdout: '' });
    const saved = await (await startService(answers)).hogctl('insights get 9 --save /nowhere/chart.svg');
    expect(saved).toMatchObject({ code: 2, stdout: '' });
    expect(saved.stderr).toContain('this result cannot be drawn as a picture');
  });

  it.each(['chart.svg', 'figures.csv'])('without a result leaves no %s, and says so', async (name) => {
    const file = join(mkdtempSync(join(tmpdir(), 'hogctl-save-')), name);
    onTestFinished(() => rmSync(dirname(file), { recursive: true }));
    writeFileSync(file, 'of yesterday');
    const { hogctl } = await startService([() => ({ json: { id: 9, result: null } })]);
    const saved = await hogctl(`insights get 9 --save ${file}${name.endsWith('csv') ? ' -o csv' : ''}`);
    expect(saved).toMatchObject({ code: 6, stdout: '' });
    expect(saved.stderr).toContain(`${file} was not written: the service has no result for this insight`);
    expect(saved.stderr).toContain('hint: calculate one with --refresh');
    expect(readFileSync(file, 'utf8')).toBe('of yesterday');
  });

  it('is drawn for a funnel too', async () => {
    const step = (order: number, count: number) => ({ name: `step ${order}`, order, count });
    const service = await startService([{ json: { result: [step(0, 10), step(1, 4)] } }]);
    const { stdout } = await service.hogctl('insights funnel --events a,b --color never', {
      terminal: { columns: 40 },
    });
    expect(stdout).toContain(
      '2 step 1\n  │█████████████▋░░░░░░░░░░░░░░░░░░░░ 4\n  40% of previous, 40% of first\n  6 dropped\n',
    );
  });
});
