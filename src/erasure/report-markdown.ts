import { formatSeal } from './journal.ts';
import { type Outcome, reconcile } from './outcome.ts';
import { findEventsSentence, outcomeLines } from './outcome-lines.ts';
import { describeSending } from './report.ts';
import type { RunRecord } from './run.ts';
import type { RunState } from './run-state.ts';
import { verificationsOf, verificationTitle } from './verify.ts';

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
    ...verificationLines(run),
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
    `The list of the ${plan.members.count} ids, as HMACs, has the SHA-256 \`${plan.members.sha256}\`.`,
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
    ...(plan.oddIds === undefined ? [] : [['Ids that look damaged', `${plan.oddIds}, said to be meant`]]),
    ...state.sessions.map(({ at, key, resumed }) => [
      resumed ? 'Resumed' : 'Started',
      `${at}, key ${key ?? 'without a label'}`,
    ]),
    ['Ended', state.end?.at ?? 'not yet'],
  ];
}

function eventLines(run: RunRecord, outcome: Outcome): readonly string[] {
  const sentence = findEventsSentence(run, outcome);
  return sentence === undefined ? [] : [`${sentence[0]?.toUpperCase()}${sentence.slice(1)}.`, ''];
}

function verificationLines(run: RunRecord): readonly string[] {
  const { whole, partial } = verificationsOf(run);
  return [...(whole === undefined ? [] : [whole]), ...partial].flatMap((one) => verificationPart(run, one));
}

function verificationPart(
  run: RunRecord,
  verification: RunState['verifications'][number],
): readonly string[] {
  const { asked, left, recreated, events } = verification;
  const lines = [
    ['asked about', asked],
    ['left', left],
    ['created since', recreated],
    ...(events === null ? [] : Object.entries(events).map(([name, count]) => [`events ${name}`, count])),
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
