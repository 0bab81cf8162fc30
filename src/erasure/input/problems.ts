import type { PersonReference } from '../../cli/command/options.ts';
import { CliError, changed, firstOf, usageError } from '../../errors.ts';
import { nameOfPath } from '../../system/text.ts';
import { checks, findReason, idsOf, type Problem, type Source } from './checks.ts';

/** What keeps a text from being an id at all. */
export type IdFault = 'empty' | 'control character' | 'broken text' | 'ragged' | 'not a person id';

export type Faulty = Problem & { readonly fault: IdFault; readonly given?: string };

const faultTexts: Readonly<Record<IdFault, string>> = {
  empty: 'holds an empty id',
  'control character': 'holds a control character, which no id has',
  'broken text': 'holds a broken character',
  ragged: 'holds more or fewer cells than the first row',
  'not a person id': 'is not a person id, which is an integer or a UUID',
};

export function reasonOf(fault: IdFault, source: Source): string {
  return faultText(fault, source).replace(/^(?:holds|is) /, '');
}

function faultText(fault: IdFault, { kind }: Source): string {
  return kind === 'emails' ? faultTexts[fault].replace(/\bid\b/, 'address') : faultTexts[fault];
}

/** What to throw for ids that cannot be sent, with all problems if odd lines may be left out. */
export function faultyIds(source: Source, faults: readonly Faulty[], all?: readonly Problem[]): CliError {
  const problems = all ?? faults;
  const [first] = faults;
  const { places, name } = source;
  const message =
    problems.length === 1 && first !== undefined
      ? `${places} ${first.place} ${faultText(first.fault, source)}`
      : listProblems(
          `${problems.length} ${places}s of ${name} cannot be taken as ${idsOf(source)}`,
          problems,
          source,
        );
  if (faults.some(({ fault }) => fault === 'not a person id')) {
    return usageError(message, hintForOthers(faults));
  }
  if (faults.some(({ fault }) => fault === 'ragged'))
    return usageError(message, 'put double quotes around a cell that holds the separator; nothing was sent');
  if (source.isSparing) return usageError(message, `${adviceOn(message)}${CORRECT_EXCEPTIONS}`);
  const ways =
    all !== undefined && places === 'line'
      ? `${adviceOn(message)}correct them, or leave them out with --odd skip`
      : `correct the ${places}s and run the command again`;
  return usageError(message, `${ways}; nothing was sent`);
}

/** What to do with what is no person id, as far as the first of them shows it. */
function hintForOthers([{ given = '' } = {}]: readonly Partial<Faulty>[]): string {
  if (/\.(?:csv|tsv|txt|xlsx|ndjson|jsonl?)$/i.test(given))
    return `for a file, use --from ${nameOfPath(given)} with --as emails, distinct-ids or ids`;
  return given.includes('@')
    ? 'for addresses, use --emails, or --from with --as emails'
    : 'for the ids that events carry, use --distinct-ids, or --from with --as distinct-ids';
}

const CORRECT_EXCEPTIONS = 'correct the exceptions, since a damaged line spares no person; nothing was sent';

/** What to know about sources, and of that what is about one sheet of several: another may have been meant. */
export function createNotes() {
  const notes: string[] = [];
  const sheets: string[] = [];
  return {
    notes,
    sheets,
    note: (text: string) => void notes.push(text),
    noteSheet(name: string, others: readonly string[]) {
      const unread = others.length === 0 ? '' : `; not its other sheets: ${others.join(', ')}`;
      const text = `sheet "${name}" is read${unread}`;
      notes.push(text);
      if (others.length > 0) sheets.push(text);
    },
  };
}

/** Why ids that look damaged must not be sent. `sheets`: which was read of several, as notes. */
export function suspiciousIds(
  damaged: readonly Problem[],
  source: Source & { readonly asked: number; readonly sheets: readonly string[] },
) {
  const problems = damaged.toSorted((one, other) => one.place - other.place);
  const { kind, asked, places, name } = source;
  const sheets = source.sheets.map((note) => `${note}; `).join('');
  if (kind === 'emails' && problems.length === asked && asked > 1)
    return usageError(
      `none of the ${asked} ${places}s of ${name} is an address`,
      `${sheets}name the column of the addresses with --column, or use --as distinct-ids; nothing was sent`,
    );
  const summary = `${problems.length} of the ${idsOf(source)} in ${source.name} look damaged`;
  const text = problems.length === 1 ? describe(problems, source) : listProblems(summary, problems, source);
  if (source.isSparing) return usageError(text, `${adviceOn(text)}${CORRECT_EXCEPTIONS}`);
  const ways = 'correct them, leave them out with --odd skip, or use them as they are with --odd send';
  return usageError(text, `${sheets}${adviceOn(text)}${ways}; nothing was sent`);
}

