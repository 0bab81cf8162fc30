import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSvg } from '../support/read-svg.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { insightNames, readInsight } from '../support/truth.ts';

const days = ['2026-03-01', '2026-03-02', '2026-03-03'];
const trend = {
  id: 9,
  short_id: 'Ab12',
  name: 'Orders',
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery' } },
  result: [{ label: 'paid', data: [1100, 2, 3], days }],
  last_refresh: '2026-03-03T12:00:00Z',
};

async function save(insight: object | string, options = '') {
  const answer =
    typeof insight === 'string'
      ? { body: insight, headers: { 'content-type': 'application/json' } }
      : { json: insight };
  const service = await startService([() => answer]);
  const file = join(temporaryDirectory(), 'insight.html');
  const now = () => Date.parse('2026-03-03T12:00:00Z');
  const transcript = await service.hogctl(`insights get 9 --save ${file} ${options}`, { now });
  const page = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [picture] = /<svg.*<\/svg>/s.exec(page) ?? [];
  const rows = [...page.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[dh]>(.*?)<\/t[dh]>/g)].map(([, cell]) => cell),
  );
  return { ...transcript, page, picture, rows };
}

describe('--save insight.html', () => {
  it('writes one page with the picture and its figures', async () => {
    const { code, stdout, page, picture, rows } = await save(trend);
    expect([code, stdout]).toEqual([0, '']);
    expect(readSvg(picture ?? '').texts).toEqual(expect.arrayContaining(['paid', '1,100']));
    expect(rows).toEqual([
      ['series', 'day', 'value'],
      ['paid', '2026-03-01', '1100'],
      ['paid', '2026-03-02', '2'],
      ['paid', '2026-03-03', '3*'],
    ]);
    expect(page).toContain('<h1>Orders</h1>');
    expect(page).toContain('insight 9 (Ab12), calculated 2026-03-03T12:00:00Z');
    expect(page).toContain('<p class="small">* is not over yet.</p>');
  });

  it('needs nothing else, and follows a dark desktop', async () => {
    const { page } = await save(trend);
    expect(page).not.toMatch(
      /<script|<img|<link|<a |@import|url\(|src=|\son\w+=|https?:(?!\/\/www\.w3\.org\/2000\/svg)/,
    );
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page.match(/prefers-color-scheme: ?dark/g)).toHaveLength(2);
    // A window that is a little narrower has the whole picture.
    expect(page).toContain('figure svg[width="900"] { min-width: 40rem; max-width: calc(100% + 1.25rem);');
  });

  it('shows names as text, whatever they are', async () => {
    const name = '<b onclick="x">&\u202e';
    const { page } = await save({ ...trend, name, result: [{ label: name, data: [1, 2, 3], days }] });
    expect(page).not.toMatch(/<b |\u202e/);
    expect(page).toContain('<title>&lt;b onclick=&quot;x&quot;&gt;&amp;\\u202e</title>');
  });

  // The answer of a correlation is no insight.
  const names = insightNames.filter((name) => name !== 'funnelCorrelation');
  it.each(names)('has the figures of %s, and a picture if there is one', async (name) => {
    const { code, page, rows } = await save(readInsight(name));
    expect(code).toBe(0);
    expect(page).toMatch(/<\/html>\n$/);
    expect(rows.length).toBeGreaterThan(0);
  });

  it.each([
    ['--no-chart', trend, 2],
    ['a shape that is unknown', { ...trend, result: 'soon' }, 2],
    ['no result', { ...trend, result: null }, 6],
  ])('writes nothing: %s', async (why, insight, exit) => {
    const { code, page } = await save(insight, why.startsWith('--') ? why : '');
    expect([code, page]).toEqual([exit, '']);
  });

  it('is refused where nothing can be drawn', async () => {
    const { hogctl, log } = await startService([]);
    const { code, stderr } = await hogctl('persons list --save people.html');
    expect([code, stderr, log]).toEqual([
      2,
      expect.stringContaining('this command cannot write .html files'),
      [],
    ]);
  });
});
