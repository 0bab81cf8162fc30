import type { Context } from '../cli/context.ts';
import { CliError, counted, foreseen, usageError } from '../errors.ts';
import type { Column, Json } from '../json/kinds.ts';
import type { GivenKind } from './input/checks.ts';
import { readGiven, type Sources } from './input/given.ts';
import { stopIfAsked } from './people/resolve.ts';
import { listRuns, type RunSummary } from './proof/summary.ts';
import { withRunRecord } from './record/find.ts';
import { type Found, type FoundRow, findIn, type Wanted } from './report/erased.ts';
import { fileColumn } from './report/receipt.ts';

type Finding = Pick<
  Sources,
  'ids' | 'distinctIds' | 'emails' | 'from' | 'as' | 'column' | 'sheet' | 'encoding'
>;

/**
 * Prints which people of a list were in a run that is kept here, by HMACs: nothing is sent. Throws `check` if some were
 * erased, and else `partial` if a run cannot tell.
 */
export async function findPeople(input: Finding, context: Context): Promise<void> {
  const wanted = await readWanted(input, context);
  const rows: Found[] = [];
  let untold = 0;
  const runs = listRuns(context.stateDirectory(), context);
  for (const run of runs.filter(({ neverBegan }) => !neverBegan)) {
    stopIfAsked(context);
    const { found, problem } = await askRecord(run, wanted, context);
    for (const one of found) rows.push(one);
    if (problem === undefined) continue;
    untold += 1;
    context.warn(`warning: run ${run.id} cannot answer for all of them: ${problem}`);
  }
  await context.print(
    rows.map(({ row }): { readonly [name: string]: Json } => row),
    [...fileColumn(wanted.lines).map((key) => ({ key })), ...columns],
  );
  const erased = new Set(rows.flatMap(({ row, mayBeErased }) => (mayBeErased ? lineKey(row) : [])));
  const isList = input.from !== undefined;
  const [one, many] = isList ? NOUNS.lines : NOUNS[wanted.kind];
  const lines = counted(wanted.lines.length, one, many);
  if (erased.size > 0) {
    const belong = erased.size === 1 ? 'names a person' : 'name persons';
    throw new CliError('check', `${erased.size} of ${lines} ${belong} that a run erased`, {
      hint: isList
        ? 'if this list is an import, leave these lines out, or the persons come back'
        : 'hogctl runs report <run> says what was asked for and proven',
    });
  }
  if (untold > 0)
    throw new CliError(
      'partial',
      `${counted(untold, 'run')} cannot answer, so some of them may have been erased`,
      {
        hint: 'ask again with another --as, such as the kind of ids that the run was given',
      },
    );
  context.note(`None of ${lines} names a person who was erased by a run on this computer.`);
}

/** All lines, as they stand: what looks damaged is asked about like the rest. */
async function readWanted(sources: Finding, context: Context): Promise<Wanted> {
  const { people, addresses } = await readGiven({ ...sources, lines: 'bare', odd: 'skip' }, context);
  const lists = [...people.map(({ list }) => list), addresses ?? []].flat();
  const [first, second] = lists;
  if (first === undefined || second !== undefined)
    throw usageError(
      'hogctl runs find needs a list of one kind',
      'give --emails, --distinct-ids or --ids, or --from <file> and --as emails, distinct-ids or ids',
    );
  const { kind, lines: all = [] } = first;
  const lines = all.filter(({ id }) => id !== '');
  const empty = all.length - lines.length;
  if (empty > 0)
    context.warn(`warning: ${counted(empty, 'line')} without an id ${empty === 1 ? 'is' : 'are'} left out`);
  return { kind, lines };
}

const NOUNS: Readonly<Record<'lines' | GivenKind, readonly [one: string, many?: string]>> = {
  lines: ['line'],
  emails: ['address', 'addresses'],
  'distinct-ids': ['distinct id'],
  ids: ['person id'],
};

const columns: readonly Column[] = [
  { key: 'line', minor: true },
  { key: 'given' },
  { key: 'run', kind: 'id' },
  { key: 'project' },
  { key: 'outcome' },
  { key: 'erased_at' },
  { key: 'proven_at', minor: true },
];

async function askRecord(
  { path, plan, problem }: RunSummary,
  wanted: Wanted,
  context: Context,
): Promise<ReturnType<typeof findIn>> {
  if (plan === undefined) return { found: [], problem };
  // It deletes events or recordings, and no person.
  if (plan.flags.keepPerson) return { found: [] };
  try {
    return await withRunRecord(path, context, async (run) => findIn(run, wanted));
  } catch (error) {
    return { found: [], problem: foreseen(error).message };
  }
}

/** Lines are told apart by file and number. */
function lineKey({ file = '', line }: FoundRow): string {
  return `${line}:${file}`;
}
