import { type CliError, usageError } from '../errors.ts';
import type { JsonObject } from '../json/kinds.ts';
import { findIdFault, type IdFault, type IdKind, normalizeId } from './ids.ts';
import {
  type DoubtfulCell,
  findReason,
  gatherSuspicious,
  refuseSuspicious,
  type Source,
} from './suspicious-ids.ts';

/** An id where it stands in the input. */
export type GivenLine = {
  readonly kind: IdKind;
  /** In a file; null among arguments. */
  readonly line: number | null;
  readonly id: string;
  readonly suspicious: boolean;
  /** The address that leads to this person, and how many have it; `id` is empty for nobody. */
  readonly address?: { readonly given: string; readonly outcome: 'found' | 'several' | 'nobody' };
  /** All of its row, where that has columns: never put into the record of a run. */
  readonly own?: JsonObject | undefined;
};

/** The ids of one kind, each once, in the order they came. */
export type IdList = {
  readonly kind: IdKind;
  readonly ids: readonly string[];
  /** How many were given, repeats included. */
  readonly asked: number;
  readonly repeats: number;
  /** Those that look damaged and are meant all the same. */
  readonly suspicious: number;
  /** What somebody should know before these ids are sent. */
  readonly notes: readonly string[];
  /** All lines, repeats included, if they were asked for. */
  readonly lines?: readonly GivenLine[];
  /** Why these ids must not be sent, if their lines were asked for to be listed. */
  readonly refusal?: CliError;
};

export type IdCollector = {
  readonly kind: IdKind;
  /** `place` is the number of the line, or of the argument, that the id stands on. */
  readonly add: (id: string, place: number, own?: () => JsonObject, cell?: DoubtfulCell) => void;
  /** The same for the first line of a list, which may be the name of its column. */
  readonly addFirst: (id: string, place: number, own?: () => JsonObject, cell?: DoubtfulCell) => void;
  /** Takes note of a first line that names the column. */
  readonly header: (name: string) => void;
  readonly note: (text: string) => void;
  /** Throws a usage error that names the first places, and their number, whose ids cannot or may not be sent. */
  readonly finish: () => IdList;
};

type Faulty = { readonly fault: IdFault; readonly place: number };

export type Collecting = Source & {
  /** Whether distinct ids that look damaged are taken as they stand, and told of in the notes. */
  readonly allowSuspicious: boolean;
  /** Whether to keep every line: `list` refuses nothing that looks damaged, so that it can be shown. */
  readonly lines?: 'keep' | 'list' | undefined;
  /** Whether the ids are e-mail addresses. */
  readonly areAddresses?: boolean | undefined;
  /** 16 million if absent. */
  readonly mostDifferent?: number;
};

/** A set of V8 takes about 16.7 million entries, and a file of more is no list of people to delete. */
const mostIds = 16_000_000;

/** Gathers ids of one kind from as many sources as there are. */
export function createIdCollector(
  kind: IdKind,
  { allowSuspicious, lines: keeping, mostDifferent = mostIds, areAddresses, ...source }: Collecting,
): IdCollector {
  const different = new Set<string>();
  const notes: string[] = [];
  const lines: GivenLine[] = [];
  // A person id is an integer or a UUID, in which damage does not show.
  const suspicious = kind === 'distinct-ids' ? gatherSuspicious(areAddresses) : undefined;
  let asked = 0;
  let faults = 0;
  let first: Faulty | undefined;
  const take = (id: string, { place, isFirst, own, cell }: Taken) => {
    const fault = findIdFault(kind, id);
    if (fault !== undefined) {
      faults += 1;
      first ??= { fault, place };
      return;
    }
    asked += 1;
    if (keeping !== undefined)
      lines.push(toLine(kind, id, { place, own, cell, areAddresses, places: source.places }));
    const before = different.size;
    different.add(normalizeId(kind, id));
    if (different.size > mostDifferent) throw tooMany(source.name, mostDifferent);
    suspicious?.take(id, { place, isFirst, isNew: different.size > before, cell });
  };
  return {
    kind,
    add: (id, place, own, cell) => take(id, { place, isFirst: false, own, cell }),
    addFirst: (id, place, own, cell) => take(id, { place, isFirst: true, own, cell }),
    note: (text) => void notes.push(text),
    header(name) {
      notes.push(`the first line is a header ("${name}") and is not sent`);
      suspicious?.setColumn(name);
    },
    finish() {
      if (first !== undefined) throw toError(source.places, first, faults);
      const described = suspicious?.describe(source);
      const refusal = described === undefined || allowSuspicious ? undefined : refuseSuspicious(described);
      if (refusal !== undefined && keeping !== 'list') throw refusal;
      if (described !== undefined && allowSuspicious)
        notes.push(`warning: ${described}, and they are taken as they stand`);
      const ids = [...different];
      // The collector may live on while the ids are used, and so would its set.
      different.clear();
      return {
        kind,
        ids,
        asked,
        repeats: asked - ids.length,
        suspicious: suspicious?.count() ?? 0,
        notes,
        ...(keeping === undefined ? {} : { lines }),
        ...(refusal === undefined ? {} : { refusal }),
      };
    },
  };
}

type Taken = {
  readonly place: number;
  readonly isFirst: boolean;
  readonly own: (() => JsonObject) | undefined;
  readonly cell?: DoubtfulCell | undefined;
};

function toLine(
  kind: IdKind,
  id: string,
  {
    place,
    own,
    cell,
    areAddresses,
    places,
  }: Omit<Taken, 'isFirst'> & Pick<Collecting, 'places' | 'areAddresses'>,
): GivenLine {
  const suspicious = kind === 'distinct-ids' && findReason(id, { cell, areAddresses }) !== undefined;
  return { kind, id, line: places === 'line' ? place : null, suspicious, own: own?.() };
}

/** The ids of arguments and options, checked like those of a file. */
export function collectIds(
  kind: IdKind,
  ids: Iterable<string>,
  { allowSuspicious, lines, areAddresses }: Pick<Collecting, 'allowSuspicious' | 'lines' | 'areAddresses'> = {
    allowSuspicious: true,
  },
): IdList {
  const collector = createIdCollector(kind, {
    allowSuspicious,
    lines,
    areAddresses,
    places: 'argument',
    name: 'the arguments',
  });
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

function tooMany(name: string, most: number): CliError {
  return usageError(
    `${name} has more than ${most.toLocaleString('en')} different ids`,
    'split it into several files; nothing was sent',
  );
}
