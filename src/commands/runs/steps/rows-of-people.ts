import { listGiven, refuseStrangers } from '../../../erasure/given-ids.ts';
import { reportRows } from '../../../erasure/report.ts';
import type { People } from '../../../erasure/resolve-ids.ts';
import type { RunRecord } from '../../../erasure/run.ts';
import type { JsonObject } from '../../../json/kinds.ts';

/** The rows of a report that are about these ids, in the order they were given. Throws a usage error for strangers. */
export function rowsOfPeople(run: RunRecord, people: readonly People[]): readonly JsonObject[] {
  const wanted = new Map<string, JsonObject | undefined>();
  for (const member of listGiven(run, people).keys()) wanted.set(member, undefined);
  for (const row of reportRows(run)) {
    const member = String(row.member);
    if (wanted.has(member)) wanted.set(member, row);
  }
  const rows = [...wanted.values()].filter((row) => row !== undefined);
  refuseStrangers(wanted.size - rows.length, wanted.size);
  return rows;
}
