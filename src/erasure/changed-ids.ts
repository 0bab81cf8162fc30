import { CliError } from '../errors.ts';
import type { Entry } from './entries.ts';
import type { RunRecord } from './run.ts';

const atOnce = 1024;

/** Whether the ids of a record, and whom they belong to, are not those it was planned with. False once they were dropped. */
export function hasChangedIds(run: RunRecord): boolean {
  if (!run.hasIds) return false;
  const entries = listEntries(run);
  for (const { member, person } of run.members()) {
    const { value: entry } = entries.next();
    if (!entry || run.memberOf(entry.kind, entry.id) !== member || personOf(run, entry) !== person)
      return true;
  }
  return false;
}

/** Throws a `check` error then: nobody agreed to those ids, and the report would tell of others than were sent. */
export function refuseChangedIds(run: RunRecord): void {
  if (!hasChangedIds(run)) return;
  throw new CliError('check', 'the ids of this run are not those it was planned with', {
    hint: `nothing more is sent; keep ${run.path} as it is, and start afresh with --new-run`,
  });
}

function* listEntries({ entries, plan }: RunRecord): Generator<Entry, undefined> {
  for (let from = 0; from < plan.members.count; from += atOnce) yield* entries(from, atOnce);
}

function personOf(run: RunRecord, { person }: Entry): string | null | undefined {
  return person ? run.memberOf('ids', person.uuid) : person;
}
