import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../src/erasure/record/ids-file.ts';

type Plan = { readonly members: object; readonly keyFingerprint?: string };

/** Writes another plan into the record of a run, and its chain anew, as an older version would have written them. */
export function rewritePlan(run: string, change: (plan: Plan) => object): void {
  const [plan, journal] = [join(run, 'plan.json'), join(run, 'journal.ndjson')];
  const text = JSON.stringify(change(JSON.parse(readFileSync(plan, 'utf8'))));
  writeFileSync(plan, text);
  let previous = sha256(text);
  const chained = readFileSync(journal, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { hash: _hash, previous: _previous, ...rest } = JSON.parse(line);
      const open = JSON.stringify({ ...rest, previous }).slice(0, -1);
      previous = sha256(open);
      return `${open},"hash":"${previous}"}\n`;
    });
  writeFileSync(journal, chained.join(''));
}

/** The same for the list of members. */
export function rewriteMembers(run: string, change: (text: string) => string): void {
  const file = join(run, 'members.ndjson');
  const text = change(readFileSync(file, 'utf8'));
  writeFileSync(file, text);
  rewritePlan(run, (plan) => ({
    ...plan,
    members: { ...plan.members, sha256: sha256(text) },
  }));
}
