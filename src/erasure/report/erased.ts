import { counted } from '../../errors.ts';
import { isInteger } from '../../service/endpoint.ts';
import type { GivenKind } from '../input/checks.ts';
import type { GivenLine } from '../input/given.ts';
import { type MemberLine, membersOf } from '../record/members.ts';
import type { RunRecord } from '../record/open.ts';
import { memberOutcomes } from './members.ts';
import { projectText } from './plan-words.ts';

/** People who are looked for in the records of runs, by HMACs. */
export type Wanted = { readonly kind: GivenKind; readonly lines: readonly GivenLine[] };

/** A line whose person was in a run, and when that person was erased and proven to be gone. */
export type FoundRow = {
  readonly file?: string;
  readonly line: number | null;
  readonly given: string;
  readonly run: string;
  readonly project: string;
  readonly outcome: string;
  readonly erased_at: string | null;
  readonly proven_at: string | null;
};

/** A row, and whether its person may have been deleted, whatever is known of the end. */
export type Found = { readonly row: FoundRow; readonly mayBeErased: boolean };

type Told = {
  readonly found: readonly Found[];
  /** Why a run cannot tell of all of them. */
  readonly problem?: string | undefined;
};

/** Which of these people were in a run, each once. */
export function findIn(run: RunRecord, { kind, lines }: Wanted): Told {
  const byMember = new Map<string, GivenLine[]>();
  for (const line of lines) {
    // White space around an id must not hide that its person was erased.
    for (const id of new Set([line.id, line.id.trim()])) {
      const member = run.memberOf(kind, id);
      byMember.set(member, [...(byMember.get(member) ?? []), line]);
    }
  }
  const found: Found[] = [];
  const common = { run: run.id, project: projectText(run.plan.project) };
  const forms = new Set(lines.map(({ id }) => (isInteger(id) ? 'integer' : 'uuid')));
  const seen = new Set<string>();
  let untold = 0;
  for (const { line: member, answer: outcome, erasedAt, provenAt, mayBeErased } of memberOutcomes(run)) {
    const given = membersOf(member).flatMap((one) => byMember.get(one) ?? []);
    for (const { file, line, id } of given) {
      // One person may have been in the run by several ids.
      const key = JSON.stringify([file, line, member.person?.uuid ?? member.member]);
      const told = { ...common, outcome, erased_at: erasedAt, proven_at: provenAt };
      const row = { ...(file && { file }), line, given: id, ...told };
      if (!seen.has(key)) found.push({ row, mayBeErased });
      seen.add(key);
    }
    if (!mayBeErased) continue;
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

type Asked = Pick<Wanted, 'kind'> & { readonly forms: ReadonlySet<'integer' | 'uuid'> };

/** Whether a no of this line, which had a person, is one. */
function isAskable(line: MemberLine, asked: Asked): boolean {
  const { kind, member, person, sentAs, email } = line;
  if (asked.kind === 'emails') return email !== undefined;
  if (asked.kind === 'distinct-ids') return person?.hasMore !== true;
  const isKnownByInteger = sentAs !== undefined || (kind === 'ids' && person?.uuid !== member);
  return !asked.forms.has('integer') || isKnownByInteger;
}
