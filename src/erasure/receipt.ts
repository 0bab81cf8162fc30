import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import type { GivenLine } from './collect-ids.ts';
import type { Entry } from './entries.ts';
import { isUuid, normalizeId } from './ids.ts';
import { inPages, memberOutcomes } from './report.ts';
import type { People } from './resolve.ts';
import type { RunRecord } from './run.ts';

/** Where a receipt goes, and the lines that it answers: they are in memory only. */
export type ReceiptInput = { readonly file: string; readonly lines: readonly GivenLine[] };

/** The receipt that was asked for. Throws a usage error if no list was given that it could answer. */
export function receiptOf(file: string | undefined, people: readonly People[]): ReceiptInput | undefined {
  if (file === undefined) return undefined;
  const lines = people.flatMap(({ list }) => list.lines ?? []);
  if (lines.length > 0) return { file, lines };
  throw usageError('--receipt answers a list of ids, and none is given', 'add --from <file> and --as');
}

/**
 * Writes the list as it was given, its own columns included, with what came of each line: the operator's answer to
 * whoever asked, readable by its owner only.
 */
export async function writeReceipt(
  { file, lines }: ReceiptInput,
  run: RunRecord,
  context: Context,
): Promise<void> {
  const own = [...new Set(lines.flatMap((line) => Object.keys(line.own ?? { given: '' })))];
  const names = Object.fromEntries(answerNames.map((name) => [name, freeName(name, own)]));
  const columns = [...own, ...Object.values(names)].map((key) => ({ key }));
  const { output = 'table' } = context.options;
  const how = { format: output === 'table' ? 'csv' : output, columns: undefined } as const;
  await context.files.writeRows(file, inPages(receiptRows(lines, { run, names })), columns, how);
  context.note(`The receipt, with its persons, is in ${file}.`);
}

const answerNames = ['line', 'outcome', 'person', 'batch'] as const;

function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`hogctl_${name}`, taken) : name;
}

type Answer = { readonly outcome: string; readonly batch: number | null; readonly person: string | null };

type Answering = { readonly run: RunRecord; readonly names: Readonly<Record<string, string>> };

function* receiptRows(lines: readonly GivenLine[], { run, names }: Answering): Generator<JsonObject> {
  const answers = answersTo(new Set(lines.map(({ kind, id }) => run.memberOf(kind, id))), run);
  for (const { kind, id, line, own, address } of lines) {
    const known = answers.get(run.memberOf(kind, id));
    const { outcome, person, batch } = known ?? {
      outcome: address?.outcome === 'nobody' ? 'nobody' : 'not in this run',
      person: null,
      batch: null,
    };
    const told: Readonly<Record<string, Json>> = { line, outcome, person, batch };
    const named = Object.entries(told).map(([name, value]) => [names[name] ?? name, value] as const);
    yield { ...(own ?? { given: id }), ...Object.fromEntries(named) };
  }
}

/** What the run can say of some of its members. */
function answersTo(wanted: ReadonlySet<string>, run: RunRecord): ReadonlyMap<string, Answer> {
  const answers = new Map<string, Answer>();
  const entries = listEntries(run);
  for (const { member, outcome, batch } of memberOutcomes(run)) {
    const { value: entry } = entries.next();
    if (wanted.has(member)) answers.set(member, { outcome, batch, person: entry ? personOf(entry) : null });
  }
  return answers;
}

function personOf({ kind, id, person }: Entry): string | null {
  return person?.uuid ?? (kind === 'ids' && isUuid(id) ? id : null);
}

const atOnce = 1024;

/** The ids in the order of the plan; nothing for one that the record lost and no one gave again. */
function* listEntries(run: RunRecord): Generator<Entry | undefined, undefined> {
  const { count } = run.plan.members;
  for (let from = 0; run.hasIds && from < count; from += atOnce) {
    const size = Math.min(atOnce, count - from);
    const entries = run.entries(from, size);
    if (entries.length === size) yield* entries;
    else for (let index = 0; index < size; index += 1) yield run.entries(from + index, 1)[0];
  }
}

const columns = ['line', 'given', 'kind', 'outcome', 'person', 'name'].map((key) => ({ key }));

/**
 * What a plan makes of each line of its input: whom the id belongs to, or nobody. Ids that look damaged are `odd`, and
 * the outcome of those that no one looked up is null.
 */
function* planRows(people: readonly People[]): Generator<JsonObject> {
  for (const { list, resolution } of people) {
    const positions = new Map(list.ids.map((id, position) => [id, position]));
    // A selection has no lines: each of its people is one.
    const lines =
      list.lines ?? list.ids.map((id): GivenLine => ({ id, line: null, kind: list.kind, suspicious: false }));
    for (const { line, id, kind, suspicious, address } of lines) {
      const person = resolution?.at(positions.get(normalizeId(kind, id)) ?? -1);
      const found = person === undefined ? null : outcomeOf(person);
      const told = address?.outcome ?? found;
      const outcome = suspicious && (list.refusal ?? list.skipped) !== undefined ? 'odd' : told;
      const given = address === undefined ? { given: id, kind } : { given: address.given, kind: 'emails' };
      const uuid = person?.uuid ?? (address && id !== '' ? id : null);
      yield { line, ...given, outcome, person: uuid, name: person?.name ?? null };
    }
  }
}

function outcomeOf(person: object | null): Json {
  return person === null ? 'nobody' : 'found';
}

/** Prints them, and throws then if some of the ids must not be sent. */
export async function printPlanRows(people: readonly People[], context: Context): Promise<void> {
  await context.print(inPages(planRows(people)), columns);
  const refused = people.find(({ list }) => list.refusal !== undefined);
  if (refused?.list.refusal !== undefined) throw refused.list.refusal;
}
