import { counted } from '../errors.ts';
import { formatSeal } from './journal.ts';
import { type Outcome, reconcile } from './outcome.ts';
import {
  eventsWord,
  findEventsSentence,
  outcomeLines,
  verificationsOf,
  verificationTitle,
} from './outcome-lines.ts';
import { eventsOfNobody, staysSentence } from './plan.ts';
import { describeSending } from './report.ts';
import type { RunRecord } from './run.ts';
import type { RunState } from './run-state.ts';

/** The evidence of a run as Markdown, without the list of members. It names nobody. */
export function reportMarkdown(run: RunRecord): string {
  const { plan } = run;
  const outcome = reconcile(run);
  return [
    `# Bulk deletion ${run.id}`,
    '',
    ...table(['What', 'Value'], headRows(run)),
    '',
    `## Outcome: ${outcome.verdict}${outcome.stopped === undefined ? '' : ` (${outcome.stopped})`}`,
    '',
    ...table(
      ['Figure', 'Count', 'Remark'],
      outcomeLines(outcome).map(({ name, count, remark }) => [name, String(count), remark ?? '']),
    ),
    '',
    ...eventLines(run, outcome),
    ...requestLines(run, outcome),
    ...verificationLines(run),
    ...droppedLines(run),
    '## Batches',
    '',
    ...table(
      ['Batch', 'Kind', 'Ids', 'State', 'Found', 'Deleted', 'Queued', 'Errors', 'Answered at'],
      batchRows(run),
    ),
    '',
    '## Evidence',
    '',
    `The journal has ${run.seal().lines} lines and ends with the hash \`${run.seal().hash}\`;`,
    `\`hogctl runs check ${run.id} --expect ${formatSeal(run.seal())}\` compares it.`,
    `The list of the ${counted(plan.members.count, 'id')}, as HMACs, has the SHA-256 \`${plan.members.sha256}\`.`,
    "Whoever has that list, the run's check key and an id can tell whether the id was in the run.",
    '',
  ].join('\n');
}

function headRows(run: RunRecord): readonly (readonly string[])[] {
  const { plan } = run;
  const state = run.state();
  const flags = Object.entries({
    'delete events': plan.flags.deleteEvents,
    'delete recordings': plan.flags.deleteRecordings,
    'keep the persons': plan.flags.keepPerson,
  }).flatMap(([name, isSet]) => (isSet ? name : []));
  return [
    [
      'Project',
      plan.project.name === plan.project.id ? plan.project.id : `${plan.project.name} (${plan.project.id})`,
    ],
    ['Host', plan.host],
    ['Asked to', flags.length === 0 ? 'delete the persons' : flags.join(', ')],
    ['Planned', plan.createdAt],
    ...(plan.deadline === undefined ? [] : [['Received', `${plan.received}, due by ${plan.deadline}`]]),
    ...(plan.oddIds === undefined ? [] : [['Ids that look damaged', `${plan.oddIds}, said to be meant`]]),
    ...state.sessions.map(({ at, key, resumed }) => [
      resumed ? 'Resumed' : 'Started',
      `${at}, key ${key ?? 'without a label'}`,
    ]),
    ['Ended', state.end?.at ?? 'not yet'],
  ];
}

function eventLines(run: RunRecord, outcome: Outcome): readonly string[] {
  // Once they are proved gone, a day to come would contradict it.
  if (eventsWord(run) === 'gone') return [];
  const sentence = findEventsSentence(run, outcome);
  return sentence === undefined ? [] : [asSentence(sentence), ''];
}

/** What the flags leave, and what nobody can tell of those that were asked for. */
function requestLines(run: RunRecord, { recordingsQueued }: Outcome): readonly string[] {
  const recordings = recordingsQueued && recordingsSentence(recordingsQueued);
  return [staysSentence(run.plan.flags), eventsOfNobody(run.plan), recordings].flatMap((sentence) =>
    sentence === undefined ? [] : [asSentence(sentence), ''],
  );
}

function recordingsSentence({
  queued,
  notQueued,
  notTold,
}: NonNullable<Outcome['recordingsQueued']>): string {
  const refused = `the service did not queue the deletion of the recordings of ${counted(notQueued, 'person')}`;
  if (notQueued > 0 && queued + notTold === 0) return refused;
  const requested = 'the deletion of recordings was requested; no service tells whether recordings have gone';
  return notQueued === 0 ? requested : `${requested}; ${refused}`;
}

function droppedLines(run: RunRecord): readonly string[] {
  const { droppedOwing } = run.state();
  if (droppedOwing.length === 0) return [];
  return [`The ids were removed while the run still owed: ${droppedOwing.join(', ')}.`, ''];
}

function asSentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

function verificationLines(run: RunRecord): readonly string[] {
  const { whole, partial } = verificationsOf(run);
  return [...(whole === undefined ? [] : [whole]), ...partial].flatMap((one) => verificationPart(run, one));
}

function verificationPart(
  run: RunRecord,
  verification: RunState['verifications'][number],
): readonly string[] {
  const { asked, left, recreated, events, pendingUntil, missingScope, stores } = verification;
  const lines = [
    ['asked about', asked],
    ['left', left],
    ['created since', recreated],
    ...(events === null ? [] : Object.entries(events).map(([name, count]) => [`events ${name}`, count])),
    ...(pendingUntil === undefined ? [] : [['events pending until', pendingUntil]]),
    ...(missingScope === undefined ? [] : [['events not asked about, for want of', missingScope]]),
    ...(stores === undefined ? [] : [['asked', stores.join(', ')]]),
  ];
  return [
    `## ${verificationTitle(run, verification)}`,
    '',
    ...table(
      ['Figure', 'Count'],
      lines.map((line) => line.map(String)),
    ),
    '',
  ];
}

function batchRows(run: RunRecord): readonly (readonly string[])[] {
  const { batches } = run.state();
  return batches
    .flat()
    .map(({ batch, part, kind, count, sending }) => [
      batches[batch - 1]?.length === 1 ? String(batch) : `${batch}.${part}`,
      kind,
      String(count),
      describeSending(sending),
      show(sending.answer?.found),
      show(sending.answer?.deleted),
      show(sending.answer?.queued),
      show(sending.answer?.errors.length),
      sending.answeredAt ?? '',
    ]);
}

function show(figure: number | undefined): string {
  return figure === undefined ? '' : String(figure);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** A project's name is anybody's text. */
function escapeCell(cell: string): string {
  return cell.replace(/[\\|`*_<[]/g, '\\$&').replace(/\s+/g, ' ');
}
