import { counted } from '../../errors.ts';
import { htmlPage, htmlTable, pageText } from '../../print/page.ts';
import { listText } from '../input/list-counts.ts';
import { findEventsSentence } from '../proof/events.ts';
import { lastAnswer, type Outcome, type Queued, reconcile } from '../proof/outcome.ts';
import { isVerified, owedOf, verificationLines, verificationTitle } from '../proof/verdict.ts';
import { formatSeal } from '../record/journal.ts';
import type { RunRecord } from '../record/open.ts';
import type { Call } from '../record/state.ts';
import { type Conclusion, conclusionOf, conclusionOfAll } from './conclusion.ts';
import { describeCall } from './json.ts';
import { linesOfPage } from './lines.ts';
import { eventsOfNobody, projectText, requestedExtras, staysSentence } from './plan-words.ts';
import { asSentence, outcomeLines, outcomeSentences } from './words.ts';

/** A piece of a report. In a text, what stands between backticks is to be copied as it is. */
type Block =
  | { readonly heading: string }
  | { readonly text: string }
  | { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** The evidence of a run as Markdown, without the list of members. It names no person. */
export function reportMarkdown(run: RunRecord): string {
  const lines = reportBlocks(run).flatMap((block) => {
    if ('text' in block) return [block.text, ''];
    return 'heading' in block ? [`## ${block.heading}`, ''] : [...table(block.head, block.rows), ''];
  });
  return [`# Bulk deletion ${run.id}`, '', ...lines].join('\n');
}

function reportBlocks(run: RunRecord): readonly Block[] {
  const { plan } = run;
  const outcome = reconcile(run);
  const { lines, hash } = run.seal();
  const { droppedOwing } = run.state();
  return [
    { head: ['What', 'Value'], rows: linesOfPage(run) },
    { heading: `Outcome: ${outcome.verdict}${outcome.stopped === undefined ? '' : ` (${outcome.stopped})`}` },
    {
      head: ['Figure', 'Count', 'Remark'],
      rows: outcomeLines(outcome).map(({ figure, count, remark }) => [figure, String(count), remark ?? '']),
    },
    ...sentencesOf(run, outcome).map((text) => ({ text })),
    ...verificationBlocks(run),
    ...(droppedOwing.length === 0
      ? []
      : [{ text: `The ids were removed while the run still owed: ${droppedOwing.join(', ')}.` }]),
    { heading: 'Calls' },
    {
      head: callHead,
      rows: callRows(run),
    },
    { heading: 'Evidence' },
    {
      text: [
        `The journal has ${lines} lines and ends with the hash \`${hash}\`;`,
        `\`hogctl runs check ${run.id} --expect ${formatSeal(run.seal())}\` compares it.`,
        `The list of the ${counted(plan.members.count, 'id')}, as HMACs, has the SHA-256 \`${plan.members.sha256}\`.`,
        "With that list, the run's check key and an id, you can check whether the id was in the run.",
      ].join('\n'),
    },
  ];
}

/** How far the events are, what the flags leave, and what cannot be told of what was asked for. */
function sentencesOf(run: RunRecord, outcome: Outcome): readonly string[] {
  const { recordingsQueued } = outcome;
  return [
    findEventsSentence(run),
    staysSentence(run.plan),
    eventsOfNobody(run.plan),
    recordingsQueued && recordingsSentence(recordingsQueued),
  ].flatMap((sentence) => (sentence === undefined ? [] : asSentence(sentence)));
}

function recordingsSentence({ queued, notQueued, notTold }: Queued): string {
  const refused = `the service did not queue the deletion of the recordings of ${counted(notQueued, 'person')}`;
  if (notQueued > 0 && queued + notTold === 0) return refused;
  const requested = 'the deletion of recordings was requested; no service tells whether recordings have gone';
  return notQueued === 0 ? requested : `${requested}; ${refused}`;
}

function verificationBlocks(run: RunRecord): readonly Block[] {
  const last = run.state().verifications.at(-1);
  if (last === undefined) return [];
  return [
    { heading: verificationTitle(last) },
    { head: ['Figure', 'Count'], rows: verificationLines(last).map((line) => line.map(String)) },
  ];
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  // A project's name can hold any text.
  const escaped = (cell: string) => cell.replace(/[\\|`*_<[]/g, '\\$&').replace(/\s+/g, ' ');
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/**
 * The report of a run, or of the runs of a request, as one page that needs nothing else: no script, no picture, no address.
 * What happened stands on top in words for anybody, the evidence below. It names no person.
 */
export function reportPage(
  name: string,
  parts: readonly { readonly title: string | undefined; readonly run: RunRecord }[],
): string {
  const told = parts.flatMap(({ title, run }) =>
    title === undefined
      ? summaryOf(run)
      : ['<section class="project">', `<h2>${pageText(title)}</h2>`, ...summaryOf(run), '</section>'],
  );
  const all = parts.map(({ title = '', run }) => ({
    project: title,
    conclusion: conclusionOf(run, reconcile(run)),
  }));
  const whole = parts.length > 1 ? [verdictBox(conclusionOfAll(all))] : [];
  const evidence = parts.flatMap(({ run }) => evidenceOf(run));
  return htmlPage({
    title: `Deletion of personal data: ${name}`,
    style: STYLE,
    content: [
      '<main>',
      '<h1>Deletion of personal data</h1>',
      ...whole,
      ...told,
      NAMES_NOBODY,
      '</main>',
      ...evidence,
    ],
  });
}

const NAMES_NOBODY =
  '<p class="small">This page names no person. With the record that it was made from and a person’s id or address, ' +
  'you can check whether that person was part of this deletion.</p>';

function summaryOf(run: RunRecord): readonly string[] {
  const outcome = reconcile(run);
  const told = [...storyOf(run, outcome), ...sentencesOf(run, outcome), ...proofOf(run), owedText(run)];
  return [
    verdictBox(conclusionOf(run, outcome)),
    `<ul>${told.map((text) => `<li>${pageText(text)}</li>`).join('')}</ul>`,
  ];
}

function verdictBox({ title, state, sentence }: Conclusion): string {
  return `<div class="verdict ${state}"><p><strong>${pageText(title)}</strong></p><p>${pageText(sentence)}</p></div>`;
}

function evidenceOf(run: RunRecord): readonly string[] {
  const heading = `<h2>The evidence of run ${pageText(run.id)}</h2>`;
  return ['<section class="evidence">', heading, ...reportBlocks(run).map(toHtml), '</section>'];
}

/** What was asked for, when, and what the service said. */
function storyOf({ plan, state }: RunRecord, outcome: Outcome): readonly string[] {
  const people = `the people behind ${counted(plan.unique, 'id')}`;
  const more = requestedExtras(plan.flags);
  const who = plan.flags.keepPerson
    ? `the ${more} of ${people}, who stay`
    : `${people}${more && `, and of their ${more}`}`;
  const asked = `Asked for: the deletion of ${who}, in project ${projectText(plan.project)} at ${plan.host}.`;
  const [first] = state().sessions;
  const answered = lastAnswer(state());
  return [
    asked,
    ...(plan.list === undefined ? [] : [`The list had ${listText(plan.list)}.`]),
    ...(plan.deadline === undefined
      ? []
      : [
          `The ${plan.byLine ? 'first ' : ''}request came in on ${dayText(plan.received ?? '')}, and is due by ${dayText(plan.deadline)}.`,
        ]),
    `Planned on ${timeText(plan.createdAt)}.`,
    ...(first === undefined ? [] : [`Sent from ${timeText(first.at)} on.`]),
    ...(answered === undefined ? [] : [`The service last answered on ${timeText(answered.at)}.`]),
    ...outcomeSentences(outcome),
  ];
}

/** What was found when the service was asked again, the last time. */
function proofOf(run: RunRecord): readonly string[] {
  const last = run.state().verifications.at(-1);
  if (last === undefined) return [];
  const { at, left, cameBack, others, missingScope, stores, holds } = last;
  const when = `Asked again on ${timeText(at)}`;
  return [
    run.plan.flags.keepPerson
      ? `${when}, about their events only, since the persons were to be kept.`
      : `${when}: ${left === 0 ? 'none of them is there any more' : `${counted(left, 'person is', 'people are')} still there`}.`,
    cameBack > 0 ? `${counted(cameBack, 'person has', 'people have')} come back since the deletion.` : '',
    others > 0 ? `${counted(others, 'other person is', 'other people are')} behind the given ids.` : '',
    run.plan.flags.deleteEvents && holds ? 'None of the events that were to be deleted is left.' : '',
    missingScope === undefined ? '' : `This key could not ask everything: it lacks ${missingScope}.`,
    stores.includes('sql') || run.plan.flags.keepPerson
      ? ''
      : 'Only one of the two stores of the service could be asked.',
  ].filter(Boolean);
}

function owedText(run: RunRecord): string {
  const { droppedOwing } = run.state();
  const owed = droppedOwing.length > 0 ? droppedOwing : owedOf(run);
  if (owed.length > 0) return `Not known to be done: ${owed.join(', ')}.`;
  if (run.state().sessions.length === 0) return 'All of it is still to be done.';
  const { odd } = run.plan.lines;
  if (odd > 0) return `Nothing was asked for ${counted(odd, 'line')} of the list, left out as odd.`;
  return isVerified(run) === true
    ? 'Of what was asked for, nothing is known to be missing.'
    : 'Whether anything is missing was not asked.';
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
  const shown = htmlTable(block.head, block.rows);
  return block.head === callHead ? `<div class="calls">${shown}</div>` : shown;
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
.evidence { font-size: 0.875rem; }
@media print {
  :root { --good: #1a7f37; --open: #9a6700; --bad: #cf222e; }
  .verdict, li { break-inside: avoid; }
  .project ~ .project, .evidence { break-before: page; }
  .wide { overflow: visible; }
  table { font-size: 8.5pt; }
  td { overflow-wrap: break-word; }
  .calls td { white-space: nowrap; }
}
`;

const callHead = ['Batch', 'Call', 'Persons', 'State', 'Found', 'Deleted', 'Queued', 'Errors', 'Ended at'];

/** A page shows up to so many calls one by one. */
const MOST_CALLS = 50;

/** Calls in a row that ended alike without an error are one row if there are many; JSON has each of them. */
function callRows({ state }: RunRecord): readonly (readonly string[])[] {
  const { calls } = state();
  if (calls.length <= MOST_CALLS) return calls.map((call) => toRow([call]));
  const groups: Call[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    const isAlike =
      first !== undefined && isPlain(first) && isPlain(call) && describeCall(first) === describeCall(call);
    if (last !== undefined && isAlike) last.push(call);
    else groups.push([call]);
  }
  return groups.map(toRow);
}

function isPlain({ answer }: Call): boolean {
  return answer !== undefined && answer.errors.length === 0;
}

function toRow(calls: readonly Call[]): readonly string[] {
  const [first] = calls;
  const last = calls.at(-1);
  if (first === undefined || last === undefined) return [];
  const total = (count: (call: Call) => number | undefined) => {
    const counts = calls.map(count);
    return counts.every((one) => one === undefined)
      ? ''
      : String(counts.reduce<number>((sum, one = 0) => sum + one, 0));
  };
  const isOne = calls.length === 1;
  return [
    isOne ? String(first.batch) : `${first.batch} to ${last.batch}`,
    isOne ? String(first.call + 1) : `${calls.length} calls`,
    total(({ count }) => count),
    describeCall(first),
    total(({ answer }) => answer?.found),
    total(({ answer }) => answer?.deleted),
    total(({ answer }) => answer?.queued),
    total(({ answer }) => answer?.errors.length),
    last.endedAt ?? '',
  ];
}
