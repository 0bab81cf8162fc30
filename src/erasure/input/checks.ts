import { isUuid } from '../../service/endpoint.ts';

/**
 * Why a distinct id looks as if it was damaged on its way here. It may still be one, so only the operator can tell.
 * A check looks at one id, or gathers what only the whole file shows. The first of the table that finds an id counts.
 */
export type Check = { readonly reason: string; readonly advice?: string } & (
  | { readonly test: (id: string) => boolean; readonly cell?: DoubtfulCell }
  | { readonly gather: () => Gathering }
);

/** What a workbook may have made of an id, or shows in its place. */
export type DoubtfulCell = 'date' | 'boolean' | 'error';

/** What one check has seen of a file, and what looks damaged by it. */
type Gathering = {
  readonly take: (id: string, seen: Seen) => void;
  readonly found: () => readonly Seen[];
};

type Seen = {
  /** The number of the line, or of the argument. */
  readonly place: number;
  /** Whether it is the first line of a list, which may name its column. */
  readonly isFirst?: boolean;
  /** An id that came before tells nothing new but its place. */
  readonly isNew: boolean;
  readonly cell?: DoubtfulCell | undefined;
};

/** What the places are called, and where they are: lines of `people.csv`. */
export type Source = {
  readonly places: 'line' | 'argument';
  readonly name: string;
  readonly kind: GivenKind;
  /** Of people to be spared, no line may be left out. */
  readonly isSparing?: boolean | undefined;
};

/** `ids`: person ids, an integer or a UUID. `distinct-ids`: the ids that events carry, any text. One call holds one kind. */
export type IdKind = 'ids' | 'distinct-ids';

/** What people may be given by: addresses lead to persons once they are looked up. */
export type GivenKind = IdKind | 'emails';

/** What a source holds, in the words of messages. */
export function idsOf({ kind }: Pick<Source, 'kind'>): string {
  return kind === 'emails' ? 'addresses' : 'ids';
}

const matches = (...patterns: readonly RegExp[]) => {
  return (id: string) => patterns.some((pattern) => pattern.test(id));
};

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|mrz|mai|okt|dez';
const dates = [
  new RegExp(`^\\d{1,2}[-. /]{1,2}(?:${months})(?:[-. /]{1,2}\\d{2,4})?$`, 'iu'),
  new RegExp(`^(?:${months})[-. /]{1,2}\\d{1,4}$`, 'iu'),
  /^(?:[0-2]?\d|3[01])([./-])(?:[0-2]?\d|3[01])\1(?:19|20)?\d{2}$/u,
  /^(?:19|20)\d{2}[-/.](?:0?\d|1[0-2])[-/.](?:[0-2]?\d|3[01])(?:[T ]\d{2}:\d{2}.{0,20})?$/u,
];

/** Programs that know no device, or may not tell, write it instead: all their people are one. */
const nilUuid = '00000000-0000-0000-0000-000000000000';

const NAME_COLUMN = 'add --column <name> if the first line names the column';

const columnName = {
  reason: 'the name of a column, like distinct_id',
  test: matches(/^(?:distinct_?ids?|ids?|person_id|uuid|email)$/iu),
};

const longId = {
  reason: 'more than 200 characters, of which the service keeps the first 200',
  test: matches(/^.{201}/su),
};

