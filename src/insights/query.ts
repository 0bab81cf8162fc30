import type { Options, OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, changed, closest, usageError } from '../errors.ts';
import { asObject, filled, type Json, type JsonObject } from '../json/kinds.ts';
import { field, readState, textField } from '../semantics/answer.ts';
import { queryFailed } from '../semantics/query-status.ts';
import { countStatements, cutOf, hasLimit, MOST_ROWS, sqlQuery } from '../semantics/sql.ts';
import type { InputOf } from '../service/endpoint.ts';
import { insights } from '../service/insights.ts';
import { platform } from '../service/platform.ts';
import type { QueryAnswer, QueryStatus } from '../service/schemas.ts';
import type { ChartChoice } from './answers/picture.ts';
import { chartOption, printRows, readChart, timed } from './answers/show.ts';
import { showAgain, watchOption } from './answers/waiting.ts';
import { checkStatement, placeIn, wantOne } from './query-text.ts';

type QueryInput = OptionsInput<typeof queryOptions> & {
  readonly sql: string | undefined;
  readonly name?: string | undefined;
  readonly filters_override?: JsonObject | undefined;
};

type Client = Awaited<ReturnType<Context['client']>>;

type Statement = Omit<QueryInput, 'tables' | 'check' | 'edit' | 'watch'> & { readonly sql: string };

/** Runs a statement, or what `--edit` and `--tables` make of it. */
export async function askSql(
  { tables, check, edit, watch, ...input }: QueryInput,
  context: Context,
): Promise<void> {
  if (tables) return showTables({ check, edit, watch, ...input }, context);
  if (check) return checkStatement(input.sql, { ...input, sql: undefined, edit, watch }, context);
  if (watch && input.async) throw usageError('--watch and --async cannot be used together', 'leave out one');
  if (input.wait && !input.async)
    throw usageError('--wait needs --async', 'leave it out: without --async, the query is always waited for');
  if (context.options.waitTimeout && input.async && !input.wait)
    throw usageError('--wait-timeout needs --wait', 'add --wait');
  const read = readChart(input, context);
  // Rows are drawn only if it was asked for.
  const choice = { ...read, drawn: read.asked || read.picture !== undefined };
  const sql = edit ? await editQuery(input.sql, context) : input.sql;
  if (input.limit !== undefined && context.options.serverFormat !== undefined)
    throw usageError('--limit cannot be used with --server-format', 'write a LIMIT into the query');
  if (sql === undefined) throw usageError('<sql> is missing', 'give a query, @file, -, --edit or --tables');
  wantOne(sql);
  try {
    await showAgain(watch, () => runStatement({ ...input, sql }, choice, context), context);
  } catch (failure) {
    if (edit) context.note(`The query was:\n${sql}`);
    throw failure;
  }
}

/** Asks for the rows of a statement, waits for them if that was asked for, and prints them. */
async function runStatement(
  { sql, value, variable, limit, chart: _, title: __, async: later, wait, ...named }: Statement,
  choice: ChartChoice,
  context: Context,
): Promise<void> {
  const client = await context.client();
  const variables = await projectVariables(variable, client);
  const query = sqlQuery({ sql, values: value, variables, limit });
  const request = { query, refresh: later ? 'async' : undefined, ...named };
  const asked = timed((notice) => client.query(request, notice), context);
  const { answer: given, now } = await pointingAt(sql, asked);
  const answer = answerOf(given);
  const running = later && answer.query_status?.complete === false ? answer.query_status : undefined;
  if (running && !wait) {
    const { id = null } = running;
    context.note(`The query is running; hogctl api GET query/${id}/ shows its progress and its result.`);
    return context.print({ id, complete: false });
  }
  const found = running ? answerOf(await pointingAt(sql, followed(running, client))) : answer;
  await printQuery(found, { sql, limit, choice, now }, context);
}

/** The answer, unless the service says in it that the query failed: it answers 200 all the same. */
function answerOf(answer: QueryAnswer): QueryAnswer {
  const { failure } = readState(answer);
  if (failure !== undefined) throw queryFailed(failure);
  return answer;
}

async function followed({ id }: QueryStatus, client: Client): Promise<QueryAnswer> {
  if (id === undefined) throw new CliError('unavailable', 'the service sent no id for the query');
  return client.follow(id);
}

