import { type IdKind, isInteger } from './id-kind.ts';
import type { LineWriter } from './line-writer.ts';

/** A person as the service knew them while the run was planned. */
export type KnownPerson = { readonly uuid: string; readonly distinctIds: readonly string[] };

/** One id of a run. `person` is absent if nobody looked, and null if the service knew nobody by this id. */
export type Entry = {
  readonly kind: IdKind;
  readonly id: string;
  readonly person?: KnownPerson | null;
  /** How that person appears in the record, where no more is known of them: the id was given again. */
  readonly personMember?: string;
};

/** A line of the run's `ids` file: an id of the plan, or a uuid that the service named among its errors later. */
export type IdsLine = { readonly entry: Entry } | { readonly named: string };

/** The id that goes over the wire: the live service takes person ids as UUIDs only. */
export function idToSend(entry: Entry): string {
  return entry.kind === 'ids' ? (entry.person?.uuid ?? entry.id) : entry.id;
}

/** An integer that belongs to nobody has no UUID to send, and one bad id fails its whole batch. */
export function isSendable(entry: Entry): boolean {
  return entry.person !== null || entry.kind !== 'ids' || !isInteger(entry.id);
}

/** What JSON writes as it is. */
const plain = /^[\w.@:+-]{0,200}$/;

/** Writes a line of the `ids` file. */
export function writeEntry(writer: LineWriter, { kind, id, person }: Entry): void {
  if (person === undefined && plain.test(id)) {
    writer.ascii(kind === 'ids' ? '["ids","' : '["distinct-ids","');
    writer.ascii(id);
    writer.ascii('"]\n');
    return;
  }
  writer.text(`${JSON.stringify([kind, id, ...knownAs(person)])}\n`);
}

function knownAs(person: Entry['person']): readonly unknown[] {
  if (person === undefined) return [];
  return person === null ? [null] : [person.uuid, person.distinctIds];
}

export function encodeNamed(uuid: string): string {
  return `${JSON.stringify(['named', uuid])}\n`;
}

type EntryRow = [IdKind, string] | [IdKind, string, null] | [IdKind, string, string, string[]];

export function decodeIdsLine(line: string): IdsLine {
  // Cast: only this file writes these lines, and they are read within the run they were written for.
  const row = JSON.parse(line) as EntryRow | ['named', string];
  return row[0] === 'named' ? { named: row[1] } : { entry: toEntry(row) };
}

/** The entries among whole lines, which are parsed at once: a line break within an id is written otherwise. */
export function decodeEntries(lines: string): readonly Entry[] {
  // Cast: as above, and only the planned lines are read as entries.
  const rows = JSON.parse(`[${lines.trimEnd().replaceAll('\n', ',')}]`) as readonly EntryRow[];
  return rows.map(toEntry);
}

function toEntry(row: EntryRow): Entry {
  const [kind, id] = row;
  if (row.length === 2) return { kind, id };
  if (row.length === 3) return { kind, id, person: null };
  const [, , uuid, distinctIds] = row;
  return { kind, id, person: { uuid, distinctIds } };
}
