import { CliError, type ErrorKind, systemCode } from '../../errors.ts';
import type { StoreName, Tally } from '../facts.ts';
import type { Failure, RecordedAnswer } from './answer.ts';
import { sha256 } from './digest.ts';
import type { GrowingFile } from './directory.ts';
import type { Saw } from './sightings.ts';

export type StopReason =
  | 'authentication'
  | 'redirect'
  | 'no such endpoint'
  | 'look-up failed'
  | 'three failures in a row'
  | 'interrupted'
  | 'journal';

/** Ids and persons of a batch: a person may have several of the ids that were given. */
export type BatchSize = readonly [ids: number, persons: number];

/** Who did it, and with which version of hogctl. */
export type Author = { readonly by: string; readonly version: string };

/** What is written down with its author: a plan, its confirmation, and each session. */
const SIGNED: readonly string[] = ['created', 'agreed', 'started', 'verified'];

export function signed<Told extends Happening>(happening: Told, author: Author | undefined): Told {
  return SIGNED.includes(happening.type) ? { ...happening, ...author } : happening;
}

export type Happening = Partial<Author> &
  (
    | { readonly type: 'created'; readonly run: string; readonly batches: readonly BatchSize[] }
    /** Somebody agreed to so many persons; until then nothing is sent. */
    | { readonly type: 'agreed'; readonly persons: number }
    | {
        readonly type: 'started';
        readonly host: string;
        readonly project: string;
        readonly key: string | null;
        readonly resumed: boolean;
        /** The run was planned by the same process, right before. */
        readonly isFresh?: true;
      }
    /** A store answers that did not when the run was planned. */
    | { readonly type: 'store'; readonly store: StoreName }
    /** Ids that nobody who is sent may have, beside those of the plan: who has one stays owed. */
    | { readonly type: 'excepted'; readonly members: readonly string[] }
    | { readonly type: 'repaired'; readonly bytes: number }
    /** The last look at a batch is too old. */
    | { readonly type: 'aged'; readonly batch: number }
    | ({ readonly type: 'saw'; readonly batch: number } & Saw)
    /** Rows of the deletion status, each about a person by position. */
    | {
        readonly type: 'saw-status';
        readonly batch: number;
        readonly rows: readonly StatusRow[];
        readonly serviceTime?: string | undefined;
      }
    /** Events of some ids, by position, that arrived until then, or by now. */
    | {
        readonly type: 'saw-count';
        readonly batch: number;
        readonly asked: string;
        readonly count: number;
        readonly until?: string | undefined;
        readonly serviceTime?: string | undefined;
      }
    /** Persons by position. Calls of a batch count from 0. */
    | {
        readonly type: 'sending';
        readonly batch: number;
        readonly persons: string;
        readonly count: number;
        readonly digest: string;
      }
    | {
        readonly type: 'answered';
        readonly batch: number;
        readonly call: number;
        readonly answer: RecordedAnswer;
      }
    | { readonly type: 'failed'; readonly batch: number; readonly call: number; readonly failure: Failure }
    | { readonly type: 'ended'; readonly stopped: Stop | null; readonly tally: Tally }
    | ({ readonly type: 'verified' } & Verification)
    /** `owed`: what was asked for and not known to be done by then. */
    | { readonly type: 'ids-dropped'; readonly owed: readonly Owed[] }
    /** Somebody said that the process which held the lock is gone, since nothing here could tell. */
    | { readonly type: 'taken-over'; readonly pid: number; readonly host: string; readonly since: string }
  );

/** The person by position, when the row was made (ISO, by the service), and whether it is completed. */
export type StatusRow = readonly [person: number, created: string | null, isCompleted: boolean];

/** What a run asked for that is not known to be done. */
export type Owed = 'persons' | 'events' | 'recordings';

export type Stop = {
  readonly reason: StopReason;
  readonly status?: number | undefined;
  readonly kind: ErrorKind;
};

/** What asking again found. */
export type Verification = {
  /** Ids that were asked about. */
  readonly asked: number;
  /** Persons of the plan who are still there, others behind their ids, and those who came after the deletion. */
  readonly left: number;
  readonly others: number;
  readonly cameBack: number;
  /** What is known of each line by now. */
  readonly tally: Tally;
  readonly holds: boolean;
  readonly stores: readonly StoreName[];
  /** What of the events, if they were to be deleted. */
  readonly events: EventsFound | null;
  /** When events that are still there go at the earliest (ISO). */
  readonly pendingUntil?: string | undefined;
  /** The scope without which something cannot be asked about. */
  readonly missingScope?: string | undefined;
};

/** Persons whose events are known to have gone or not; and events that were counted, if the service has no status. */
export type EventsFound = {
  readonly gone: number;
  readonly open: number;
  readonly left?: number;
  readonly later?: number;
};

/** A line of the journal: what happened, when (ISO), its number from 1, and its hash and that of the line before. */
export type JournalLine = Happening & { readonly line: number; readonly at: string };

const ending = /,"hash":"([0-9a-f]{64})"\}$/;

/**
 * A line as text, without its line break, in ASCII so that bytes and characters are the same. Its hash, the last field,
 * covers all before it, the hash of the line before included. The first line carries the hash of the plan.
 */
