import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportPage } from '../../src/erasure/report-text.ts';
import { rehearse } from '../unit/erasure/rehearsal.ts';
import { onSandbox } from './on-sandbox.ts';
import { temporaryDirectory } from './service.ts';

/** Elements that have no end tag. */
const VOID = new Set(['meta']);

/** The tags of a page, each closed in its order. Throws for one that is not. */
function parseTags(page: string): readonly string[] {
  const open: string[] = [];
  const tags: string[] = [];
  for (const [, slash, name = ''] of page
    .replace(/<style>.*?<\/style>/s, '')
    .matchAll(/<(\/?)([a-z0-9]+)[^<>]*>/g)) {
    if (slash === '') tags.push(name);
    if (slash === '' && !VOID.has(name)) open.push(name);
    if (slash === '/' && open.pop() !== name) throw new Error(`</${name}> closes another element`);
  }
  if (open.length > 0) throw new Error(`<${open.join('>, <')}> is open at the end`);
  return tags;
}

async function onPage() {
  const sandbox = await onSandbox();
  const file = join(temporaryDirectory(), 'report.html');
  const page = async () => {
    expect(await sandbox.hogctl(`runs report last --save ${file}`)).toMatchObject({ code: 0, stdout: '' });
    return readFileSync(file, 'utf8');
  };
  return { ...sandbox, page };
}

/** What stands on top, for people: one line for each element. */
const storyOf = (page: string) =>
  (/<main>(.*)<\/main>/s.exec(page)?.[1] ?? '').replace(/<[^<>]*>/g, '\n').replace(/\n+/g, '\n');

describe('the report as a page', () => {
  it('says in words what happened, from the plan to the proof', async () => {
    const { hogctl, page } = await onPage();
    await hogctl(
      'persons bulk-delete --distinct-ids shopper-0001 --delete-events --received 2026-06-10 --plan-only --yes',
    );
    expect(storyOf(await page())).toContain('\nPlanned, not carried out\n');
    await hogctl('runs resume last --yes --project 1');
    const carriedOut = storyOf(await page());
    expect(carriedOut).toContain('\nCarried out, not proved yet\n');
    expect(carriedOut).toContain(
      'the deletion of the people behind 1 id, and of their events, in project 1 at http',
    );
    expect(carriedOut).toContain('The request came in on 10 June 2026, and is due by 10 July 2026.\n');
    expect(carriedOut).toContain('It says that it deleted 1 person.\n');
    expect(carriedOut).toContain('Not known to be done: events.\n');
    await hogctl('runs verify last');
    const pending = storyOf(await page());
    expect(pending).toContain('\nNot proved yet\n');
    expect(pending).toContain('it does not run before Sunday 2026-06-21, 05:00 UTC');
    await hogctl('sandbox advance --to 2026-06-22T06:00:00Z');
    await hogctl('runs verify last');
    const proved = storyOf(await page());
    expect(proved).toContain('\nDone and proved\n');
    expect(proved).toContain(
      'none of them is there any more.\nNone of the events that were to be deleted is left.\n',
    );
    expect(proved).toContain('Nothing is known to be missing.\n');
  });

  it('needs nothing beside it, names nobody, and is well formed', async () => {
    const { hogctl, page } = await onPage();
    await hogctl('persons bulk-delete --distinct-ids shopper-0001 --yes');
    const text = await page();
    const tags = parseTags(text);
    expect(
      tags.filter((name) => ['script', 'img', 'link', 'a', 'iframe', 'svg', 'form'].includes(name)),
    ).toEqual([]);
    expect(text).not.toMatch(/shopper-0001|@import|url\(|src=|\son\w+=/);
    expect(text).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(text).toContain('@media (prefers-color-scheme: dark)');
    expect(text).toContain('@media print');
    expect(text).toMatch(/<code>hogctl runs check 2026\S+ --expect \d+:[0-9a-f]{64}<\/code> compares it/);
  });

  it('shows the name of a project as text, whatever it is', () => {
    const name = `<b onclick="x">&'\u202e`;
    const { run } = rehearse({ ids: ['u1'], plan: { project: { id: '1', name } } });
    const text = reportPage(run);
    parseTags(text);
    expect(text).toContain("&lt;b onclick=&quot;x&quot;&gt;&amp;'\\u202e");
    expect(text).not.toMatch(/<b |\u202e/);
  });
});
