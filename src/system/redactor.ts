import { unicodeEscape } from './text.ts';

/** What a secret is shown as. */
const mask = '***';

/** Longer than the mask, so that each replacement shortens the text; shorter ones would hide ordinary words. */
const shortestSecret = 4;

/** From here on a piece of base64 tells the secret, also if it is only a part of what was encoded. */
const shortestEmbedded = 8;

/** Not inside a word, as in `graphs_per_week`; but after `%22` or `\n`, which end in a letter or digit. */
const anyKey = /(?:(?<![A-Za-z0-9])|(?<=%[\dA-Fa-f]{2}|\\[nrtbf]))(ph[axs]_)[\w-]{4,}/g;

const anyBearer = /\b(Bearer)((?:\s|%20|\+)+)[^\s"'<>,;\\&]+/gi;

/**
 * A function that replaces every secret by `***`: as it is, in small or capital letters, in base64 and base64url (by
 * itself or inside a longer text that was encoded), hexadecimal, percent-encoded and JSON-escaped; and with them every
 * bearer token and everything that looks like a key of the service. Secrets shorter than four characters are not looked for.
 * Of longer ones any piece that tells much is masked, whatever stands between its characters, however each is escaped.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  // Made with the first text, since most commands have none to look through.
  let known: RegExp | undefined;
  let cuts: ReadonlySet<string> | undefined;
  return (text) => {
    known ??= anyOf(secrets);
    cuts ??= new Set(secrets.flatMap(cutsOf));
    return replaceUntilStable(text, known, cuts);
  };
}

function anyOf(secrets: readonly string[]): RegExp {
  const forms = new Set(secrets.filter((secret) => secret.length >= shortestSecret).flatMap(formsOf));
  // The longest first, since one form may be the beginning of another. Without any, nothing matches.
  const ordered = [...forms].sort((left, right) => right.length - left.length);
  return new RegExp(ordered.map(quoteForPattern).join('|') || '(?!)', 'g');
}

/** As much of a key as may be shown: its kind, never more than four characters. */
export function maskKey(key: string): string {
  return `${/^ph[a-z]_/.exec(key)?.[0] ?? ''}…`;
}

/** What is left around a mask could form a secret again, so one pass is not always enough. */
function replaceUntilStable(text: string, known: RegExp, cuts: ReadonlySet<string>): string {
  let before = text;
  for (;;) {
    const masked = before.replace(known, mask);
    const after = maskCuts(masked, cuts).replace(anyKey, `$1${mask}`).replace(anyBearer, `$1$2${mask}`);
    if (after === before) return after;
    before = after;
  }
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  // A round trip through bytes replaces lone surrogates, on which percent-encoding throws.
  const percent = percentForms(bytes.toString('utf8'));
  const json = JSON.stringify(secret).slice(1, -1);
  const hex = bytes.toString('hex');
  const otherCase = secret.length >= shortestEmbedded ? [secret.toLowerCase(), secret.toUpperCase()] : [];
  const texts = [secret, ...percent, json, json.replace(/[^\x00-\x7f]/g, unicodeEscape)];
  texts.push(...otherCase, hex, hex.toUpperCase());
  return [...texts, ...base64Forms(bytes)].filter((form) => form.length >= shortestSecret);
}

/** The ways in which encoders differ: which marks they leave, a space as a plus, small hex digits. */
function percentForms(secret: string): readonly string[] {
  const usual = encodeURIComponent(secret);
  const strict = usual.replace(/[!'()*~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  const encoded = [usual, strict, form];
  const small = encoded.map((text) => text.replace(/%[\dA-F]{2}/g, (byte) => byte.toLowerCase()));
  return [...encoded, ...small];
}

/** Base64 and base64url, whole and, for each of the three places a byte can fall on, the part no neighbour alters. */
function base64Forms(bytes: Buffer): readonly string[] {
  const whole = bytes.toString('base64').replace(/={1,2}$/, '');
  const shifts = bytes.length >= shortestEmbedded ? [0, 1, 2] : [];
  const parts = shifts.map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  });
  const standard = [whole, ...parts];
  return [...standard, ...standard.map((text) => text.replace(/\+/g, '-').replace(/\//g, '_'))];
}

function quoteForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Letters and digits of a secret, or of what it is encoded as, that are masked though the rest is missing. */
const shortestCut = 12;

/** Messages have fewer characters; a longer text is shortened before it is shown, and looked through again. */
const longestText = 100_000;

/** How a character is escaped in addresses, HTML, JSON, shells and mail. */
const escaped =
  /%(?:25)*([\da-f]{2})|&#x([\da-f]{1,6});?|&#(\d{1,7});?|\\u\{?0*([\da-f]{2})\}?|\\x([\da-f]{2})|=([\dA-F]{2})/iy;

/** What an escaped character begins with. */
const ESCAPES = '%&\\=';

/** Where each letter and digit of a text stands, small and without what escapes it. */
function foldText(text: string) {
  let folded = '';
  const spans: { readonly from: number; readonly to: number }[] = [];
  for (let from = 0, to = 0; from < text.length; from = to) {
    const found = ESCAPES.includes(text.charAt(from)) ? escapeAt(text, from) : undefined;
    to = found?.to ?? from + 1;
    const number = found?.number ?? text.charCodeAt(from);
    // Wide forms of the same characters.
    const code = (number > 0xff00 && number < 0xff5f ? number - 0xfee0 : number) & 0xffff;
    if (!isLetterOrDigit(code)) continue;
    folded += String.fromCharCode(code < 0x41 ? code : code | 0x20);
    spans.push({ from, to });
  }
  return { folded, spans };
}

/** The number of the character that is escaped at a place, and where that ends. */
function escapeAt(text: string, from: number): { readonly number: number; readonly to: number } | undefined {
  escaped.lastIndex = from;
  const [whole, percent, hex, decimal, json, shell, mail] = escaped.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = percent ?? hex ?? json ?? shell ?? mail;
  const number = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  return { number, to: from + whole.length };
}

function isLetterOrDigit(code: number): boolean {
  const small = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (small >= 0x61 && small <= 0x7a);
}

/** Also as numbers of its bytes, and in base64 that was encoded once more. */
function cutsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const encoded = base64Forms(bytes);
  const again = base64Forms(Buffer.from(bytes.toString('base64')));
  const forms = [secret, bytes.toString('hex'), [...bytes].join(), ...encoded, ...again];
  return forms.flatMap((form) => {
    const { folded } = foldText(form);
    const count = Math.max(0, folded.length - shortestCut + 1);
    return Array.from({ length: count }, (_, at) => folded.slice(at, at + shortestCut));
  });
}

function maskCuts(text: string, cuts: ReadonlySet<string>): string {
  if (cuts.size === 0 || text.length < shortestCut || text.length > longestText) return text;
  const { folded, spans } = foldText(text);
  let masked = '';
  let done = 0;
  for (let at = 0; at + shortestCut <= folded.length; at += 1) {
    if (!cuts.has(folded.slice(at, at + shortestCut))) continue;
    const first = at;
    while (cuts.has(folded.slice(at + 1, at + 1 + shortestCut))) at += 1;
    const last = at + shortestCut - 1;
    masked += `${text.slice(done, spans[first]?.from)}${mask}`;
    done = spans[last]?.to ?? text.length;
    at = last;
  }
  return masked + text.slice(done);
}