/** Shows the tables that there are, or the columns of one. Throws `not-found` for a table that there is not. */
async function showTables(
  { sql: name, ...others }: Omit<QueryInput, 'tables'>,
  context: Context,
): Promise<void> {
  if (Object.values(others).some((value) => value !== undefined))
    throw usageError('--tables takes the name of a table and nothing else', 'leave out the other options');
  const client = await context.client();
  const answer = await client.call(platform.query, { query: { kind: 'DatabaseSchemaQuery' } });
  const tables = asObject(answer.tables);
  if (tables === undefined)
    throw new CliError('unavailable', 'the service answered without its tables', { hint: 'try again later' });
  if (name === undefined) {
    const rows = Object.entries(tables).map(([table, about]) => tableRow(table, about));
    return context.print(rows, [{ key: 'name', kind: 'id' }, { key: 'type' }, { key: 'columns' }]);
  }
  if (!Object.hasOwn(tables, name)) {
    const meant = closest(name, Object.keys(tables));
    const hint = meant === undefined ? 'hogctl query --tables lists all' : `did you mean ${meant}?`;
    throw new CliError('not-found', `the table "${name}" does not exist`, { hint });
  }
  const columns = Object.entries(asObject(field(tables[name], 'fields')) ?? {});
  await context.print(
    columns.map(([column, about]) => columnRow(column, about)),
    [{ key: 'name', kind: 'id' }, { key: 'type' }],
  );
}

function tableRow(name: string, about: Json): JsonObject {
  const columns = Object.keys(asObject(field(about, 'fields')) ?? {}).length;
  return filled({ name, type: field(about, 'type'), columns, row_count: field(about, 'row_count') });
}

/** A column may lead to another table, by its name or along a chain of columns. */
function columnRow(name: string, about: Json): JsonObject {
  const { type, hogql_value: written, table, chain } = asObject(about) ?? {};
  return filled({ name: written ?? name, type, table: table ?? undefined, chain: chain ?? undefined });
}

const BEFORE_EDITING = '-- A query over persons and events; hogctl query --tables shows what there is.\n';

/** The query as it comes out of an editor. Throws `cancelled` if it is left as it was, or holds no words. */
async function editQuery(sql: string | undefined, context: Context): Promise<string> {
  if (!context.terminal.interactive) throw usageError('--edit needs a terminal', 'give the query, or @file');
  const { platform, environment } = context.system;
  const isWindows = platform === 'win32';
  const editor = environment.VISUAL || environment.EDITOR || (isWindows ? 'notepad' : 'vi');
  const before = sql ?? BEFORE_EDITING;
  const after = await context.files.edit('query.sql', before, async (file) => {
    // The editor is a line of the shell, such as code --wait. What is printed may go elsewhere than to the terminal.
    const command = isWindows
      ? (['cmd', '/d', '/c', ...editor.split(' '), file] as const)
      : (['sh', '-c', `${editor} "$@" < /dev/tty > /dev/tty`, 'sh', file] as const);
    const { code } = await context.spawn(command, {});
    if (code !== 0)
      throw new CliError('cancelled', `${editor} ended with ${code}, so nothing was sent`, {
        hint: 'set VISUAL or EDITOR to another editor',
      });
  });
  if (after !== before && countStatements(after) > 0) return after;
  throw new CliError('cancelled', 'the query was not changed, so nothing was sent');
}

type Asked = { readonly sql: string; readonly limit: number | undefined };

type Printed = Asked & {
  readonly choice: ChartChoice;
  /** The service's time, in milliseconds. */
  readonly now: number;
};

async function printQuery(
  answer: QueryAnswer,
  { choice, now, ...asked }: Printed,
  context: Context,
): Promise<void> {
  const { insightRows } = await import('../semantics/figures/figures.ts');
  const query = { kind: 'HogQLQuery', query: asked.sql };
  const whole = { ...answer, query };
  const read = insightRows(whole);
  if (read.outcome !== 'rows') {
    throw new CliError('unavailable', `the query answered without rows: ${read.message}`, {
      hint: 'try again later',
    });
  }
  const { rows } = read.figures;
  const shown = asked.limit === undefined ? rows : rows.slice(0, asked.limit);
  const { hasMore } = readState(answer);
  const cut = cutText({ found: rows.length, shown: shown.length, hasMore, ...asked });
  const isWritten = shown.length < MOST_ROWS && (asked.limit !== undefined || hasLimit(asked.sql));
  const { save } = context.options;
  if (cut !== undefined && save !== undefined && !isWritten)
    throw new CliError('partial', `${save} was not written: ${cut}`, { outcome: 'not-done' });
  const drawn = { answer: whole, choice, now, cut };
  await printRows({ ...read.figures, rows: shown }, drawn, context);
  if (cut === undefined) return;
  // A query with a LIMIT is expected to be cut off there.
  if (rows.length < MOST_ROWS && asked.limit === undefined && hasLimit(asked.sql))
    context.note(`${cut.slice(0, 1).toUpperCase()}${cut.slice(1)}.`);
  else context.warn(`warning: ${cut}`);
}