export const checks: readonly Check[] = [
  {
    reason: 'a first line that looks like the name of a column',
    advice: NAME_COLUMN,
    gather: gatherHeading,
  },
  { reason: 'zeros from the 16th digit on, as a spreadsheet rounds', gather: gatherRounded },
  {
    reason: 'a character that was lost or changed on the way, such as U+FFFD',
    // The second half is UTF-8 that was read as Latin-1 or Windows-1252.
    test: matches(/\ufffd|[\u00c2\u00c3][\u00a0-\u00bf]|\u00e2\u20ac/u),
  },
  {
    reason: 'characters that cannot be seen',
    // Format characters, spaces that are not the keyboard's, and letters that are drawn as nothing.
    test: matches(/[\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|(?! )\p{Zs}/u),
  },
  {
    reason: 'white space at its beginning or end',
    advice: '--trim takes the white space off',
    test: matches(/^\s|\s$/u),
  },
  {
    reason: 'a number as a spreadsheet shortens it, like 1.23E+15',
    // Programs write a double without the sign: 1.2345678E7, 5E10.
    test: matches(/^-?\d+[.,]\d+E[+-]?\d+$/iu, /^-?\d+E[+-]\d+$/iu, /^-?[1-9]E\d{1,2}$/u),
  },
  { reason: 'a whole number that ends in .0, as data tools write it', test: matches(/^-?\d+\.0+$/u) },
  {
    reason: 'a number with a fraction or with groups of digits, as a spreadsheet shows one',
    test: matches(/^-?\d+[.,]\d+$/u, /^-?\d{1,3}(?:(?:\.\d{3})+|(?:,\d{3})+|(?:'\d{3})+)(?:[.,]\d+)?$/u),
  },
  { reason: 'a formula of a spreadsheet, like =1+1', test: matches(/^=./u) },
  {
    reason: 'an error of a spreadsheet, like #N/A',
    cell: 'error',
    test: matches(/^(?:#(?:N\/A|NV|GETTING_DATA|[\p{Lu}\u00a10/]+[!?])|Err:\d{3})$/u),
  },
  { reason: 'a date, as a spreadsheet makes of ids like 1-3', cell: 'date', test: matches(...dates) },
  { reason: 'a truth value, like TRUE', cell: 'boolean', test: matches(/^(?:true|false)$/iu) },
  {
    reason: 'a word or sign for no value, like null',
    test: matches(
      /^(?:null|nil|none|undefined|empty|nan|n\/a|[(<[](?:null|nil|none|undefined|empty|blank)[)>\]]|\[object \w+\])$/iu,
      // Without a letter or a digit, such as - or ###.
      /^(?:\\n|[!-/:-@[-`{-~\u2013\u2014]+)$/iu,
    ),
  },
  {
    reason: 'an id that programs give to many people, like anonymous',
    test: (id) => id === nilUuid || /^(?:0|anonymous|guest|not_authenticated)$/iu.test(id),
  },
  columnName,
  { reason: 'an apostrophe that keeps a spreadsheet from calculating', test: matches(/^'(?:[=+@-]|\d+$)/u) },
  {
    reason: 'double quotes, which are removed if a first line such as distinct_id makes the file CSV',
    advice: NAME_COLUMN,
    test: matches(/^".*"$/u),
  },
  {
    reason: 'an address as mail programs write it, like mailto:ana@example.org',
    test: matches(/^(?:mailto:|[^<>@]*<[^<>@\s]+@[^<>@\s]+>$)/iu),
  },
  {
    reason: 'a placeholder that was never filled in, like {{id}}',
    test: matches(/^(?:\$\{.*\}|\{\{.*\}\}|<%.*%>|%[a-z])$/iu),
  },
  {
    reason: 'a list or an object as JSON, as exports write several ids into one cell',
    test: matches(/^(?:\[.*\]|\{.*\})$/u),
  },
  {
    reason: 'the name of a file, which --from reads',
    test: matches(/\.(?:csv|tsv|txt|xlsx?|json|ndjson)$/iu),
  },
  { reason: 'a tag, as of a web page', test: matches(/^<[/!?]?[a-z][^>]*>/iu) },
  { reason: 'a comment after a #', test: matches(/^#\s/u) },
  { reason: 'a comma or semicolon at its end', test: matches(/[,;]$/u) },
  longId,
];

const ofIds = checks.flatMap((check) => ('test' in check ? check : []));

const onlyOfAddresses: typeof ofIds = [
  {
    reason: 'not an e-mail address, which has one @ between two names',
    test: (id) => !/^[^\s@,;]+@[^\s@,;]+$/u.test(id),
  },
  {
    reason: 'signs that no address has there, such as quotes around it or a full stop at its end',
    // An apostrophe may stand within the name before the @.
    test: (id) =>
      /["“”„‟‘’‚‛«»‹›`´<>()[\]{}|\\:]|\.\.|^['*._-]*['*.]|[^\p{L}\p{M}\p{N}]$/u.test(id) ||
      !/@[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}._-]*$/u.test(id),
  },
];

const ofAddresses = [...ofIds.filter((check) => check !== longId), ...onlyOfAddresses];

/** All that can be said of an id or an address, for help and tests. */
export const oddReasons = [...checks, ...onlyOfAddresses].map(({ reason }) => reason);

/** Why one distinct id looks damaged, or nothing. */
export function findReason(id: string, kind: GivenKind = 'distinct-ids'): string | undefined {
  return checksOf(kind).find(({ test }) => test(id))?.reason;
}

function checksOf(kind: GivenKind) {
  return kind === 'emails' ? ofAddresses : ofIds;
}

function finds(id: string, shown: DoubtfulCell | undefined) {
  return ({ test, cell }: (typeof ofIds)[number]) => (cell !== undefined && cell === shown) || test(id);
}

export type Problem = Pick<Seen, 'place' | 'isNew'> & { readonly reason: string };

/** Gathers the ids of one source that look damaged. */
export function gatherSuspicious(kind: GivenKind) {
  const single = checksOf(kind);
  let column: string | undefined;
  const found: Problem[] = [];
  const gathered = checks.flatMap((check) => ('gather' in check ? { ...check, ...check.gather() } : []));
  return {
    /** Takes the name of the column, which stands among the ids if files were put together. */
    setColumn(name: string) {
      column = name;
    },
    take(id: string, seen: Seen) {
      for (const gathering of gathered) gathering.take(id, seen);
      const check = id === column ? columnName : single.find(finds(id, seen.cell));
      if (check !== undefined) found.push({ place: seen.place, isNew: seen.isNew, reason: check.reason });
    },
    problems(): readonly Problem[] {
      const all = gathered.flatMap(({ reason, found: tell }) =>
        tell().map(({ place, isNew }) => ({ place, isNew, reason })),
      );
      const places = new Set(all.map(({ place }) => place));
      return [...found.filter(({ place }) => !places.has(place)), ...all];
    },
  };
}

/** Ids that no program rounded end in so many zeros together once in a thousand files. */
const fewestZeros = 3;

/** A spreadsheet makes zeros of all digits from the 16th on. One number with other digits there shows that none did. */
function gatherRounded(): Gathering {
  const rounded: Seen[] = [];
  let zeros = 0;
  return {
    take(id, seen) {
      if (!/^\d{16,}$/.test(id)) return;
      const isRounded = /^\d{15}0+$/.test(id);
      if (isRounded) rounded.push(seen);
      if (seen.isNew) zeros += isRounded ? id.length - 15 : Number.NEGATIVE_INFINITY;
    },
    found: () => (zeros >= fewestZeros ? rounded : []),
  };
}

/** Last words of what people call a column of ids. */
const nouns = new Set(
  'id ids uid uuid guid identifier identifiers email emails mail address hash userid username'.split(' '),
);
const mostLetters = 60;
/** So many other ids have to be of one form before it says anything that the first is of another. */
const fewestOthers = 3;

/**
 * Tells whether the first line of a list names a column, by what it says, or by all others being of one form, such as
 * e-mail addresses, that it is not of.
 */
function gatherHeading(): Gathering {
  let heading: Seen | undefined;
  let isNamed = false;
  let form: string | undefined;
  let others = 0;
  return {
    take(id, seen) {
      if (seen.isFirst && isNameLike(id)) {
        heading = seen;
        isNamed = isColumnName(id);
      } else if (heading !== undefined && (others === 0 || form !== undefined)) {
        const other = formOf(id);
        form = others === 0 || other === form ? other : undefined;
        others += 1;
      }
    },
    found: () => (heading && (isNamed || (form !== undefined && others >= fewestOthers)) ? [heading] : []),
  };
}

/** Letters, and what stands between the words of a name: most ids hold a digit or an @. */
function isNameLike(text: string): boolean {
  return text.length <= mostLetters && /^\p{L}[\p{L}\p{M} _./():|-]*$/u.test(text);
}

/** Whether a text reads like the name of a column of ids: `Customer ID`, `user_email_hash`, `userId`. */
function isColumnName(text: string): boolean {
  const words = text
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
  return nouns.has(words.findLast((word) => word !== '') ?? '');
}

/** What ids of one source have in common. Those without a digit or an @ may be names themselves. */
function formOf(id: string): string | undefined {
  if (isUuid(id)) return 'UUID';
  if (/^[^\s@]+@[^\s@]+$/u.test(id)) return 'address';
  if (/^[\da-f]{16,}$/i.test(id)) return `${id.length} digits`;
  if (!/\d/.test(id)) return undefined;
  return id.replace(/\p{L}+/gu, 'a').replace(/\d+/g, '9');
}
