import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/json/kinds.ts';
import type { Figures } from '../../../../src/semantics/answer.ts';
import { insightRows } from '../../../../src/semantics/figures/figures.ts';
import { insightNames, readInsight } from '../../../support/truth.ts';
import { showRows } from '../../print/show.ts';

function figuresOf(answer: JsonObject, asked = {}): Figures {
  const rows = insightRows({ ...answer, ...asked });
  if (rows.outcome !== 'rows') throw new Error(`no rows: ${rows.message}`);
  return rows.figures;
}

function read(name: string): JsonObject {
  return JSON.parse(readInsight(name));
}

/** CSV lines of the columns the figures name, header first. */
async function linesOf({ rows, columns }: Figures): Promise<string[]> {
  const keys = columns.map(({ key }) => key);
  const { text } = await showRows([rows], { format: 'csv', columns: keys });
  return text.split('\n').slice(0, -1);
}

async function fixture(name: string): Promise<{ kind: string; lines: string[]; summary: Json | undefined }> {
  const figures = figuresOf(read(name));
  return { kind: figures.kind, lines: await linesOf(figures), summary: figures.summary };
}

describe('figures of answers of the live service', () => {
  it('reads every fixture into rows', () => {
    const kinds = insightNames.map((name) => [name, figuresOf(read(name)).kind]);
    expect(Object.fromEntries(kinds)).toMatchObject({
      dataTableHogQL: 'sql',
      dataVisualizationHogQL: 'sql',
      editorFiltersLongValue: 'trends',
      funnelCorrelation: 'correlation',
      funnelHistoricalTrends: 'funnel-trends',
      funnelLeftToRight: 'funnel-steps',
      funnelLeftToRightBreakdown: 'funnel-steps',
      funnelLeftToRightCompare: 'funnel-steps',
      funnelTimeToConvert: 'time-to-convert',
      funnelTopToBottomBreakdown: 'funnel-steps',
      lifecycle: 'lifecycle',
      retention: 'retention',
      sqlBarChart: 'sql',
      trendsBar: 'trends',
      trendsBoxPlot: 'box-plot',
      trendsNumber: 'total',
      trendsNumberEmpty: 'trends',
      trendsPieBreakdown: 'total',
      trendsSlopeGraph: 'trends',
      userPaths: 'paths',
    });
    expect(kinds).toHaveLength(34);
  });

  it('reads the steps of a funnel, counting conversion past an optional step from the one before', async () => {
    const { lines } = await fixture('funnelLeftToRight');
    expect(lines).toEqual([
      'order,name,optional,count,conversion_from_previous,conversion_from_first,dropped,average_conversion_time,median_conversion_time',
      '0,$pageview,,20166,,100,,,',
      '1,$pageview,true,8438,41.84,41.84,,370.48673834484913,0',
      '2,$pageview,,2864,14.2,14.2,17302,398.36358625967165,0',
    ]);
  });

  it.each(['funnelLeftToRightBreakdown', 'funnelTopToBottomBreakdown'])(
    'reads one funnel for each breakdown: %s',
    async (name) => {
      const { lines } = await fixture(name);
      expect(lines.slice(1, 7)).toEqual([
        '92,0,$pageview,597,,100,,,',
        '92,1,$pageview,1,0.17,0.17,596,0,0',
        '92,2,$pageview,0,0,0,1,,',
        '100,0,$pageview,19568,,100,,,',
        '100,1,$pageview,8436,43.11,43.11,11132,370.4660714933768,0',
        '100,2,$pageview,2863,33.94,14.63,5573,398.24871074618267,0',
      ]);
      expect(lines).toHaveLength(10);
    },
  );

  it('keeps the two periods of a comparison apart', async () => {
    const { lines } = await fixture('funnelLeftToRightCompare');
    expect(lines[3]).toBe('current,2,$pageview,,2864,14.2,14.2,17302,398.36358625967165,0');
    expect(lines[4]).toBe('previous,0,$pageview,,16000,,100,,,');
    expect(lines[6]).toBe('previous,2,$pageview,,1900,11.88,11.88,14100,458.11812419862235,0');
  });

  it('reads the bins of a time to convert and its average', async () => {
    const { lines, summary } = await fixture('funnelTimeToConvert');
    expect(lines.slice(0, 3)).toEqual(['seconds_from,seconds_to,persons', '0,14435,4562', '14435,28870,19']);
    expect(lines.at(-1)).toBe('245395,,0');
    expect(lines).toHaveLength(19);
    expect(summary).toEqual({ average_conversion_time: 1060.7 });
  });

  it('reads the conversion of each day', async () => {
    const { lines } = await fixture('funnelHistoricalTrends');
    expect(lines.slice(0, 3)).toEqual(['day,conversion_rate', '2022-03-08,14.05', '2022-03-09,15.61']);
    expect(lines).toHaveLength(9);
  });

  it('reads correlated events', async () => {
    const { lines, summary } = await fixture('funnelCorrelation');
    expect(lines).toEqual([
      'event,correlation_type,odds_ratio,success_count,failure_count',
      'score updated,success,3006.964172813488,472,9',
      'onboard teammate clicked,success,2750.7485294117646,60,0',
      'cancellation prompt shown,failure,35.41070956534874,65,75',
    ]);
    expect(summary).toEqual({ skewed: true });
  });

  it('reads the triangle of a retention, cells of the future empty', async () => {
    const { lines } = await fixture('retention');
    expect(lines[0]).toBe('date,label,Day 0,Day 1,Day 2,Day 3,Day 4,Day 5,Day 6,Day 7,Day 8,Day 9,Day 10');
    expect(lines[4]).toBe('2022-03-07T00:00:00Z,Day 3,6783,31,20,7,0,0,0,0,,,');
    expect(lines[11]).toBe('2022-03-14T00:00:00Z,Day 10,10,,,,,,,,,,');
    expect(lines).toHaveLength(12);
  });

  it('reads a lifecycle day by day', async () => {
    const { lines } = await fixture('lifecycle');
    expect(lines.slice(0, 3)).toEqual([
      'day,new,dormant,resurrecting,returning',
      '2022-03-08,10220,-6752,2,31',
      '2022-03-09,6578,-10221,32,32',
    ]);
    expect(lines).toHaveLength(9);
  });

  it('reads series of trends, with breakdowns and without', async () => {
    expect((await fixture('trendsBar')).lines.slice(0, 2)).toEqual([
      'label,day,value',
      '$pageview,2022-03-08,22870',
    ]);
    const slope = await fixture('trendsSlopeGraph');
    expect(slope.lines).toEqual([
      'label,breakdown_value,day,value',
      '$pageview - 1.10.5,1.10.5,2022-03-08,22750',
      '$pageview - 1.10.5,1.10.5,2022-03-15,0',
      '$pageview - 1.13.9,1.13.9,2022-03-08,0',
      '$pageview - 1.13.9,1.13.9,2022-03-15,0',
      '$pageview - 1.17.9,1.17.9,2022-03-08,120',
      '$pageview - 1.17.9,1.17.9,2022-03-15,0',
    ]);
    expect((await fixture('trendsLineSingleDataPoint')).lines[1]).toBe('$pageview,2026-01-20,1542');
    const multi = (await fixture('trendsLineMulti')).lines;
    expect(multi[1]).toBe('$pageview,2023-07-03,85');
    expect(multi).toHaveLength(25);
  });

  it('reads one figure a series where the display has only that', async () => {
    expect((await fixture('trendsNumber')).lines).toEqual(['label,aggregated_value', 'signed_up,3141592']);
    expect((await fixture('trendsTable')).lines).toEqual(['label,aggregated_value', '$pageview,47258']);
    const pie = (await fixture('trendsPieBreakdown')).lines;
    expect(pie.slice(0, 2)).toEqual(['label,breakdown_value,aggregated_value', '$pageview - 100,100,44182']);
    expect((await fixture('trendsWorldMap')).lines[1]).toBe('$pageview - AU,AU,1732');
  });

  it('reads an empty list as no rows', () => {
    expect(figuresOf(read('trendsNumberEmpty')).rows).toEqual([]);
  });

  it('reads the five numbers of a box plot', async () => {
    const { lines } = await fixture('trendsBoxPlot');
    expect(lines.slice(0, 2)).toEqual([
      'day,min,p25,median,mean,p75,max',
      '2022-03-05,12.5,45,78.3,85.2,120,210',
    ]);
    expect(lines).toHaveLength(8);
  });

  it('reads the edges of paths', async () => {
    const { lines } = await fixture('userPaths');
    expect(lines[1]).toBe(
      '1_http://amazingstore.com,2_http://amazingstore.com/product,3705,1.3878542510121457',
    );
    expect(lines).toHaveLength(50);
  });

  it('reads the rows of SQL under their names', async () => {
    const { lines } = await fixture('dataTableHogQL');
    expect(lines[0]).toBe('event,person.properties.email,properties.$browser,count()');
    expect(lines).toHaveLength(101);
    const palette = await fixture('sqlTableConditionalFormatting');
    expect(palette.lines.slice(0, 2)).toEqual([
      'color,light,dark',
      expect.stringMatching(/^Red \(default\),#[0-9A-F]{6},#[0-9A-F]{6}$/i),
    ]);
    expect((await fixture('sqlBarChart')).lines[1]).toMatch(/^2025-10-01,\d+,/);
  });
});

describe('funnel answers have several shapes', () => {
  const steps = { query: { kind: 'FunnelsQuery' } };

  it('says why there is no result', () => {
    expect(insightRows({ result: null, ...steps })).toMatchObject({
      outcome: 'no-result',
      reason: 'not-calculated',
    });
    const running = { result: null, query_status: { complete: false } };
    expect(insightRows(running)).toMatchObject({ outcome: 'no-result', reason: 'running' });
    const failed = {
      result: null,
      query_status: { complete: true, error: true, error_message: 'concurrency_limit_exceeded' },
    };
    expect(insightRows(failed)).toMatchObject({
      reason: 'failed',
      message: 'the calculation failed: concurrency_limit_exceeded',
    });
  });

  it('has no rows for an empty list, whatever was asked', () => {
    for (const funnelVizType of ['steps', 'trends', 'time_to_convert']) {
      const asked = { query: { kind: 'FunnelsQuery', funnelsFilter: { funnelVizType } } };
      expect(figuresOf({ result: [] }, asked).rows).toEqual([]);
    }
    expect(figuresOf({ result: [] }).rows).toEqual([]);
  });

  it('leaves averages blank that nobody has', async () => {
    const figures = figuresOf({ result: { bins: [[0, 0]], average_conversion_time: null } });
    expect(figures).toMatchObject({ kind: 'time-to-convert', summary: { average_conversion_time: null } });
    const none = [0, 1].map((order) => ({ order, name: 'x', count: 0, average_conversion_time: null }));
    expect(await linesOf(figuresOf({ result: none }))).toEqual([
      'order,name,count,conversion_from_previous,conversion_from_first,dropped,average_conversion_time,median_conversion_time',
      '0,x,0,,,,,',
      '1,x,0,,,0,,',
    ]);
  });

  it('knows the shapes without being told what was asked', () => {
    const step = { order: '0', name: 'x', count: 1 };
    expect(figuresOf({ result: [[{ ...step, breakdown_value: ['a', 'b'] }]] }).rows[0]).toMatchObject({
      breakdown_value: ['a', 'b'],
    });
    expect(figuresOf({ result: [{ count: 1, data: [50], days: ['2026-01-01'], labels: [] }] }).kind).toBe(
      'funnel-trends',
    );
    expect(figuresOf({ result: [{ label: 'a', data: [1], days: ['2026-01-01'] }] }).kind).toBe('trends');
  });

  it('calls a shape unknown that it does not know', () => {
    for (const result of ['text', 7, { data: [] }, [1, 2], [{ a: 1 }, 3]]) {
      expect(insightRows({ result })).toMatchObject({ outcome: 'unknown' });
    }
    expect(insightRows([])).toMatchObject({ outcome: 'unknown' });
  });
});

describe('other answers', () => {
  it('numbers columns of SQL that share a name and reads results of the query endpoint', async () => {
    const answer = { results: [[1, 2, null]], columns: ['count()', 'count()', '__proto__'] };
    const figures = figuresOf(answer, { query: { kind: 'HogQLQuery' } });
    expect(await linesOf(figures)).toEqual(['count(),count() (2),__proto__', '1,2,']);
  });

  it('tells series apart that look the same', async () => {
    const one = { label: '$pageview', data: [1], days: ['2026-01-01'] };
    expect(await linesOf(figuresOf({ result: [one, { ...one, data: [null] }] }))).toEqual([
      'order,label,day,value',
      '0,$pageview,2026-01-01,1',
      '1,$pageview,2026-01-01,',
    ]);
  });

  it('reads stickiness as people for each number of days', async () => {
    const result = [
      { label: '$pageview', count: 3, data: [2, 1], days: [1, 2], labels: ['1 day', '2 days'] },
    ];
    const figures = figuresOf({ result }, { filters: { insight: 'STICKINESS' } });
    expect(figures.kind).toBe('stickiness');
    expect(await linesOf(figures)).toEqual(['label,days,value', '$pageview,1,2', '$pageview,2,1']);
  });

  it('names retention intervals by the label of their cell when there is one', async () => {
    const result = [
      {
        date: 'd',
        label: 'Jan',
        values: [
          { count: 5, label: 'Week 0' },
          { count: 2, label: 'Week 1' },
        ],
      },
    ];
    expect(await linesOf(figuresOf({ result }))).toEqual(['date,label,Week 0,Week 1', 'd,Jan,5,2']);
  });
});
