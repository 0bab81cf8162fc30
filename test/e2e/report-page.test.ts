import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/erasure/record/open.ts';
import { reportPage } from '../../src/erasure/report/page.ts';
import { allDeleted, carryOut, failure, numbered, rehearse, uuidOf } from '../unit/erasure/rehearsal.ts';
import { onSandbox } from './on-sandbox.ts';
import { temporaryDirectory } from './service.ts';

const pageOf = (run: RunRecord) => reportPage(run.id, [{ title: undefined, run }]);

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
    await hogctl('runs resume 2026 --yes --project 1');
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
    const text = pageOf(run);
    parseTags(text);
    expect(text).toContain("&lt;b onclick=&quot;x&quot;&gt;&amp;'\\u202e");
    expect(text).not.toMatch(/<b |\u202e/);
  });

  it('says of a run that was not carried out what is missing', async () => {
    const { run, clock, reopen } = rehearse({ ids: numbered(500) });
    await carryOut(run, clock, () => {
      throw failure(503, 'not-done');
    });
    const stopped = storyOf(pageOf(run));
    expect(stopped).toContain('\nStopped\n');
    expect(stopped).toContain('It refused the request about 300 ids.\n200 ids were not sent.\n');
    run.close();
    const again = reopen();
    await carryOut(again, clock, (batch, call) =>
      call === 1 ? { found: 100, deleted: 99, errors: [{ step: 'x' }] } : allDeleted(batch, call),
    );
    const partly = storyOf(pageOf(again));
    expect(partly).toContain('\nPartly carried out\n');
    expect(partly).toContain('It could not delete 1 person.\n');
    expect(partly).toContain('Not known to be done: persons.\n');
    again.dropIds(['persons']);
    expect(storyOf(pageOf(again))).toContain('Not known to be done: persons.\n');
  });

  it('says that nobody was found', async () => {
    const { run, clock } = rehearse({ ids: numbered(2), known: [null, null] });
    await carryOut(run, clock, allDeleted);
    expect(storyOf(pageOf(run))).toContain('\nNo person found\n');
  });

  it('says of persons who stay what was to be deleted of them, and what of it was refused', async () => {
    const flags = { deleteEvents: false, deleteRecordings: true, keepPerson: true };
    const plan = { flags, batchSize: 1, dialect: 'live' } as const;
    const { run, clock } = rehearse({ ids: numbered(2), plan });
    const answer = { found: 1, deleted: 0, errors: [] };
    await carryOut(run, clock, (_, call) => ({ ...answer, recordingsQueued: call === 1 }));
    const story = storyOf(pageOf(run));
    expect(story).toContain(
      'the deletion of the recordings of the people behind 2 ids, who stay, in project',
    );
    expect(story).toContain(
      'no service tells whether recordings have gone; the service did not queue the deletion of the recordings of 1 person.',
    );
    expect(story).toContain('Not known to be done: recordings.\n');
  });

  const asked = { asked: 2, left: 0, recreated: 0, events: null, holds: false };
  it.each([
    [
      'who is still there',
      { left: 1, recreated: 2 },
      ': 1 person is still there.\n2 people have come back since',
    ],
    ['that one store was not asked', {}, '\nOnly one of the two stores of the service could be asked.\n'],
    [
      'that the key could not ask',
      { missingScope: 'query:read' },
      '\nThis key could not ask about the events.\n',
    ],
  ])('says of a verification that did not hold %s', async (_, verification, text) => {
    const { run, clock } = rehearse({ ids: numbered(2) });
    await carryOut(run, clock, allDeleted);
    run.append({ type: 'verified', ...asked, stores: ['person list'], ...verification });
    const story = storyOf(pageOf(run));
    expect(story).toContain('\nNot proved\n');
    expect(story).toContain(text);
  });

  it('says of events only that they were asked about, if the persons were to be kept', async () => {
    const flags = { deleteEvents: true, deleteRecordings: false, keepPerson: true };
    const known = numbered(2).map((id, at) => ({ uuid: uuidOf(at), distinctIds: [id] }));
    const { run, clock } = rehearse({ ids: numbered(2), known, plan: { flags, dialect: 'live' } });
    await carryOut(run, clock, () => ({ found: 2, deleted: 0, eventsQueued: true, errors: [] }));
    run.append({ type: 'verified', ...asked, events: { left: 0, later: 0 }, holds: true, stores: ['sql'] });
    const story = storyOf(pageOf(run));
    expect(story).toMatch(/UTC, about their events only, since the persons were to be kept\./);
    expect(story).not.toContain('still there');
  });
});
