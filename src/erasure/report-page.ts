import { counted } from '../errors.ts';
import { htmlPage, htmlTable, pageText } from '../print/page.ts';
import { lastAnswer, type Outcome, reconcile } from './outcome.ts';
import { projectText } from './plan.ts';
import { isVerified, owedOf, verificationsOf } from './proof.ts';
import { type Block, reportBlocks, sentencesOf } from './report-markdown.ts';
import type { RunRecord } from './run.ts';

/**
 * The report as one page that needs nothing else: no script, no picture, no address. What happened stands on top in
 * words for anybody, the evidence below. It names nobody.
 */
export function reportPage(run: RunRecord): string {
  return pageOf(run.id, [...summaryOf(run), NAMES_NOBODY], evidenceOf(run));
}

/** The same for the runs of a case, a part for each project. */
export function casePage(
  name: string,
  parts: readonly { readonly title: string; readonly run: RunRecord | undefined }[],
): string {
  const told = parts.flatMap(({ title, run }) => [
    `<h2>${pageText(title)}</h2>`,
    ...(run === undefined ? ['<p>Nobody to be deleted was found there.</p>'] : summaryOf(run)),
  ]);
  const runs = parts.flatMap(({ run = [] }) => run);
  return pageOf(name, [...told, NAMES_NOBODY], runs.flatMap(evidenceOf));
}

const NAMES_NOBODY =
  '<p class="small">This page names nobody. The record that it was made from can tell whether somebody was part of ' +
  'this deletion, for those who keep the record and know the person’s id or address.</p>';

function summaryOf(run: RunRecord): readonly string[] {
  const outcome = reconcile(run);
  const { title, state, sentence } = verdictOf(run, outcome);
  const told = [...storyOf(run, outcome), ...sentencesOf(run, outcome), ...proofOf(run), owedText(run)];
  return [
    `<div class="verdict ${state}"><p><strong>${pageText(title)}</strong></p><p>${pageText(sentence)}</p></div>`,
    `<ul>${told.map((text) => `<li>${pageText(text)}</li>`).join('')}</ul>`,
  ];
}

function evidenceOf(run: RunRecord): readonly string[] {
  return [
    '<section>',
    `<h2>The evidence of run ${pageText(run.id)}</h2>`,
    ...reportBlocks(run).map(toHtml),
    '</section>',
  ];
}

function pageOf(name: string, told: readonly string[], evidence: readonly string[]): string {
  return htmlPage({
    title: `Deletion of personal data: ${name}`,
    style: STYLE,
    content: ['<main>', '<h1>Deletion of personal data</h1>', ...told, '</main>', ...evidence],
  });
}

type Verdict = { readonly title: string; readonly state: 'good' | 'open' | 'bad'; readonly sentence: string };

/** Nothing is called done that is not proved: a service that accepts a request has not deleted anything yet. */
function verdictOf(run: RunRecord, { verdict }: Outcome): Verdict {
  const verified = isVerified(run);
  if (run.state().sessions.length === 0) {
    const sentence = 'The deletion was planned. Nothing has been sent to the service.';
    return { title: 'Planned, not carried out', state: 'open', sentence };
  }
  if (verified === true) {
    const sentence =
      'The service was asked again afterwards, and all that was asked for is known to be done.';
    return { title: 'Done and proved', state: 'good', sentence };
  }
  const { whole } = verificationsOf(run);
  if (verified === false && whole?.left === 0 && whole.pendingUntil !== undefined) {
    const sentence = 'Their events are still there: the service deletes events on Sundays only.';
    return { title: 'Not proved yet', state: 'open', sentence };
  }
  if (verified === false) {
    const sentence =
      'The service was asked again afterwards, and something that was asked for is not known to be done.';
    return { title: 'Not proved', state: 'bad', sentence };
  }
  if (verdict === 'nobody found') {
    const sentence = 'The service answered that it knows none of these people. Nothing was deleted.';
    return { title: 'Nobody found', state: 'open', sentence };
  }
  if (verdict === 'done') {
    const sentence = 'The service accepted all of it. Nobody has asked it afterwards whether it is done.';
    return { title: 'Carried out, not proved yet', state: 'open', sentence };
  }
  const sentence = 'Not all that was asked for was carried out; the evidence below says what is missing.';
  return { title: verdict === 'stopped' ? 'Stopped' : 'Partly carried out', state: 'bad', sentence };
}

