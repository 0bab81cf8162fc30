import { basename } from 'node:path';
import type { Context } from '../cli/context.ts';
import { CliError, usageError } from '../errors.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { idText, objectRows, textField } from '../service/answer.ts';
import { LARGEST_PAGE } from '../service/endpoint.ts';
import { platform } from '../service/platform.ts';
import type { Insight } from '../service/schemas.ts';
import type { Definition, LocalInsight, Names, Origin, Present } from './definition-files.ts';
import { describeInsight } from './insight.ts';
import { type Numbered, type Seen, type Uses, usesOf, withNumbers } from './uses.ts';

/** The project in use as files name it; undefined if only the service knows which it is. */
export async function currentOrigin(context: Context): Promise<Origin | undefined> {
  const { project, host } = await context.settings();
  return /^\d+$/.test(project.id) ? { host: host.address, id: project.id } : undefined;
}

function originText({ host, id }: Origin): string {
  return `project ${id} at ${host}`;
}

function isOther(origin: Origin | undefined, here: Origin | undefined): boolean {
  if (origin === undefined || here === undefined) return false;
  return origin.id !== here.id || origin.host !== here.host;
}

/** Throws a usage error if files of another project stand in a folder that is pulled into. */
export async function refuseOtherFiles(local: readonly LocalInsight[], context: Context): Promise<void> {
  const here = await currentOrigin(context);
  const other = local.find(({ project }) => isOther(project, here));
  if (other?.project === undefined || here === undefined) return;
  throw usageError(
    `${other.file} is from ${originText(other.project)}, and this is ${originText(here)}`,
    'pull each project into a folder of its own',
  );
}

/** The names of all that definitions use by number; a warning says which the key may not list. */
export async function readNames(definitions: readonly Definition[], context: Context): Promise<Names> {
  const used = new Set(
    definitions.flatMap((one) => [...usesOf(one).numbered.values()]).map(({ kind }) => kind),
  );
  const read = async (kind: 'cohort' | 'action') => {
    const rows = used.has(kind) ? await listIfAllowed(kind, context) : [];
    return Object.fromEntries(
      rows.flatMap((row) => (isNamed(row) ? [[idText(row.id), row.name] as const] : [])),
    );
  };
  return { cohorts: await read('cohort'), actions: await read('action') };
}

async function listIfAllowed(kind: 'cohort' | 'action', context: Context): Promise<readonly JsonObject[]> {
  try {
    return await listNumbered(kind, context);
  } catch (failure) {
    if (!(failure instanceof CliError) || ![403, 404].includes(failure.status ?? 0)) throw failure;
    context.warn(
      `warning: files do not name the ${kind}s they use, so another project cannot take them: ${failure.message}`,
    );
    return [];
  }
}

function isNamed(row: JsonObject): row is JsonObject & { readonly id: Json; readonly name: string } {
  return row.id !== undefined && typeof row.name === 'string' && row.deleted !== true;
}

/**
 * Which files are of the project in use, and which were pulled from another. Files that name no project go with the
 * others if they have no short id either. Throws a usage error if those of another project cannot be told by name.
 */
