import { counted } from '../errors.ts';
import { formatSeal } from './journal.ts';
import { type Outcome, reconcile } from './outcome.ts';
import { eventsOfNobody, staysSentence } from './plan.ts';
import { eventsWord, verificationLines, verificationsOf, verificationTitle } from './proof.ts';
import { describeSending } from './report.ts';
import type { RunRecord } from './run.ts';
import type { RunState } from './run-state.ts';
import { findEventsSentence, outcomeLines } from './show-outcome.ts';

/** A piece of a report. In a text, what stands between backticks is to be copied as it is. */
export type Block =
  | { readonly heading: string }
  | { readonly text: string }
  | { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** The evidence of a run as Markdown, without the list of members. It names nobody. */
export function reportMarkdown(run: RunRecord): string {
  const lines = reportBlocks(run).flatMap((block) => {
    if ('text' in block) return [block.text, ''];
    return 'heading' in block ? [`## ${block.heading}`, ''] : [...table(block.head, block.rows), ''];
  });
  return [`# Bulk deletion ${run.id}`, '', ...lines].join('\n');
}

/** The same for any form of it. */
export function reportBlocks(run: RunRecord): readonly Block[] {
  const { plan } = run;
  const outcome = reconcile(run);
  const { lines, hash } = run.seal();
  return [
    { head: ['What', 'Value'], rows: headRows(run) },
    { heading: `Outcome: ${outcome.verdict}${outcome.stopped === undefined ? '' : ` (${outcome.stopped})`}` },
    {
      head: ['Figure', 'Count', 'Remark'],
      rows: outcomeLines(outcome).map(({ name, count, remark }) => [name, String(count), remark ?? '']),
    },
    ...sentencesOf(run, outcome).map((text) => ({ text })),
    ...verificationBlocks(run),
    ...droppedText(run).map((text) => ({ text })),
    { heading: 'Batches' },
    {
      head: ['Batch', 'Kind', 'Ids', 'State', 'Found', 'Deleted', 'Queued', 'Errors', 'Answered at'],
      rows: batchRows(run),
    },
    { heading: 'Evidence' },
    {
      text: [
        `The journal has ${lines} lines and ends with the hash \`${hash}\`;`,
        `\`hogctl runs check ${run.id} --expect ${formatSeal(run.seal())}\` compares it.`,
        `The list of the ${counted(plan.members.count, 'id')}, as HMACs, has the SHA-256 \`${plan.members.sha256}\`.`,
        "With that list, the run's check key and an id, anybody can tell whether the id was in the run.",
      ].join('\n'),
    },
  ];
}

function headRows(run: RunRecord): readonly (readonly string[])[] {
  const { plan } = run;
  const state = run.state();
  const { deleteEvents, deleteRecordings, keepPerson } = plan.flags;
  const their = [deleteEvents ? 'their events' : '', deleteRecordings ? 'their recordings' : ''];
  const asked = [keepPerson ? '' : 'delete the persons', ...their].filter(Boolean).join(', ');
  return [
    [
      'Project',
      plan.project.name === plan.project.id ? plan.project.id : `${plan.project.name} (${plan.project.id})`,
    ],
    ['Host', plan.host],
    ['Asked to', keepPerson ? `keep the persons, delete ${asked || 'nothing'}` : asked],
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

/** How far the events are, what the flags leave, and what nobody can tell of what was asked for. */
export function sentencesOf(run: RunRecord, outcome: Outcome): readonly string[] {
  const { recordingsQueued } = outcome;
  return [
    // Once they are proved gone, a day to come would contradict it.
    eventsWord(run) === 'gone' ? undefined : findEventsSentence(run, outcome),
    staysSentence(run.plan.flags),
    eventsOfNobody(run.plan),
    recordingsQueued && recordingsSentence(recordingsQueued),
  ].flatMap((sentence) => (sentence === undefined ? [] : asSentence(sentence)));
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

function droppedText(run: RunRecord): readonly string[] {
  const { droppedOwing } = run.state();
  return droppedOwing.length === 0
    ? []
    : [`The ids were removed while the run still owed: ${droppedOwing.join(', ')}.`];
}

function asSentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

function verificationBlocks(run: RunRecord): readonly Block[] {
  const { whole, partial } = verificationsOf(run);
  return [whole ?? [], partial].flat().flatMap((one) => verificationPart(run, one));
}

function verificationPart(run: RunRecord, verification: RunState['verifications'][number]): readonly Block[] {
  const rows = verificationLines(verification).map((line) => line.map(String));
  return [{ heading: verificationTitle(run, verification) }, { head: ['Figure', 'Count'], rows }];
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
