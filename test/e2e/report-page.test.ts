import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Happening } from '../../src/erasure/record/journal.ts';
import type { RunRecord } from '../../src/erasure/record/open.ts';
import { idsOf, personsOf, toRanges } from '../../src/erasure/record/sightings.ts';
import { reportPage } from '../../src/erasure/report/page.ts';
import { onSandbox } from '../support/on-sandbox.ts';
import { temporaryDirectory } from '../support/service.ts';
import {
  agree,
  beginSession,
  endSession,
  fail,
  numbered,
  rehearse,
  sendCall,
  takeAnswer,
} from '../unit/erasure/rehearsal.ts';

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
    expect(proved).toContain('Of what was asked for, nothing is known to be missing.\n');
    expect(proved).toContain('The list had 1 line: 1 with a person.\n');
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

  it('says of a run that was not carried out what is missing', () => {
    const { run } = rehearse({ ids: numbered(300) });
    agree(run);
    beginSession(run);
    fail(run, sendCall(run, 1), 'not-done', 1);
    fail(run, sendCall(run, 2), 'not-done', 2);
    const reason = 'three failures in a row';
    run.append({ type: 'ended', stopped: { reason, kind: 'unavailable' }, tally: run.tally() });
    const stopped = storyOf(pageOf(run));
    expect(stopped).toContain('\nStopped\n');
    expect(stopped).toContain('It refused the request about 200 ids.\n100 ids were not sent.\n');
    expect(stopped).toContain('Not known to be done: persons.\n');
  });

  it('says of persons whom the service could not delete that they are missing', () => {
    const { run } = rehearse({ ids: numbered(2) });
    agree(run);
    beginSession(run);
    const [person = null] = personsOf(run.standing(1).batch);
    const errors = [{ person, step: 'delete_person' }];
    takeAnswer(run, { call: sendCall(run), answer: { found: 2, deleted: 1, errors } });
    endSession(run);
    const partly = storyOf(pageOf(run));
    expect(partly).toContain('\nPartly carried out\n');
    expect(partly).toContain('It could not delete 1 person.\n');
    expect(partly).toContain('Not known to be done: persons.\n');
    run.dropIds(['persons']);
    expect(storyOf(pageOf(run))).toContain('Not known to be done: persons.\n');
  });

  it('says that nobody was found', () => {
    const { run } = rehearse({ ids: numbered(2), known: [null, null] });
    agree(run);
    beginSession(run);
    endSession(run);
    expect(storyOf(pageOf(run))).toContain('\nNo person found\n');
  });

  it('says of persons who stay what was to be deleted of them, and what of it was refused', () => {
    const flags = { deleteEvents: false, deleteRecordings: true, keepPerson: true };
    const { run } = rehearse({ ids: numbered(2), plan: { flags, batchSize: 1, dialect: 'live' } });
    agree(run);
    beginSession(run);
    for (const [batch, recordingsQueued] of [
      [1, true],
      [2, false],
    ] as const)
      takeAnswer(run, {
        batch,
        call: sendCall(run, batch),
        answer: { found: 1, deleted: 0, recordingsQueued },
      });
    endSession(run);
    const story = storyOf(pageOf(run));
    expect(story).toContain(
      'the deletion of the recordings of the people behind 2 ids, who stay, in project',
    );
    expect(story).toContain(
      'no service tells whether recordings have gone; the service did not queue the deletion of the recordings of 1 person.',
    );
    expect(story).toContain('Not known to be done: recordings.\n');
  });

  it.each([
    [
      'who is still there',
      { left: 1, cameBack: 2 },
      ': 1 person is still there.\n2 people have come back since',
    ],
    ['that one store was not asked', {}, '\nOnly one of the two stores of the service could be asked.\n'],
    [
      'that the key could not ask',
      { missingScope: 'query:read' },
      '\nThis key could not ask everything: it lacks query:read.\n',
    ],
  ])('says of a verification that did not hold %s', (_, verification, text) => {
    const { run } = rehearse({ ids: numbered(2) });
    agree(run);
    beginSession(run);
    takeAnswer(run, { call: sendCall(run) });
    endSession(run);
    run.append({ ...verified(run), ...verification });
    const story = storyOf(pageOf(run));
    expect(story).toContain('\nNot proved\n');
    expect(story).toContain(text);
  });

  it('says of events only that they were asked about, if the persons were to be kept', () => {
    const flags = { deleteEvents: true, deleteRecordings: false, keepPerson: true };
    const { run } = rehearse({ ids: numbered(2), plan: { flags, dialect: 'live' } });
    agree(run);
    beginSession(run);
    takeAnswer(run, { call: sendCall(run), answer: { found: 2, deleted: 0, eventsQueued: true } });
    endSession(run);
    const asked = toRanges([...idsOf(run.standing(1).batch).keys()]);
    run.append({ type: 'saw-count', batch: 1, asked, count: 0 });
    run.append({ ...verified(run), events: { gone: 2, open: 0, left: 0, later: 0 }, holds: true });
    const story = storyOf(pageOf(run));
    expect(story).toMatch(/UTC, about their events only, since the persons were to be kept\./);
    expect(story).not.toContain('still there');
  });
});

/** A verification that found nobody and does not hold. */
function verified(run: RunRecord): Happening & { readonly type: 'verified' } {
  const nobody = { left: 0, others: 0, cameBack: 0, events: null };
  return { type: 'verified', asked: 2, ...nobody, tally: run.tally(), holds: false, stores: ['list'] };
}
