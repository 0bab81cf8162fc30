import type { PersonReference } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, counted, usageError } from '../errors.ts';
import type { Column, Json } from '../json/kinds.ts';
import { toText } from '../json/text.ts';
import { tableRows } from '../print/table.ts';
import { MOST_ROWS } from '../semantics/sql.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';
import { askSql } from './persons-by-key.ts';
import { moment } from './persons-by-list.ts';
import { waiterForChange } from './wait-for-change.ts';

type Target = {
  /** The distinct id that stays. */
  readonly main?: string | undefined;
  /** The distinct ids that leave. */
  readonly only?: readonly string[] | undefined;
};

type Split = Target & {
  readonly person: PersonReference;
  readonly wait?: boolean | undefined;
  /** The id of the person that was named; throws `not-found` without one. */
  readonly find: (person: PersonReference, context: Context) => Promise<string>;
  /** Somebody for a person who has to agree. */
  readonly describe: (person: Person) => Promise<string>;
};

/** What becomes of a distinct id, and the events that go with it unless SQL was not asked. */
type PlannedId = {
  readonly distinct_id: string;
  readonly outcome: 'stays' | 'leaves';
  readonly first_event?: string | null;
  readonly last_event?: string | null;
  readonly events?: number;
};

/** Shows what a split will do, and requests it once that is confirmed. */
export async function splitPerson({ person, find, describe, wait, ...target }: Split, context: Context) {
  const { main, only } = target;
  if (main !== undefined && only !== undefined)
    throw usageError('--main and --only cannot be used together', 'give one of them');
  const waitFor = waiterForChange(wait, context);
  context.terminal.requireConsent({ action: 'split this person' });
  const client = await context.client();
  const id = await find(person, context);
  const found = await client.call(persons.get, { id });
  const planned = planSplit(id, found, target);
  if (context.dryRun) return showPlan(id, await withEvents(planned, found, context), target, context);
  const { yes = false } = context.options;
  // With --yes nobody reads it.
  const shown = yes ? [] : await planLines(id, await withEvents(planned, found, context), target, context);
  const who = yes ? `person ${id}` : `person ${id} (${await describe(found)})`;
  await context.confirm({ action: `split ${who}, which cannot be undone`, people: shown });
  await client.call(persons.split, { id, main_distinct_id: main, distinct_ids_to_split: only });
  context.report(
    `Requested: split person ${id}. It runs in the background; check it with hogctl persons get ${id}.`,
  );
  await waitFor(id, (now) => isSplit(now, planned, target));
}

/** Without a distinct id by name, the service decides which one stays. */
function isSplit(
  { distinct_ids: ids = [] }: Person,
  planned: readonly PlannedId[],
  { main, only }: Target,
): boolean {
  if (main === undefined && only === undefined) return ids.length <= 1;
  return planned.every(({ distinct_id: id, outcome }) => outcome === 'stays' || !ids.includes(id));
}

/** What becomes of each distinct id, those that were named first. Throws a usage error for one of somebody else. */
function planSplit(id: string, { distinct_ids: ids = [] }: Person, { main, only }: Target) {
  const named = [...new Set(only ?? (main === undefined ? ids.slice(0, 1) : [main]))];
  const own = new Set(ids);
  const foreign = named.filter((one) => !own.has(one));
  if (foreign.length > 0)
    throw usageError(
      `person ${id} does not have the distinct ${foreign.length === 1 ? 'id' : 'ids'} ${foreign.map((one) => `"${one}"`).join(', ')}`,
      `hogctl persons get ${id} -o json shows all distinct ids of this person`,
    );
  if (only !== undefined && named.length === own.size)
    throw usageError(`no distinct id would stay with person ${id}`, 'leave out at least one --only');
  const [ofNamed, ofOthers] =
    only === undefined ? (['stays', 'leaves'] as const) : (['leaves', 'stays'] as const);
  for (const one of named) own.delete(one);
  return [
    ...named.map((distinct_id): PlannedId => ({ distinct_id, outcome: ofNamed })),
    ...[...own].map((distinct_id): PlannedId => ({ distinct_id, outcome: ofOthers })),
  ];
}

