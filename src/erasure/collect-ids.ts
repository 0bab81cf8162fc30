import { type CliError, usageError } from '../errors.ts';
import { findIdFault, type IdFault, type IdKind, normalizeId } from './ids.ts';
import { gatherSuspicious, refuseSuspicious, type Source } from './suspicious-ids.ts';

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
};

export type IdCollector = {
  readonly kind: IdKind;
  /** `place` is the number of the line, or of the argument, that the id stands on. */
  readonly add: (id: string, place: number) => void;
  /** The same for the first line of a list, which may be the name of its column. */
  readonly addFirst: (id: string, place: number) => void;
  /** Takes note of a first line that names the column. */
  readonly header: (name: string) => void;
  /** Throws a usage error that names the first places, and their number, whose ids cannot or may not be sent. */
  readonly finish: () => IdList;
};

type Faulty = { readonly fault: IdFault; readonly place: number };

export type Collecting = Source & {
  /** Whether distinct ids that look damaged are taken as they stand, and told of in the notes. */
  readonly allowSuspicious: boolean;
  /** 16 million if absent. */
  readonly mostDifferent?: number;
};

/** A set of V8 takes about 16.7 million entries, and a file of more is no list of people to delete. */
const mostIds = 16_000_000;

/** Gathers ids of one kind from as many sources as there are. */
export function createIdCollector(
  kind: IdKind,
  { allowSuspicious, mostDifferent = mostIds, ...source }: Collecting,
): IdCollector {
  const different = new Set<string>();
  const notes: string[] = [];
  // A person id is an integer or a UUID, in which damage does not show.
  const suspicious = kind === 'distinct-ids' ? gatherSuspicious() : undefined;
  let asked = 0;
  let faults = 0;
  let first: Faulty | undefined;
  const take = (id: string, place: number, isFirst: boolean) => {
    const fault = findIdFault(kind, id);
    if (fault !== undefined) {
      faults += 1;
      first ??= { fault, place };
      return;
    }
    asked += 1;
    const before = different.size;
    different.add(normalizeId(kind, id));
    if (different.size > mostDifferent) throw tooMany(source.name, mostDifferent);
    suspicious?.take(id, { place, isFirst, isNew: different.size > before });
  };
  return {
    kind,
    add: (id, place) => take(id, place, false),
    addFirst: (id, place) => take(id, place, true),
    header(name) {
      notes.push(`the first line is a header ("${name}") and is not sent`);
      suspicious?.setColumn(name);
    },
    finish() {
      if (first !== undefined) throw toError(source.places, first, faults);
      const described = suspicious?.describe(source);
      if (described !== undefined && !allowSuspicious) throw refuseSuspicious(described);
      if (described !== undefined) notes.push(`warning: ${described}, and they are taken as they stand`);
      const ids = [...different];
      // The collector may live on while the ids are used, and so would its set.
      different.clear();
      return { kind, ids, asked, repeats: asked - ids.length, suspicious: suspicious?.count() ?? 0, notes };
    },
  };
}

/** The ids of arguments and options, checked like those of a file. */
export function collectIds(
  kind: IdKind,
  ids: Iterable<string>,
  { allowSuspicious }: { readonly allowSuspicious: boolean } = { allowSuspicious: true },
): IdList {
  const collector = createIdCollector(kind, { allowSuspicious, places: 'argument', name: 'the arguments' });
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
