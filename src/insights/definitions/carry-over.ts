import { basename } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { CliError, changed, usageError } from '../../errors.ts';
import type { Json, JsonObject } from '../../json/kinds.ts';
import { textField } from '../../semantics/answer.ts';
import { queryRows, sqlQuery } from '../../semantics/sql.ts';
import { idText, LARGEST_PAGE, objectRows } from '../../service/endpoint.ts';
import { platform } from '../../service/platform.ts';
import type { Insight } from '../../service/schemas.ts';
import { describeInsight } from '../answers/insight.ts';
import {
  changedFields,
  type Definition,
  definitionOf,
  isSameProject,
  type LocalInsight,
  type Names,
  type Origin,
  type Present,
  type Pushed,
} from './files.ts';
import { kindsOf, type Numbered, type Seen, type Used, type Uses, usesOf, withNumbers } from './uses.ts';

/** The project in use as files name it; undefined if only the service knows which it is. */
export async function currentOrigin(context: Context): Promise<Origin | undefined> {
  const { project, host } = await context.settings();
  return /^\d+$/.test(project.id) ? { host: host.address, id: project.id } : undefined;
}

export function originText({ host, id }: Origin): string {
  return `project ${id} at ${host}`;
}

export function isOther(origin: Origin | undefined, here: Origin | undefined): boolean {
  return origin !== undefined && here !== undefined && !isSameProject(origin, here);
}

export function madeOf({ pushed }: LocalInsight, here: Origin | undefined): Pushed | undefined {
  return here && pushed.find((one) => isSameProject(one, here));
}

/** Files that name neither project nor short id go with the others. Throws a usage error if one cannot be told by name. */
export async function sortFiles(
  local: readonly LocalInsight[],
  { prune }: { readonly prune: boolean },
  context: Context,
): Promise<{ readonly own: readonly LocalInsight[]; readonly others: readonly LocalInsight[] }> {
  const here = await currentOrigin(context);
  const isForeign = (one: LocalInsight) =>
    isOther(one.project, here) || (one.project === undefined && madeOf(one, here) !== undefined);
  const first = local.find(isForeign);
  if (first === undefined) return { own: local, others: [] };
  if (prune)
    throw usageError(
      `--prune deletes what has no file, and ${first.file} is from another project`,
      'push without --prune',
    );
  const isOwn = (one: LocalInsight) => !isForeign(one) && (one.project ?? one.shortId) !== undefined;
  const others = local.filter((one) => !isOwn(one));
  refuseUnnamed(others);
  refuseCopies(others, here);
  return { own: local.filter(isOwn), others };
}

function refuseUnnamed(others: readonly LocalInsight[]): void {
  const byName = new Map<string, string>();
  for (const { file, definition, names, project } of others) {
    const { name } = definition;
    if (typeof name !== 'string' || name === '')
      throw usageError(`${file} has no name, by which another project knows its insight`, 'give it a name');
    const twin = byName.get(name);
    if (twin !== undefined)
      throw usageError(`${twin} and ${file} have the same name, by which another project knows them`);
    byName.set(name, file);
    const uses = usesOf(definition);
    const unknown = [...uses.numbered.values()].find((one) => nameOf(one, names) === undefined);
    if (unknown !== undefined) {
      throw usageError(
        `${file} uses ${unknown.kind} ${unknown.id} and does not say its name`,
        `pull it again${project === undefined ? '' : ` from ${originText(project)}`}, with a key that may list cohorts and actions; one that is gone has no name`,
      );
    }
    const numbered = uses.sql.map((text) => BY_NUMBER.exec(text)?.[0]).find((found) => found !== undefined);
    if (numbered === undefined) continue;
    throw usageError(
      `the SQL of ${file} says "${numbered}", a number that another project does not know`,
      `write the name in its place: in cohort 'Trial', matchesAction('Signed up')`,
    );
  }
}

/** A copy of a file has its records too. */
function refuseCopies(others: readonly LocalInsight[], here: Origin | undefined): void {
  const byInsight = new Map<string, string>();
  for (const local of others) {
    const { short_id: made } = madeOf(local, here) ?? {};
    const twin = made && byInsight.get(made);
    if (twin)
      throw usageError(
        `${twin} and ${local.file} were both pushed as insight ${made}`,
        'remove pushed from the copy',
      );
    if (made) byInsight.set(made, local.file);
  }
}

