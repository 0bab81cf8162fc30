import { type CliError, usageError } from '../errors.ts';
import { findIdFault, type IdFault, type IdKind, normalizeId } from './id-kind.ts';
import { createPackedTexts, type PackedTexts } from './packed-texts.ts';

/** The ids of one kind, each once, in the order they came. */
export type IdList = {
  readonly kind: IdKind;
  /** How many were given, repeats included. */
  readonly asked: number;
  readonly repeats: number;
  readonly size: number;
  readonly at: (index: number) => string;
  /** What somebody should know before these ids are sent. */
  readonly notes: readonly string[];
};

export type IdCollector = {
  /** `place` is the number of the line, or of the argument, that the id stands on. */
  add(id: string, place: number): void;
  note(text: string): void;
  /** Throws a usage error that names the first place and the number of places whose ids cannot be sent. */
  finish(): IdList;
};

type Faulty = { readonly fault: IdFault; readonly place: number };
type Tally = { asked: number; spaced: number; quoted: number; faults: number; first: Faulty | undefined };

/** Gathers ids of one kind from as many sources as there are. `places`: what the numbers count. */
export function createIdCollector(kind: IdKind, places: 'line' | 'argument' = 'line'): IdCollector {
  const texts = createPackedTexts();
  const tally: Tally = { asked: 0, spaced: 0, quoted: 0, faults: 0, first: undefined };
  const notes: string[] = [];
  return {
    add(id, place) {
      // A UUID in lower case is an id of either kind, and most are, so that it needs no further look.
      const isNewUuid = texts.addNewUuid(id);
      if (isNewUuid !== undefined) {
        tally.asked += 1;
        return;
      }
      const fault = findIdFault(kind, id);
      if (fault !== undefined) {
        tally.faults += 1;
        tally.first ??= { fault, place };
        return;
      }
      tally.asked += 1;
      if (!texts.addNew(normalizeId(kind, id))) return;
      if (/^\s|\s$/u.test(id)) tally.spaced += 1;
      if (/^".*"$/u.test(id)) tally.quoted += 1;
    },
    note: (text) => void notes.push(text),
    finish() {
      if (tally.first !== undefined) throw toError(places, tally.first, tally.faults);
      texts.finish();
      return toList(kind, texts, tally, notes);
    },
  };
}

/** The ids of arguments and options, checked like those of a file. */
export function collectIds(kind: IdKind, ids: Iterable<string>): IdList {
  const collector = createIdCollector(kind, 'argument');
  let place = 0;
  for (const id of ids) {
    place += 1;
    collector.add(id, place);
  }
  return collector.finish();
}

function toList(kind: IdKind, texts: PackedTexts, tally: Tally, notes: readonly string[]): IdList {
  const warnings = [...notes];
  if (tally.spaced > 0) {
    warnings.push(`${tally.spaced} of the ids begin or end with white space, which is kept and sent`);
  }
  if (tally.quoted > 0) {
    warnings.push(
      `${tally.quoted} of the ids stand in double quotes, which are kept and sent; read as CSV they go`,
    );
  }
  const repeats = tally.asked - texts.size;
  return { kind, asked: tally.asked, repeats, size: texts.size, at: texts.at, notes: warnings };
}

const faultTexts: Readonly<Record<IdFault, string>> = {
  empty: 'holds an empty id',
  'control character': 'holds a control character, which no id has',
  'broken text': 'holds half a character',
  'not a person id': 'is not a person id, which is an integer or a UUID',
};

function toError(places: string, first: Faulty, faults: number): CliError {
  const others = faults === 1 ? '' : ` (${faults} ${places}s cannot be read as ids)`;
  const hint =
    first.fault === 'not a person id'
      ? 'ids that events carry are distinct ids: use --distinct-ids, or --as distinct-ids with --from'
      : `correct the ${places} and run the command again; nothing was sent`;
  return usageError(`${places} ${first.place} ${faultTexts[first.fault]}${others}`, hint);
}
