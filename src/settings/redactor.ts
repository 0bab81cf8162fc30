/** Takes known secrets, and whatever looks like a key, out of a text. */
export type Redactor = (text: string) => string;

const mask = '***';

/** Longer than the mask, so that each replacement shortens the text; shorter ones would hide ordinary words. */
const shortestSecret = 4;

/** From here on a piece of base64 tells the secret, also where it is only a part of what was encoded. */
const shortestEmbedded = 8;

/** Not inside a word, as in `graphs_per_week`; but after `%22` or `\n`, which end in a letter or digit. */
const anyKey = /(?:(?<![A-Za-z0-9])|(?<=%[\dA-Fa-f]{2}|\\[nrtbf]))(ph[axs]_)[\w-]{4,}/g;

const anyBearer = /\b(Bearer)((?:\s|%20|\+)+)[^\s"'<>,;\\&]+/gi;

/**
 * A function that replaces every secret by `***`: as it is, in base64 and base64url (alone or inside a longer
 * text that was encoded), percent-encoded and JSON-escaped; and with them every bearer token and everything
 * that looks like a key of the service. Secrets shorter than four characters are not looked for.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  // Made with the first text, since most commands have none to look through.
  let known: RegExp | undefined;
  return (text) => {
    known ??= anyOf(secrets);
    return replaceUntilStable(text, known);
  };
}

function anyOf(secrets: readonly string[]): RegExp {
  const forms = new Set(secrets.filter((secret) => secret.length >= shortestSecret).flatMap(formsOf));
  // The longest first, since one form may be the beginning of another. Without any, nothing matches.
  const ordered = [...forms].sort((left, right) => right.length - left.length);
  return new RegExp(ordered.map(quote).join('|') || '(?!)', 'g');
}

/** As much of a key as may be shown: its kind, never more than four characters. */
export function maskKey(key: string): string {
  return `${/^ph[a-z]_/.exec(key)?.[0] ?? ''}…`;
}

/** What is left around a mask could form a secret again, so one pass is not always enough. */
function replaceUntilStable(text: string, known: RegExp): string {
  let before = text;
  for (;;) {
    const masked = before.replace(known, mask);
    const after = masked.replace(anyKey, `$1${mask}`).replace(anyBearer, `$1$2${mask}`);
    if (after === before) {
      return after;
    }
    before = after;
  }
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  // A round trip through bytes replaces lone surrogates, on which percent-encoding throws.
  const percent = percentForms(bytes.toString('utf8'));
  const json = JSON.stringify(secret).slice(1, -1);
  const texts = [secret, ...percent, json, escapeBeyondAscii(json)];
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

function escapeBeyondAscii(text: string): string {
  return text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Base64 and base64url, whole and, for each of the three places a byte can fall on, the part no neighbour alters. */
function base64Forms(bytes: Buffer): readonly string[] {
  const whole = bytes.toString('base64').replace(/=+$/, '');
  const shifts = bytes.length >= shortestEmbedded ? [0, 1, 2] : [];
  const parts = shifts.map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  });
  const standard = [whole, ...parts];
  return [...standard, ...standard.map((text) => text.replace(/\+/g, '-').replace(/\//g, '_'))];
}

function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
