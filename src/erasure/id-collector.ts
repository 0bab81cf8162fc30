import { type CliError, usageError } from '../errors.ts';
import { findIdFault, type IdFault, type IdKind, normalizeId } from './id-kind.ts';
import { isUsual, isUsualUuid } from './odd-id.ts';
import { createOddIds, refuseOdd, type Source } from './odd-ids.ts';
import { createPackedTexts } from './packed-texts.ts';

/** The ids of one kind, each once, in the order they came. */
export type IdList = {
  readonly kind: IdKind;
  /** How many were given, repeats included. */
  readonly asked: number;
  readonly repeats: number;
  readonly size: number;
  readonly at: (index: number) => string;
  /** Those that look damaged and are meant all the same. */
  readonly odd: number;
  /** What somebody should know before these ids are sent. */
  readonly notes: readonly string[];
};

export type IdCollector = {
  /** `place` is the number of the line, or of the argument, that the id stands on. */
  add(id: string, place: number): void;
  /** The same for the first line of a list, which may be the name of its column. */
  addFirst(id: string, place: number): void;
  /** Takes note of a first line that names the column. */
  header(name: string): void;
  /** Throws a usage error that names the first places, and their number, whose ids cannot or may not be sent. */
  finish(): IdList;
};

type Faulty = { readonly fault: IdFault; readonly place: number };
type Tally = { asked: number; faults: number; first: Faulty | undefined };

export type Collecting = Source & {
  /** Whether distinct ids that look damaged are taken as they stand, and told of in the notes. */
  readonly allowOdd: boolean;
};

/** Gathers ids of one kind from as many sources as there are. */
export function createIdCollector(kind: IdKind, { allowOdd, ...source }: Collecting): IdCollector {
  const texts = createPackedTexts();
  const tally: Tally = { asked: 0, faults: 0, first: undefined };
  const notes: string[] = [];
  // A person id is an integer or a UUID, in which damage does not show.
  const odd = kind === 'distinct-ids' ? createOddIds() : undefined;
  const add: IdCollector['add'] = (id, place) => {
    if (odd?.isWatching) odd.next(id);
    // A UUID in lower case is an id of either kind, and most are, so that it needs no further look.
    const isNewUuid = texts.addNewUuid(id);
    if (isNewUuid !== undefined) {
      tally.asked += 1;
      if (!isUsualUuid(id)) odd?.look(id, place, { isNew: isNewUuid });
      return;
    }
    const isPlain = odd !== undefined && id !== odd.columnName && isUsual(id);
    const fault = isPlain ? undefined : findIdFault(kind, id);
    if (fault !== undefined) {
      tally.faults += 1;
      tally.first ??= { fault, place };
      return;
    }
    tally.asked += 1;
    const isNew = texts.addNew(normalizeId(kind, id));
    if (!isPlain) odd?.look(id, place, { isNew });
  };
  return {
    add,
    addFirst(id, place) {
      add(id, place);
      odd?.begin(id, place);
    },
    header(name) {
      notes.push(`the first line is a header ("${name}") and is not sent`);
      if (odd !== undefined) odd.columnName = name;
    },
    finish() {
      if (tally.first !== undefined) throw toError(source.places, tally.first, tally.faults);
      const described = odd?.describe(source);
      if (described !== undefined && !allowOdd) throw refuseOdd(described);
      texts.finish();
      if (described !== undefined) notes.push(`warning: ${described}, and they are taken as they stand`);
      const { asked } = tally;
      const { size, at } = texts;
      return { kind, asked, repeats: asked - size, size, at, odd: odd?.count() ?? 0, notes };
    },
  };
}

/** The ids of arguments and options, checked like those of a file. */
export function collectIds(
  kind: IdKind,
  ids: Iterable<string>,
  { allowOdd }: { readonly allowOdd: boolean } = { allowOdd: true },
): IdList {
  const collector = createIdCollector(kind, { allowOdd, places: 'argument', name: 'the arguments' });
  let place = 0;
  for (const id of ids) {
    place += 1;
    collector.add(id, place);
  }
  return collector.finish();
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