/** The same with the events of each; without them, and a note, if the key may not ask. */
async function withEvents(planned: readonly PlannedId[], { id, uuid }: Person, context: Context) {
  const sql = `SELECT distinct_id, min(timestamp), max(timestamp), count() FROM events WHERE person_id = {person} GROUP BY distinct_id LIMIT ${MOST_ROWS}`;
  try {
    const { rows } = await askSql({ sql, values: { person: uuid ?? toText(id) } }, context);
    const events = new Map(rows.map(([distinctId = null, ...figures]) => [toText(distinctId), figures]));
    return planned.map((one): PlannedId => {
      const [first, last, count = 0] = events.get(one.distinct_id) ?? [];
      return {
        ...one,
        first_event: moment(first),
        last_event: moment(last),
        events: Number(toText(count)),
      };
    });
  } catch (failure) {
    if (!(failure instanceof CliError) || context.signal.aborted) throw failure;
    context.note(`Events are not shown, since SQL did not answer: ${failure.message}.`);
    return planned;
  }
}

function columnsOf([first]: readonly PlannedId[]): readonly Column[] {
  const columns: readonly Column[] = [
    { key: 'distinct_id', title: 'distinct id', prominent: true },
    { key: 'outcome', title: 'split' },
  ];
  if (first?.events === undefined) return columns;
  return [
    ...columns,
    { key: 'first_event', title: 'first event', minor: true },
    { key: 'last_event', title: 'last event', minor: true },
    { key: 'events' },
  ];
}

async function showPlan(id: string, planned: readonly PlannedId[], target: Target, context: Context) {
  await context.print([...planned], columnsOf(planned));
  for (const line of consequences(id, planned, target)) context.note(line);
  context.note('Nothing was sent.');
}

/** Distinct ids that a question shows. */
const MOST_SHOWN = 20;

/** The plan for a question. */
async function planLines(
  id: string,
  planned: readonly PlannedId[],
  target: Target,
  context: Context,
): Promise<readonly string[]> {
  const { width, unicode } = context.output.format();
  const format = {
    format: 'table',
    headers: true,
    width,
    unicode,
    color: false,
    spreadsheetSafe: false,
  } as const;
  async function* rows(): AsyncGenerator<readonly Json[]> {
    yield planned.slice(0, MOST_SHOWN);
  }
  let [table, isCut] = ['', false];
  const tellCut = () => {
    isCut = true;
  };
  for await (const chunk of tableRows(rows(), { ...format, defaultColumns: columnsOf(planned) }, tellCut))
    table += chunk;
  const rest = planned.length - MOST_SHOWN;
  const more = rest > 0 ? [`and ${counted(rest, 'other')}, which --dry-run shows`] : [];
  const cut = isCut ? ['To fit the terminal, columns are left out; --dry-run -o csv shows all.'] : [];
  return [...table.trimEnd().split('\n'), ...more, ...cut, ...consequences(id, planned, target)];
}

/** What the persons will have and lack. */
function consequences(id: string, planned: readonly PlannedId[], { main, only }: Target): readonly string[] {
  const leaving = planned.filter(({ outcome }) => outcome === 'leaves').length;
  if (leaving === 0) return ['No distinct id leaves.'];
  const becomes =
    leaving === 1
      ? '1 distinct id leaves and becomes a new person without properties.'
      : `${leaving} distinct ids leave, and each becomes a new person without properties.`;
  if (main === undefined && only === undefined)
    return [
      becomes,
      'Without --main, the service decides which distinct id stays, and may remove the properties of the person.',
    ];
  return [becomes, `The properties stay with person ${id}.`];
}