export function encodeLine(line: JournalLine, previous: string) {
  const open = JSON.stringify({ ...line, previous })
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .slice(0, -1);
  const hash = sha256(open);
  return { line, text: `${open},"hash":"${hash}"}`, hash };
}

/** The text of a journal as whole lines, and what follows the last line break: what a crash cut off. */
export function splitJournal(text: string): { readonly lines: readonly string[]; readonly torn: string } {
  return { lines: text.split('\n').slice(0, -1), torn: text.slice(text.lastIndexOf('\n') + 1) };
}

/**
 * Checks each line against its own hash and against the line before it, the first against `origin` (the hash of the
 * plan) and one against `expect` (what the run printed at its end). Lines from the first problem on are not given back.
 */
export function checkChain(
  texts: readonly string[],
  { origin, expect }: { readonly origin?: string | undefined; readonly expect?: Seal | undefined } = {},
) {
  const problems: { readonly line: number; readonly problem: string }[] = [];
  const lines: JournalLine[] = [];
  let hash = origin;
  for (const [index, text] of texts.entries()) {
    const checked = checkLine(text, index + 1, hash);
    if ('problem' in checked) {
      problems.push({ line: index + 1, problem: checked.problem });
      break;
    }
    lines.push(checked.line);
    hash = checked.hash;
    if (expect?.lines === index + 1 && expect.hash !== hash) {
      problems.push({ line: index + 1, problem: 'does not have the expected hash' });
    }
  }
  if (expect !== undefined && expect.lines > lines.length && problems.length === 0) {
    problems.push({ line: lines.length + 1, problem: `is missing: ${expect.lines} lines are expected` });
  }
  return { hash: hash ?? '', problems, lines };
}

function checkLine(
  text: string,
  number: number,
  previous: string | undefined,
): { readonly line: JournalLine; readonly hash: string } | { readonly problem: string } {
  const end = ending.exec(text);
  const hash = end?.[1];
  if (end === null || hash === undefined) return { problem: 'is not a line of a journal' };
  const open = text.slice(0, end.index);
  if (sha256(open) !== hash) return { problem: 'was changed: it does not have its own hash' };
  // Cast: a line with its own hash is one that encodeLine wrote, here or in another version.
  const { previous: named, ...line } = JSON.parse(`${open}}`) as JournalLine & { readonly previous: string };
  if (line.line !== number) return { problem: `says that it is line ${line.line}` };
  if (previous !== undefined && named !== previous) {
    const problem =
      number === 1
        ? 'does not belong to plan.json, so one of the two was changed'
        : 'does not follow the line before it';
    return { problem };
  }
  return { line, hash };
}

/** What a run prints at its end, for `runs check --expect`. */
export type Seal = { readonly lines: number; readonly hash: string };

export function formatSeal({ lines, hash }: Seal): string {
  return `${lines}:${hash}`;
}

/** Reads what `formatSeal` wrote; nothing for any other text. */
export function parseSeal(text: string): Seal | undefined {
  const [, lines, hash] = /^(\d{1,9}):([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  return lines === undefined || hash === undefined
    ? undefined
    : { lines: Number(lines), hash: hash.toLowerCase() };
}

/**
 * Writes lines behind the ones that are there, each synced. Throws `unavailable` for one that could not be written, and
 * then it is not there. `now` in milliseconds since 1970.
 */
export function createJournalWriter(
  file: GrowingFile,
  { now, ...first }: Seal & { readonly now: () => number },
) {
  let seal: Seal = first;
  let size = file.size();
  let broken: unknown;
  return (happening: Happening) => {
    if (broken !== undefined) throw toJournalError(broken);
    const number = seal.lines + 1;
    const at = new Date(now()).toISOString();
    const { line, text, hash } = encodeLine({ line: number, at, ...happening }, seal.hash);
    // A file system that forgets locks may let in a second process, which stops the first one here.
    if (file.size() !== size)
      throw new CliError('check', 'another process writes into the journal of this run', {
        hint: 'nothing more is sent from here; wait until the other process ends, then run hogctl runs check',
      });
    try {
      file.append(`${text}\n`);
    } catch (error) {
      broken = cutBack(file, size);
      throw toJournalError(error);
    }
    size += text.length + 1;
    seal = { lines: number, hash };
    return { line, seal };
  };
}

/** Half a line must not stand before the next; a file that cannot even be cut takes no further line. */
function cutBack(file: GrowingFile, size: number): unknown {
  try {
    file.truncate(size);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** What to throw when the run directory does not take what has to be written down. */
export function toJournalError(cause: unknown, what = 'the journal of the run cannot be written'): CliError {
  return new CliError('unavailable', `${what} (${systemCode(cause) ?? 'unknown cause'})`, {
    hint: `nothing is sent that is not written down, so ${remedyFor(systemCode(cause))}`,
    cause,
  });
}

function remedyFor(code = ''): string {
  const isForbidden = ['EACCES', 'EPERM', 'EROFS'].includes(code);
  return isForbidden ? 'work as a user who may write the record of the run' : 'make room on the disk';
}

/** What the system says of a full disk is no bug of ours. */
export function onDisk<Value>(work: () => Value, failure?: string): Value {
  try {
    return work();
  } catch (error) {
    throw systemCode(error) === undefined ? error : toJournalError(error, failure);
  }
}