/** What was asked for, when, and what the service said. */
function storyOf({ plan, state }: RunRecord, outcome: Outcome): readonly string[] {
  const { keepPerson, deleteEvents, deleteRecordings } = plan.flags;
  const people = `the people behind ${counted(plan.unique, 'id')}`;
  const more = [deleteEvents ? 'events' : '', deleteRecordings ? 'recordings' : '']
    .filter(Boolean)
    .join(' and ');
  const who = keepPerson
    ? `the ${more} of ${people}, who stay`
    : `${people}${more && `, and of their ${more}`}`;
  const asked = `Asked for: the deletion of ${who}, in project ${projectText(plan.project)} at ${plan.host}.`;
  const [first] = state().sessions;
  const answered = lastAnswer(state());
  return [
    asked,
    ...(plan.deadline === undefined
      ? []
      : [`The request came in on ${dayText(plan.received ?? '')}, and is due by ${dayText(plan.deadline)}.`]),
    `Planned on ${timeText(plan.createdAt)}.`,
    ...(first === undefined ? [] : [`Sent from ${timeText(first.at)} on.`]),
    ...(answered === undefined ? [] : [`The service last answered on ${timeText(answered.at)}.`]),
    ...answerTexts(outcome),
  ];
}

function answerTexts(outcome: Outcome): readonly string[] {
  const {
    found,
    deleted = 0,
    queued = 0,
    accepted,
    failed,
    notDeleted,
    notAccountedFor,
    unknown,
    refused,
    notSent,
    recreated,
  } = outcome;
  const people = (count: number) => counted(count, 'person', 'people');
  const lines: readonly (readonly [number, string])[] = [
    [found ?? 0, `The service found ${people(found ?? 0)}.`],
    [deleted, `It says that it deleted ${people(deleted)}.`],
    [queued, `It says that it will delete ${people(queued)}, and began that.`],
    [accepted, `It accepted ${counted(accepted, 'request')} without saying more.`],
    [failed, `It could not delete ${people(failed)}.`],
    [notDeleted, `It does not say what became of ${people(notDeleted)}.`],
    [notAccountedFor, `It did not find anybody for ${counted(notAccountedFor, 'id')}.`],
    [unknown, `Its answer about ${counted(unknown, 'id')} was lost.`],
    [refused, `It refused the request about ${counted(refused, 'id')}.`],
    [notSent, `${counted(notSent, 'id')} ${notSent === 1 ? 'was' : 'were'} not sent.`],
    [recreated, `${people(recreated)} who may have come later ${recreated === 1 ? 'was' : 'were'} spared.`],
  ];
  return lines.flatMap(([count, text]) => (count > 0 ? text : []));
}

/** What was found when the service was asked again, the last time about all of them. */
function proofOf(run: RunRecord): readonly string[] {
  const { whole } = verificationsOf(run);
  if (whole === undefined) return [];
  const { at, left, recreated, events, missingScope, stores = [] } = whole;
  const when = `Asked again on ${timeText(at)}`;
  const partial = events !== null && 'partial' in events ? (events.partial ?? 0) : 0;
  return [
    run.plan.flags.keepPerson
      ? `${when}, about their events only, since the persons were to be kept.`
      : `${when}: ${left === 0 ? 'none of them is there any more' : `${counted(left, 'person is', 'people are')} still there`}.`,
    recreated > 0 ? `${counted(recreated, 'person has', 'people have')} come back since the deletion.` : '',
    run.plan.flags.deleteEvents && whole.holds ? 'None of the events that were to be deleted is left.' : '',
    partial > 0 ? `For ${counted(partial, 'id')} only the events under that very id could be counted.` : '',
    missingScope === undefined ? '' : 'The events could not be asked about with this key.',
    stores.includes('sql') || run.plan.flags.keepPerson
      ? ''
      : 'Only one of the two stores of the service could be asked.',
  ].filter(Boolean);
}

function owedText(run: RunRecord): string {
  const { droppedOwing } = run.state();
  const owed = droppedOwing.length > 0 ? droppedOwing : owedOf(run);
  if (owed.length > 0) return `Not known to be done: ${owed.join(', ')}.`;
  return run.state().sessions.length === 0
    ? 'All of it is still to be done.'
    : 'Nothing is known to be missing.';
}

function dayText(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day));
}

function timeText(time: string): string {
  const time24 = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat('en-GB', time24).format(new Date(time))} UTC`;
}

function toHtml(block: Block): string {
  if ('heading' in block) return `<h3>${pageText(block.heading)}</h3>`;
  if ('text' in block) return `<p>${pageText(block.text).replace(/`([^`]*)`/g, '<code>$1</code>')}</p>`;
  return htmlTable(block.head, block.rows);
}

const STYLE = `
:root { --good: #1a7f37; --open: #9a6700; --bad: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --open: #d29922; --bad: #f85149; } }
body { max-width: 52rem; }
h2 { margin-top: 2.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
.verdict { border-left: 0.375rem solid var(--open); background: var(--soft); padding: 0.75rem 1rem; }
.verdict p { margin: 0; }
.verdict strong { font-size: 1.25rem; color: var(--open); }
.good { border-color: var(--good); } .good strong { color: var(--good); }
.bad { border-color: var(--bad); } .bad strong { color: var(--bad); }
section { font-size: 0.875rem; }
@media print {
  :root { --good: #1a7f37; --open: #9a6700; --bad: #cf222e; }
  .verdict { break-inside: avoid; }
}
`;