/** How SQL names cohorts and actions by number. */
const BY_NUMBER = /\bcohort\s+\d+|\bmatchesAction\s*\(\s*\d+/i;

function nameOf({ kind, id, name }: Used, names: Names): string | undefined {
  return kind === 'variable' ? name : names[`${kind}s`][id];
}

export type Carried = {
  readonly local: LocalInsight;
  readonly definition: Definition;
  /** The insight that an earlier push made of it, else the one that has its name. */
  readonly insight: Insight | undefined;
  readonly made: Pushed | undefined;
  readonly uses: Uses;
  /** Which number stands for which, for people. */
  readonly mapping: readonly string[];
  /** What this project lacks, or has more than once. */
  readonly faults: readonly string[];
};

/** Puts this project's numbers into files of another. Throws `check` with all that is missing here or there twice. */
export async function carryOver(
  others: readonly LocalInsight[],
  { insights, missing }: Present,
  context: Context,
): Promise<{ readonly carried: readonly Carried[]; readonly from: string }> {
  if (others.length === 0) return { carried: [], from: '' };
  if (missing > 0) {
    const message = `the service has ${missing} more insights than it listed, so names tell nothing`;
    throw new CliError('unavailable', message, { hint: 'try again later' });
  }
  const kinds = kindsOf(others.map(({ definition }) => definition));
  const numbers = await readNumbers(kinds, context);
  const here = await currentOrigin(context);
  const made = others.map((local) => madeOf(local, here));
  const claimed = new Set(made.map((one) => one?.short_id));
  const named = [...insights.values()].filter(({ short_id: id }) => !claimed.has(id));
  const carried = others.map((local, at) => carryOne(local, { insights, named, made: made[at], numbers }));
  const sent = carried.filter(
    ({ definition, insight }) =>
      insight === undefined || changedFields(definition, definitionOf(insight)).length > 0,
  );
  const unseen = await readSeen(sent, context);
  const faults = new Map<string, string[]>();
  const tell = (found: readonly string[], { file }: LocalInsight) => {
    for (const fault of found) faults.set(fault, [...(faults.get(fault) ?? []), basename(file)]);
  };
  for (const one of carried) tell(one.faults, one.local);
  for (const { local, uses } of sent) tell([...uses.seen.values()].flatMap(unseen), local);
  if (faults.size > 0) throw misfitError(faults, here);
  tellUnchecked(sent, context);
  const from = fromText(others, carried);
  // Otherwise the question says it.
  if (context.dryRun || context.options.yes) context.note(`The files are of ${from}`);
  return { carried, from: ` from files of ${from}` };
}

type Numbers = (kind: Numbered, name: string) => readonly Json[];

type Place = {
  readonly insights: Present['insights'];
  /** Those that may be meant by name: what was made of another file is not. */
  readonly named: readonly Insight[];
  readonly made: Pushed | undefined;
  readonly numbers: Numbers;
};

function carryOne(local: LocalInsight, { insights, named, made, numbers }: Place): Carried {
  const { definition, names } = local;
  const mapping: string[] = [];
  const faults: string[] = [];
  const mapped = withNumbers(definition, (kind, id, own) => {
    const name = nameOf({ kind, id, name: own }, names) ?? '';
    const [number, ...more] = numbers(kind, name);
    if (number === undefined) faults.push(`${kind} ${JSON.stringify(name)} is missing`);
    if (more.length > 0) faults.push(severalText(`${kind}s`, name, [number, ...more].map(idText)));
    if (number !== undefined) mapping.push(`${kind} ${id} ${JSON.stringify(name)} -> ${idText(number)}`);
    return number ?? id;
  });
  const sameName = named.filter(({ name }) => name === definition.name);
  const [insight, ...twins] = made === undefined ? sameName : [insights.get(made.short_id)];
  if (made !== undefined && insight === undefined)
    faults.push(`insight ${made.short_id}, which a push made of the file, is gone`);
  if (twins.length > 0)
    faults.push(severalText('insights', String(definition.name), [insight, ...twins].map(describeInsight)));
  const uses = usesOf(definition);
  return { local, definition: mapped, insight, made, uses, mapping, faults: [...new Set(faults)] };
}

function severalText(kinds: string, name: string, which: readonly string[]): string {
  return `${which.length} ${kinds} are called ${JSON.stringify(name)}: ${which.join(', ')}`;
}

function misfitError(faults: ReadonlyMap<string, readonly string[]>, here: Origin | undefined): CliError {
  const lines = [...faults].map(([fault, files]) => `\n  ${fault} (${files.join(', ')})`);
  const where = here === undefined ? 'the project' : originText(here);
  const message = `${where} does not have what the files name, so nothing was sent:${lines.join('')}`;
  return new CliError('check', message, {
    hint: [...faults.keys()].some((fault) => fault.endsWith('is gone'))
      ? 'restore what is gone with insights restore, or remove its entry from pushed to create another insight'
      : 'cohorts and actions are found by their names; events must have been seen in the last 30 days',
  });
}

function tellUnchecked(sent: readonly Carried[], context: Context): void {
  for (const what of new Set(sent.flatMap(({ uses }) => [...uses.unchecked]))) {
    const files = sent
      .filter(({ uses }) => uses.unchecked.has(what))
      .map(({ local }) => basename(local.file));
    context.warn(`warning: the ${what} of these files may mean something else there: ${files.join(', ')}`);
  }
}

function fromText(others: readonly LocalInsight[], carried: readonly Carried[]): string {
  const origins = new Set(
    others.flatMap(({ project }) => (project === undefined ? [] : [originText(project)])),
  );
  const lines = [...new Set(carried.flatMap(({ mapping }) => mapping))].map((line) => `\n  ${line}`);
  return `${[...origins].join(' and ')}${lines.length === 0 ? '' : `:${lines.join('')}`}`;
}

/** Lists what the files use of the project, and nothing else, since each list needs a scope of its own. */
async function readNumbers(kinds: ReadonlySet<Numbered>, context: Context): Promise<Numbers> {
  const ids = new Map<string, Json[]>();
  for (const kind of kinds) {
    for (const row of await listNumbered(kind, context)) {
      const name = textField(row, kind === 'variable' ? 'code_name' : 'name');
      if (row.id === undefined || row.deleted === true) continue;
      ids.set(`${kind} ${name}`, [...(ids.get(`${kind} ${name}`) ?? []), row.id]);
    }
  }
  return (kind, name) => ids.get(`${kind} ${name}`) ?? [];
}

const RECENT = 30 * 86_400_000;

/** Tells what was not seen, or not lately. */
async function readSeen(
  sent: readonly Carried[],
  context: Context,
): Promise<(seen: Seen) => readonly string[]> {
  const all = sent.flatMap(({ uses }) => [...uses.seen.values()]);
  let now = context.now();
  const onTime = (time: string) => {
    now = Date.parse(time);
  };
  const definitions = new Map<string, JsonObject>();
  for (const kind of new Set(all.map((seen) => seen.kind))) {
    for (const row of await listSeen(kind, onTime, context))
      definitions.set(`${kind} ${textField(row, 'name')}`, row);
  }
  const listed = all.filter(
    ({ kind, name }) => kind === 'event property' && definitions.has(`${kind} ${name}`),
  );
  const old = await unseenLately([...new Set(listed.map(({ name }) => name))], context);
  return ({ kind, name }) => {
    const row = definitions.get(`${kind} ${name}`);
    const last = Date.parse(textField(row, 'last_seen_at') ?? '');
    const what = `${kind} ${JSON.stringify(name)}`;
    if (row === undefined || (Number.isNaN(last) && kind === 'event')) return [`${what} was never seen`];
    if (kind === 'event property' && old.has(name)) return [`${what} was not seen in the last 30 days`];
    if (!(now - last > RECENT)) return [];
    return [`${what} was last seen on ${new Date(last).toISOString().slice(0, 10)}`];
  };
}

/** The service keeps no time of properties, so that events with them are counted. */
async function unseenLately(names: readonly string[], context: Context): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const client = await context.client();
  const columns = names.map((name) => `countIf(properties.${sqlName(name)} is not null)`);
  const sql = `select ${columns.join(', ')} from events where timestamp > now() - interval 30 day`;
  try {
    const [row = []] = queryRows(await client.query({ query: sqlQuery({ sql }) })).rows;
    return new Set(names.filter((_, index) => !(Number(idText(row[index])) > 0)));
  } catch (failure) {
    // A large project may not count them in time.
    if (!(failure instanceof CliError) || !['unavailable', 'refused', 'not-found'].includes(failure.kind))
      throw failure;
    context.warn(`warning: whether event properties were seen lately is not known: ${failure.message}`);
    return new Set();
  }
}