/** Problems that are told one by one. */
const MOST_TOLD = 1000;

/** A line for each problem, if there are several. */
function listProblems(summary: string, problems: readonly Problem[], { places }: Source): string {
  const told = problems.slice(0, MOST_TOLD).map(({ place, reason }) => `\n  ${places} ${place}: ${reason}`);
  const more = problems.length > MOST_TOLD ? `\n  and ${problems.length - MOST_TOLD} more` : '';
  return `${summary}:${told.join('')}${more}`;
}

export function tooMany(name: string, most: number): CliError {
  return usageError(
    `${name} has more than ${most.toLocaleString('en')} different ids`,
    'split it into several files; nothing was sent',
  );
}

/** What helps against some of the reasons that a text tells. */
function adviceOn(text: string): string {
  const advice = checks.flatMap((one) => (one.advice && text.includes(one.reason) ? one.advice : []));
  return [...new Set(advice)].map((one) => `${one}; `).join('');
}

const mostPlaces = 3;

/** How many there are, why, and where the first ones stand. */
export function describe(problems: readonly Problem[], source: Source): string {
  const count = problems.length;
  const byReason = new Map<string, number[]>();
  for (const { reason, place } of problems) {
    const places = byReason.get(reason) ?? [];
    byReason.set(reason, places);
    places.push(place);
  }
  const reasons = [...byReason].map(([reason, all]) => `${listPlaces(all, source.places)}: ${reason}`);
  return `${count} of the ${idsOf(source)} in ${source.name} ${count === 1 ? 'looks' : 'look'} damaged (${reasons.join('; ')})`;
}

function listPlaces(all: readonly number[], places: Source['places']): string {
  return `${places}${all.length === 1 ? '' : 's'} ${firstOf(all.map(String), mostPlaces)}`;
}

type Named = PersonReference | { readonly email?: string | undefined };

/** Throws a usage error for a person named by what a script or a spreadsheet leaves of an id, unless it is meant. */
export function refuseSuspiciousName(named: Named, odd: 'stop' | 'skip' | 'send' = 'stop'): void {
  const distinctId = 'distinctId' in named ? named.distinctId : undefined;
  const text = 'email' in named ? named.email : distinctId;
  const reason = text === undefined || odd === 'send' ? undefined : findReason(text);
  if (reason === undefined) return;
  const what = distinctId === undefined ? 'email' : 'distinct id';
  throw usageError(
    `the ${what} ${JSON.stringify(text)} looks damaged: ${reason}`,
    'correct it, or add --odd send to use it as it is; nothing was sent',
  );
}

const NOTHING_SENT = '; nothing was sent';

/** One error that says what each says, with the hints of all. */
export function joinFailures(failures: readonly CliError[]): CliError | undefined {
  const [first, ...others] = failures;
  if (first === undefined || others.length === 0) return first;
  const hints = new Set(failures.flatMap(({ hint }) => hint?.replace(NOTHING_SENT, '') ?? []));
  const message = failures.map((one) => one.message).join('\n');
  return changed(first, { message, hint: [...hints, 'nothing was sent'].filter(Boolean).join('; ') });
}

/** Does all of these, and throws then what was wrong with any of them, as one usage error. */
export async function readTogether<Values extends readonly unknown[]>(
  works: {
    readonly [At in keyof Values]: () => Promise<Values[At]>;
  },
): Promise<Values> {
  const values: unknown[] = [];
  const failures: CliError[] = [];
  for (const work of works) {
    try {
      values.push(await work());
    } catch (error) {
      if (!(error instanceof CliError) || error.kind !== 'usage') throw error;
      failures.push(error);
    }
  }
  const failure = joinFailures(failures);
  if (failure !== undefined) throw failure;
  // Cast: each of them has added its value.
  return values as unknown as Values;
}
