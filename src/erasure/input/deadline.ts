import { counted, firstOf, usageError } from '../../errors.ts';
import { DAY, type Duration, inMilliseconds } from '../../semantics/calendar.ts';
import { type Given, type GivenLine, type IdList, lineText, MOST_TOLD, normalizeId } from './given.ts';

/** When a request came in and by which day it has to be done, as days (YYYY-MM-DD, UTC). */
export type Deadline = {
  readonly received: string;
  readonly deadline: string;
  /** Each line has a day of its own, of which this is the first. */
  readonly byLine?: true;
};

export type DeadlineInput = {
  readonly received?: string | undefined;
  readonly deadline?: Duration | undefined;
};

const USUAL = 30 * DAY;

/** The deadline that options ask for; nothing without them. Throws a usage error for what is no day, or one to come. */
export function readDeadline({ received, deadline }: DeadlineInput, now: number): Deadline | undefined {
  if (received === undefined && deadline === undefined) return undefined;
  const day = received ?? dayOf(now);
  if (!isDay(day)) throw usageError(`--received takes a day, not "${day}"`, 'write YYYY-MM-DD');
  if (isToCome(day, now))
    throw usageError(`--received ${day} is in the future`, 'give the day on which the request came in');
  const length = deadline === undefined ? USUAL : inMilliseconds(deadline);
  return { received: day, deadline: dayOf(Date.parse(day) + length) };
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const start = Date.parse(`${text}T00:00:00Z`);
  // 2026-02-30 is read as a day of March.
  return !Number.isNaN(start) && dayOf(start) === text;
}

/** East of Greenwich tomorrow has begun. */
function isToCome(day: string, now: number): boolean {
  return Date.parse(day) > now + DAY;
}

type DaysInput = Pick<DeadlineInput, 'received'> & { readonly receivedColumn?: string | undefined };

/**
 * Reads the day of each line, which is `--received` where its cell is empty. Throws a usage error that names the lines
 * without one.
 */
export function readDays(given: Given, { received, receivedColumn: column }: DaysInput, now: number): Given {
  if (column === undefined) return given;
  const wrong: GivenLine[] = [];
  const read = (line: GivenLine): GivenLine => {
    if (line.reason !== undefined) return line;
    // A time may stand behind it.
    const [day = ''] = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(line.received?.trim() || (received ?? '')) ?? [];
    if (!isDay(day) || isToCome(day, now)) wrong.push(line);
    return { ...line, received: day };
  };
  const withDays = <List extends IdList<GivenLine['kind']>>(list: List): List => ({
    ...list,
    lines: list.lines?.map(read),
  });
  const people = given.people.map(({ list, ...one }) => ({ ...one, list: withDays(list) }));
  const days = { people, addresses: given.addresses && withDays(given.addresses) };
  if (wrong.length > 0) throw withoutDay(wrong, column);
  return days;
}

function withoutDay(lines: readonly GivenLine[], column: string) {
  const places = firstOf(lines.map(lineText), MOST_TOLD);
  return usageError(
    `${counted(lines.length, 'line has', 'lines have')} no day, or a day to come, in the column "${column}": ${places}`,
    'write YYYY-MM-DD; --received is the day of lines whose cell is empty',
  );
}

/** When the first of some lines has to be done, if they have days of their own. */
export function firstDeadline(
  lists: readonly IdList<GivenLine['kind']>[],
  due: Deadline | undefined,
): Deadline | undefined {
  const lines = lists.flatMap((list) => list.lines ?? []);
  const days = lines.flatMap(({ received }) => received || []).sort();
  const [first] = days;
  return first === undefined ? due : { ...deadlineIn(first, due), byLine: true };
}

/** The deadline of a request that came in on another day than that of the plan. */
export function deadlineIn(received: string, due: Partial<Deadline> | undefined): Deadline {
  const length =
    due?.received === undefined || due.deadline === undefined
      ? USUAL
      : Date.parse(due.deadline) - Date.parse(due.received);
  return { received, deadline: dayOf(Date.parse(received) + length) };
}

/** Without its own a run is due 30 days after its plan, since the request cannot have come later. */
export function deadlineOf(plan: Partial<Deadline> & { readonly createdAt: string }): Deadline {
  const { received, deadline, createdAt } = plan;
  const planned = Date.parse(createdAt);
  return { received: received ?? dayOf(planned), deadline: deadline ?? dayOf(planned + USUAL) };
}

/** Whole days to the deadline: negative once it has passed. */
export function daysLeft({ deadline }: Deadline, now: number): number {
  return Math.round((Date.parse(deadline) - Date.parse(dayOf(now))) / DAY);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The first day of each id that has one. */
export function daysOf(
  lines: readonly GivenLine[],
): (kind: GivenLine['kind'], id: string) => string | undefined {
  const days = new Map<string, string>();
  const keyOf = (kind: GivenLine['kind'], id: string) => `${kind} ${normalizeId(kind, id)}`;
  for (const { kind, id, received } of lines) {
    const known = days.get(keyOf(kind, id));
    if (received && (known === undefined || received < known)) days.set(keyOf(kind, id), received);
  }
  return (kind, id) => days.get(keyOf(kind, id));
}