function sqlName(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '``')}\``;
}

type Rows = AsyncIterable<{ readonly rows: readonly Json[] }>;

export async function listNumbered(kind: Numbered, context: Context): Promise<readonly JsonObject[]> {
  const client = await context.client();
  const pages = { pageSize: LARGEST_PAGE };
  if (kind === 'cohort') return gather(client.pages(platform.cohorts, {}, pages), `${kind}s`);
  if (kind === 'action') return gather(client.pages(platform.actions, {}, pages), `${kind}s`);
  return gather(client.pages(platform.insightVariables, {}), `${kind}s`);
}

async function listSeen(
  kind: Seen['kind'],
  onTime: (time: string) => void,
  context: Context,
): Promise<readonly JsonObject[]> {
  const client = await context.client();
  const pages = { pageSize: LARGEST_PAGE, onTime };
  if (kind === 'event') return gather(client.pages(platform.eventDefinitions, {}, pages), `${kind}s`);
  const type = kind === 'event property' ? 'event' : 'person';
  return gather(client.pages(platform.propertyDefinitions, { type }, pages), 'properties');
}

async function gather(pages: Rows, things: string): Promise<readonly JsonObject[]> {
  const rows: JsonObject[] = [];
  try {
    for await (const page of pages) for (const one of objectRows<JsonObject>(page)) rows.push(one);
  } catch (failure) {
    if (!(failure instanceof CliError) || failure.status !== 404) throw failure;
    const hint = `files that use no ${things} can be pushed`;
    throw changed(failure, { kind: 'refused', message: `the service does not list ${things}`, hint });
  }
  return rows;
}