export async function sortFiles(
  local: readonly LocalInsight[],
  { prune }: { readonly prune: boolean },
  context: Context,
): Promise<{ readonly own: readonly LocalInsight[]; readonly others: readonly LocalInsight[] }> {
  const here = await currentOrigin(context);
  const first = local.find(({ project }) => isOther(project, here));
  if (first === undefined) return { own: local, others: [] };
  if (prune)
    throw usageError(
      `--prune deletes what has no file, and ${first.file} is from another project`,
      'push without --prune',
    );
  const isOwn = ({ project, shortId }: LocalInsight) =>
    project === undefined ? shortId !== undefined : !isOther(project, here);
  const others = local.filter((one) => !isOwn(one));
  refuseUnnamed(others);
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

/** How SQL names cohorts and actions by number. */
const BY_NUMBER = /\bcohort\s+\d+|\bmatchesAction\s*\(\s*\d+/i;

function nameOf(
  { kind, id, name }: { readonly kind: Numbered; readonly id: string; readonly name?: string },
  names: Names,
): string | undefined {
  return kind === 'variable' ? name : names[`${kind}s`][id];
}

/** A file of another project, in the numbers of this one. */
export type Carried = {
  readonly file: string;
  readonly definition: Definition;
  /** The insight that has its name. */
  readonly insight: Insight | undefined;
};

type CarriedOver = {
  readonly carried: readonly Carried[];
  /** From where, and which number stands for which, for the question. */
  readonly from: string;
};

/**
 * Puts the numbers of this project into files of another, and looks for all that they name. Throws `check` with all that
 * is missing here, or there more than once.
 */
export async function carryOver(
  others: readonly LocalInsight[],
  { insights, missing }: Present,
  context: Context,
): Promise<CarriedOver> {
  if (others.length === 0) return { carried: [], from: '' };
  if (missing > 0) {
    throw new CliError(
      'unavailable',
      `the service has ${missing} more insights than it listed, so names tell nothing`,
      { hint: 'try again later' },
    );
  }
  const uses = others.map((local) => usesOf(local.definition));
  const target = await readTarget(uses, context);
  const faults = new Map<string, string[]>();
  const mapping = new Set<string>();
  const carried = others.map(({ file, definition, names }, index): Carried => {
    const tell = (fault: string) => faults.set(fault, [...(faults.get(fault) ?? []), basename(file)]);
    for (const seen of uses[index]?.seen.values() ?? []) {
      const fault = target.unseen(seen);
      if (fault !== undefined) tell(`${seen.kind} ${quoted(seen.name)} ${fault}`);
    }
    const mapped = withNumbers(definition, (kind, id, own) => {
      const name = nameOf({ kind, id, ...(own === undefined ? {} : { name: own }) }, names) ?? '';
      const [number, ...more] = target.numbers(kind, name);
      if (number === undefined) tell(`${kind} ${quoted(name)} is missing`);
      if (more.length > 0) tell(severalText(`${kind}s`, name, [number, ...more].map(idText)));
      if (number !== undefined) mapping.add(`${kind} ${id} ${quoted(name)} -> ${idText(number)}`);
      return number ?? id;
    });
    const [insight, ...twins] = [...insights.values()].filter(({ name }) => name === definition.name);
    if (twins.length > 0)
      tell(severalText('insights', String(definition.name), [insight, ...twins].map(describeInsight)));
    return { file, definition: mapped, insight };
  });
  if (faults.size > 0) throw misfitError(faults, await currentOrigin(context));
  tellSql(
    others.filter((_, index) => (uses[index]?.sql.length ?? 0) > 0),
    context,
  );
  const from = fromText(others, mapping);
  // Otherwise the question says it.
  if (context.dryRun || context.options.yes) context.note(`The files are of ${from}`);
  return { carried, from: ` from files of ${from}` };
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

function severalText(kinds: string, name: string, which: readonly string[]): string {
  return `${which.length} ${kinds} are called ${quoted(name)}: ${which.join(', ')}`;
}

function misfitError(faults: ReadonlyMap<string, readonly string[]>, here: Origin | undefined): CliError {
  const lines = [...faults].map(([fault, files]) => `\n  ${fault} (${files.join(', ')})`);
  const where = here === undefined ? 'the project' : originText(here);
  return new CliError(
    'check',
    `${where} does not have what the files name, so nothing was sent:${lines.join('')}`,
    {
      hint: 'cohorts and actions are found by their names; an event must have been seen in the last 30 days',
    },
  );
}

function tellSql(local: readonly LocalInsight[], context: Context): void {
  if (local.length === 0) return;
  const files = local.map(({ file }) => basename(file)).join(', ');
  context.warn(`warning: what their SQL names is not looked for in the project: ${files}`);
}

function fromText(others: readonly LocalInsight[], mapping: ReadonlySet<string>): string {
  const origins = new Set(
    others.flatMap(({ project }) => (project === undefined ? [] : [originText(project)])),
  );
  const lines = [...mapping].map((line) => `\n  ${line}`);
  return `${[...origins].join(' and ')}${lines.length === 0 ? '' : `:${lines.join('')}`}`;
}

type Target = {
  /** The numbers that a name has. */
  readonly numbers: (kind: Numbered, name: string) => readonly Json[];
  /** Why it does not count as seen. */
  readonly unseen: (seen: Seen) => string | undefined;
};

const DAY = 86_400_000;

const RECENT = 30 * DAY;

/** Lists what the files use of the project, and nothing else, since each list needs a scope of its own. */
async function readTarget(uses: readonly Uses[], context: Context): Promise<Target> {
  const numbered = new Set(uses.flatMap((one) => [...one.numbered.values()].map(({ kind }) => kind)));
  const ids = new Map<string, Json[]>();
  for (const kind of numbered) {
    for (const row of await listNumbered(kind, context)) {
      const name = kind === 'variable' ? textField(row, 'code_name') : textField(row, 'name');
      if (row.id === undefined || row.deleted === true) continue;
      ids.set(`${kind} ${name}`, [...(ids.get(`${kind} ${name}`) ?? []), row.id]);
    }
  }
  const kinds = new Set(uses.flatMap((one) => [...one.seen.values()].map(({ kind }) => kind)));
  let now = context.now();
  const onTime = (time: string) => {
    now = Date.parse(time);
  };
  const definitions = new Map<string, JsonObject>();
  for (const kind of kinds) {
    for (const row of await listSeen(kind, onTime, context))
      definitions.set(`${kind} ${textField(row, 'name')}`, row);
  }
  return {
    numbers: (kind, name) => ids.get(`${kind} ${name}`) ?? [],
    unseen: ({ kind, name }) => {
      const row = definitions.get(`${kind} ${name}`);
      const last = Date.parse(textField(row, 'last_seen_at') ?? '');
      // The service keeps no time of properties.
      if (row === undefined || (Number.isNaN(last) && kind === 'event')) return 'was never seen';
      return now - last > RECENT
        ? `was last seen on ${new Date(last).toISOString().slice(0, 10)}`
        : undefined;
    },
  };
}

type Pages = { readonly pageSize: number; readonly onTime?: (time: string) => void };

async function listNumbered(kind: Numbered, context: Context): Promise<readonly JsonObject[]> {
  const client = await context.client();
  const pages: Pages = { pageSize: LARGEST_PAGE };
  if (kind === 'cohort') return gather(client.pages(platform.cohorts, {}, pages));
  if (kind === 'action') return gather(client.pages(platform.actions, {}, pages));
  return gather(client.pages(platform.insightVariables, {}));
}

async function listSeen(
  kind: Seen['kind'],
  onTime: (time: string) => void,
  context: Context,
): Promise<readonly JsonObject[]> {
  const client = await context.client();
  const pages: Pages = { pageSize: LARGEST_PAGE, onTime };
  if (kind === 'event') return gather(client.pages(platform.eventDefinitions, {}, pages));
  const type = kind === 'event property' ? 'event' : 'person';
  return gather(client.pages(platform.propertyDefinitions, { type }, pages));
}

async function gather(
  pages: AsyncIterable<{ readonly rows: readonly Json[] }>,
): Promise<readonly JsonObject[]> {
  const rows: JsonObject[] = [];
  for await (const page of pages) rows.push(...objectRows<JsonObject>(page));
  return rows;
}
