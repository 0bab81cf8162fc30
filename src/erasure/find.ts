import type { Context } from '../cli/context.ts';
import { CliError, counted, foreseen, usageError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { isInteger } from '../service/endpoint.ts';
import type { GivenKind } from './input/checks.ts';
import { type GivenLine, readGiven, type Sources } from './input/given.ts';
import { stopIfAsked } from './people/resolve.ts';
import { listRuns, type RunSummary } from './proof/summary.ts';
import { isVerified } from './proof/verdict.ts';
import { withRunRecord } from './record/find.ts';
import { type MemberLine, membersOf } from './record/members.ts';
import type { RunRecord } from './record/open.ts';
import { projectText } from './record/plan.ts';
import { memberOutcomes } from './report/json.ts';
import { fileColumn } from './report/receipt.ts';

type Finding = Pick<
  Sources,
  'ids' | 'distinctIds' | 'emails' | 'from' | 'as' | 'column' | 'sheet' | 'encoding'
> & {
  /** The directory of a further run to ask. */
};

type Wanted = { readonly kind: GivenKind; readonly lines: readonly GivenLine[] };

type FoundRow = {
  readonly file?: string;
  readonly line: number | null;
  readonly given: string;
  readonly run: string;
  readonly project: string;
  readonly outcome: string;
  /** Whether a verification of the run held; null if there was none. */
  readonly verified: boolean | null;
};

/**
 * Prints which people of a list were in a run that is kept here, by HMACs: nothing is sent. Throws `check` if some were
 * erased, and else `partial` if a run cannot tell.
 */
export async function findPeople(input: Finding, context: Context): Promise<void> {
  const wanted = await readWanted(input, context);
  const rows: FoundRow[] = [];
  let untold = 0;
  const runs = listRuns(context.stateDirectory(), context);
  for (const run of runs.filter(({ neverBegan }) => !neverBegan)) {
    stopIfAsked(context);
    const { found, problem } = await askRecord(run, wanted, context);
    rows.push(...found);
    if (problem === undefined) continue;
    untold += 1;
    context.warn(`warning: run ${run.id} cannot answer for all of them: ${problem}`);
  }
  await context.print(
    rows.map((row): { readonly [name: string]: Json } => row),
    [...fileColumn(wanted.lines), ...columns].map((key) => ({ key })),
  );
  const erased = new Set(rows.filter(isErased).map(lineKey));
  const lines = counted(wanted.lines.length, 'line');
  if (erased.size > 0) {
    const belong = erased.size === 1 ? 'names a person' : 'name persons';
    throw new CliError('check', `${erased.size} of ${lines} ${belong} whom a run erased`, {
      hint: 'leave these lines out of your import, or the persons come back',
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
  context.note(`None of ${lines} names a person whom a run kept here erased.`);
}

/** All lines, as they stand: what looks damaged is asked about like the rest. */
async function readWanted(sources: Finding, context: Context): Promise<Wanted> {
  const { people, addresses } = await readGiven({ ...sources, lines: 'keep', odd: 'skip' }, context);
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

const columns = ['line', 'given', 'run', 'project', 'outcome', 'verified'];

type Told = {
  readonly found: readonly FoundRow[];
  readonly problem?: string | undefined;
};

async function askRecord(
  { path, plan, problem }: RunSummary,
  wanted: Wanted,
  context: Context,
): Promise<Told> {
  if (plan === undefined) return { found: [], problem };
  // It deletes events or recordings, and no person.
  if (plan.flags.keepPerson) return { found: [] };
  try {
    return await withRunRecord(path, context, async (run) => findIn(run, wanted));
  } catch (error) {
    return { found: [], problem: foreseen(error).message };
  }
}

function findIn(run: RunRecord, { kind, lines }: Wanted): Told {
  const byMember = new Map<string, GivenLine[]>();
  for (const line of lines) {
    // White space around an id must not hide that its person was erased.
    for (const id of new Set([line.id, line.id.trim()])) {
      const member = run.memberOf(kind, id);
      byMember.set(member, [...(byMember.get(member) ?? []), line]);
    }
  }
  const found: FoundRow[] = [];
  const common = { run: run.id, project: projectText(run.plan.project), verified: isVerified(run) ?? null };
  const forms = new Set(lines.map(({ id }) => (isInteger(id) ? 'integer' : 'uuid')));
  const seen = new Set<string>();
  let untold = 0;
  for (const { line: member, outcome } of memberOutcomes(run)) {
    const given = membersOf(member).flatMap((one) => byMember.get(one) ?? []);
    for (const { file, line, id } of given) {
      // One person may have been in the run by several ids.
      const key = JSON.stringify([file, line, member.person?.uuid ?? member.member]);
      if (!seen.has(key)) found.push({ ...(file && { file }), line, given: id, ...common, outcome });
      seen.add(key);
    }
    if (!isErased({ outcome })) continue;
    if (!isAskable(member, { kind, forms })) untold += 1;
  }
  if (untold === 0) return { found };
  const problem = `for ${untold} of its ${counted(run.plan.unique, 'id')} the record holds ${kindText[kind]}`;
  return { found, problem };
}

const kindText = {
  emails: 'no address',
  'distinct-ids': 'no distinct ids, or not all of them',
  ids: 'no person id of this form',
} as const;

/** Outcomes of people of whom nothing was deleted. */
const UNTOUCHED = new Set<string>(['not sent', 'refused', 'left out', 'spared', 'nobody when planned']);

/** Whether a call may have deleted somebody, whatever is known of its end. */
function isErased({ outcome }: { readonly outcome: string }): boolean {
  return !UNTOUCHED.has(outcome);
}

type Asked = Pick<Wanted, 'kind'> & { readonly forms: ReadonlySet<'integer' | 'uuid'> };

/** Whether a no of this line, which had a person, is one. */
function isAskable(line: MemberLine, asked: Asked): boolean {
  const { kind, member, person, sentAs, email } = line;
  if (asked.kind === 'emails') return email !== undefined;
  if (asked.kind === 'distinct-ids') return person?.hasMore !== true;
  const isKnownByInteger = sentAs !== undefined || (kind === 'ids' && person?.uuid !== member);
  return !asked.forms.has('integer') || isKnownByInteger;
}

/** Lines are told apart by file and number. */
function lineKey({ file = '', line }: FoundRow): string {
  return `${line}:${file}`;
}