type Count = Asked & {
  readonly found: number;
  readonly shown: number;
  readonly hasMore: boolean | undefined;
};

export function cutText({ sql, limit, found, shown, hasMore }: Count): string | undefined {
  const cut = found > shown ? 'more' : cutOf({ sql, limit, found, hasMore });
  if (cut === undefined) return undefined;
  const first = shown === 1 ? 'this is the first row' : `these are the first ${shown} rows`;
  return `${first}${cut === 'more' ? ', and there are more' : '; there may be more'}; ${moreBy({ sql, limit, shown })}`;
}

function moreBy({ sql, limit, shown }: Pick<Count, 'sql' | 'limit' | 'shown'>): string {
  if (shown >= MOST_ROWS) return 'continue after the last key, as in WHERE id > {last}';
  if (limit !== undefined) return 'a higher --limit shows them';
  return hasLimit(sql) ? 'a higher LIMIT in the query shows them' : '--limit asks for up to 50,000';
}

/** What comes of a query; if it is refused, the hint shows the place that the service's text names. */
async function pointingAt<Answer>(sql: string, asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (failure) {
    if (!(failure instanceof CliError) || failure.kind !== 'refused') throw failure;
    const place = placeIn(sql, failure.message);
    const hint =
      place === undefined ? undefined : `line ${place.line}, column ${place.column}: ${place.text}`;
    throw changed(failure, { hint });
  }
}

export const variableOption = {
  variable: {
    type: 'assignments',
    placeholder: 'name=value',
    description: 'Value of a variable, for this calculation',
  },
} as const satisfies Options;

/** By the ids that the insight tells. Throws a usage error for a variable that it has not. */
export async function overridesOf(
  { id, variable }: { readonly id: string; readonly variable: JsonObject | undefined },
  context: Context,
): Promise<Pick<InputOf<typeof insights.get>, 'variables_override'>> {
  if (variable === undefined) return {};
  const client = await context.client();
  const { query } = await client.call(insights.get, { id });
  const present = Object.entries(asObject(field(field(query, 'source') ?? query, 'variables')) ?? {});
  const known = present.flatMap(([key, one]) => {
    const name = textField(one, 'code_name');
    return name === undefined ? [] : [{ key, name, id: textField(one, 'variableId') ?? key }];
  });
  return { variables_override: variablesById(variable, known, `insight ${id}`) };
}

/** A variable by the name that queries call it; `key` is where its value belongs, mostly its id. */
type Variable = { readonly key: string; readonly name: string; readonly id: string };

/** Values as the service takes them. Throws a usage error for a variable that their owner has not. */
function variablesById(given: JsonObject, known: readonly Variable[], owner: string): JsonObject {
  const entries = Object.entries(given).map(([name, value]): [string, Json] => {
    const found = known.find((one) => one.name === name);
    if (found === undefined) {
      const names = known.map((one) => one.name).join(', ');
      throw usageError(
        `${owner} has no variable "${name}"`,
        names === '' ? 'it has none' : `choose from ${names}`,
      );
    }
    return [found.key, { code_name: name, variableId: found.id, value }];
  });
  return Object.fromEntries(entries);
}

async function projectVariables(
  given: JsonObject | undefined,
  client: Client,
): Promise<JsonObject | undefined> {
  if (given === undefined) return undefined;
  const known: Variable[] = [];
  try {
    for await (const { rows } of client.pages(platform.insightVariables, {})) {
      for (const row of rows) {
        const [id, name] = [textField(row, 'id'), textField(row, 'code_name')];
        if (id !== undefined && name !== undefined) known.push({ key: id, name, id });
      }
    }
  } catch (failure) {
    if (!(failure instanceof CliError) || failure.status !== 404) throw failure;
    const hint = 'use {name} with --value instead';
    throw changed(failure, { kind: 'refused', message: 'the service has no variables', hint });
  }
  return variablesById(given, known, 'the project');
}

export const queryOptions = {
  tables: { type: 'flag', description: 'Show the tables, or the columns of one table' },
  check: { type: 'flag', description: 'Only read the query as the service does, and send nothing' },
  edit: { type: 'flag', description: 'Write or change the query in $VISUAL or $EDITOR' },
  value: {
    type: 'assignments',
    placeholder: 'name=value',
    description: 'Value of {name} in the query',
  },
  variable: {
    ...variableOption.variable,
    description: 'Value of {variables.name} in the query (live service only)',
  },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: MOST_ROWS,
    description: 'Largest number of rows, up to 50,000; for a query without LIMIT',
  },
  ...chartOption,
  ...watchOption,
  async: { type: 'flag', description: 'Start the query, and print its id unless --wait is given' },
  wait: { type: 'flag', description: 'With --async: wait until it has ended' },
} as const satisfies Options;
