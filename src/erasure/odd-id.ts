/** Why an id looks as if it was damaged on its way here. It may still be one, so only the operator can tell. */
export type Oddity =
  | 'first line'
  | 'shortened'
  | 'rounded'
  | 'decimal'
  | 'error'
  | 'nothing'
  | 'shared'
  | 'column'
  | 'marked'
  | 'address'
  | 'markup'
  | 'placeholder'
  | 'json'
  | 'file'
  | 'comment'
  | 'separated'
  | 'quoted'
  | 'spaced'
  | 'invisible'
  | 'lost';

/** Each as the reason that a message gives. */
export const oddityTexts: Readonly<Record<Oddity, string>> = {
  'first line': 'a first line that looks like the name of a column',
  shortened: 'a number as a spreadsheet shortens it, like 1.23E+15',
  rounded: 'zeros from the 16th digit on, as a spreadsheet rounds',
  decimal: 'a whole number that ends in .0, as data tools write it',
  error: 'an error of a spreadsheet, like #N/A',
  nothing: 'a word or sign for no value, like null',
  shared: 'an id that programs give to many people, like anonymous',
  column: 'the name of a column, like distinct_id',
  marked: 'an apostrophe that keeps a spreadsheet from calculating',
  address: 'an address as mail programs write it, like mailto:ana@example.org',
  markup: 'a tag, as of a web page',
  placeholder: 'a placeholder that nothing was put into, like {{id}}',
  json: 'a list or an object as JSON, as exports write several ids into one cell',
  file: 'the name of a file, which --from would read',
  comment: 'a remark behind a #',
  separated: 'a comma or semicolon at its end',
  quoted: 'double quotes, which go where a first line such as distinct_id makes it CSV',
  spaced: 'white space at its beginning or end',
  invisible: 'characters that cannot be seen',
  lost: 'a character that was lost or changed on the way, such as U+FFFD',
};

/** Most ids pass this one look: ASCII from a letter or digit on, none of the words, no long, cut or marked one. */
const usual =
  /^(?!(?:0|\d{16,}|-?\d+\.0+|-?\d[\d.,]*E[+-]\d+|null|nil|none|undefined|empty|nan|n\/a|err:\d+|anonymous|guest|not_authenticated|distinct_?ids?|ids?|person_id|uuid|email|mailto:.*|[!-/:-@[-`{-~]+)$)[+-]?[a-z0-9_][ !-;=-~]*(?<![ ,;]|\.(?:csv|tsv|txt|xlsx?|json|ndjson))$/i;
/** The same for most letters of other alphabets, but for three that a wrong decoding leaves behind. */
const usualLetters =
  /^[\w\u00c0\u00c1\u00c4-\u00e1\u00e3-\u024f\u0370-\u052f\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3][ -9=-~\u00c0\u00c1\u00c4-\u00e1\u00e3-\u024f\u0370-\u052f\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]*(?<![ ,]|\.(?:csv|tsv|txt|xlsx?|json|ndjson))$/i;

const patterns: readonly (readonly [Oddity, RegExp])[] = [
  // The second half is UTF-8 that was read as Latin-1 or Windows-1252.
  ['lost', /\ufffd|[\u00c2\u00c3][\u00a0-\u00bf]|\u00e2\u20ac/u],
  // Format characters, spaces that are not the keyboard's, and letters that are drawn as nothing.
  ['invisible', /[\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|(?! )\p{Zs}/u],
  ['spaced', /^\s|\s$/u],
  ['shortened', /^-?\d+(?:[.,]\d+)?E[+-]\d+$/u],
  ['decimal', /^-?\d+\.0+$/u],
  ['error', /^(?:#(?:N\/A|NV|GETTING_DATA|[\p{Lu}\u00a10/]+[!?])|Err:\d{3})$/u],
  // The second half is what holds no letter and no digit, such as - or ###.
  [
    'nothing',
    /^(?:null|nil|none|undefined|empty|nan|n\/a|[(<[](?:null|nil|none|undefined|empty)[)>\]]|\[object \w+\])$/iu,
  ],
  ['nothing', /^(?:\\n|[!-/:-@[-`{-~\u2013\u2014]+)$/iu],
  ['shared', /^(?:0|anonymous|guest|not_authenticated)$/iu],
  ['column', /^(?:distinct_?ids?|ids?|person_id|uuid|email)$/iu],
  ['marked', /^'[=+@-]/u],
  ['quoted', /^".*"$/u],
  ['address', /^(?:mailto:|[^<>@]*<[^<>@\s]+@[^<>@\s]+>$)/iu],
  ['placeholder', /^(?:\$\{.*\}|\{\{.*\}\}|<%.*%>|%[a-z])$/iu],
  ['json', /^(?:\[.*\]|\{.*\})$/u],
  ['file', /\.(?:csv|tsv|txt|xlsx?|json|ndjson)$/iu],
  ['markup', /^<[/!?]?[a-z][^>]*>/iu],
  ['comment', /^#\s/u],
  ['separated', /[,;]$/u],
];

const isAscii = /^[ -~]*$/;

/** One look for all of them, since it takes long to look for each. */
const any = new RegExp(patterns.map(([, { source }]) => `(?:${source})`).join('|'), 'iu');

/** Programs that know no device, or may not tell, write it instead: all their people are one. */
const nilUuid = '00000000-0000-0000-0000-000000000000';

/** Whether a text is no odd id and has no fault either, as far as can be told at once. */
export function isUsual(id: string): boolean {
  return usual.test(id) || (!isAscii.test(id) && usualLetters.test(id));
}

/** The same for a UUID: one without a version may be nil. Comparing a whole text takes longer than reading it. */
export function isUsualUuid(id: string): boolean {
  return id.charCodeAt(14) !== 0x30;
}

/** What makes a distinct id look damaged, or nothing. */
export function findOddity(id: string): Oddity | undefined {
  if (id === nilUuid) return 'shared';
  return any.test(id) ? patterns.find(([, pattern]) => pattern.test(id))?.[0] : undefined;
}

/** Digits from the 16th on, which a spreadsheet makes zeros: how many an id has, negative where one of them is none. */
export function roundedDigits(id: string): number {
  if (!/^\d{16,}$/.test(id)) return 0;
  return /^\d{15}0+$/.test(id) ? id.length - 15 : -1;
}
