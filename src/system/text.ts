import stringWidth from 'string-width';
import { systemCode } from '../errors.ts';
import type { OutputStream } from './system.ts';

/**
 * With what Unicode's PropList.txt calls Bidi_Control, spelt out: to ask for a property by name costs the first use a
 * thirtieth of a small command.
 */
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** One UTF-16 unit as JSON writes it: `\u001b`. */
export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Text that is safe to show: control characters (C0, DEL, C1, line separators, bidi controls) and lone surrogates
 * become visible escapes such as `\u001b`, `\n`. Anybody can set a person property, so all text of the service that
 * reaches a terminal goes through here, error messages too. With `keepLineBreaks` a line feed stays one, with `keepTabs`
 * a tab.
 */
export function escapeControls(text: string, { keepLineBreaks = false, keepTabs = false } = {}): string {
  return text.replace(controls, (character) => {
    if ((keepLineBreaks && character === '\n') || (keepTabs && character === '\t')) return character;
    return short[character] ?? unicodeEscape(character);
  });
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Text between tags of XML or HTML, or within double quotes there. XML cannot hold control characters and two more, not
 * even as entities: they are shown as escapes.
 */
export function escapeMarkup(text: string, how: { readonly keepLineBreaks?: boolean } = {}): string {
  return escapeControls(text, how)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}

/** A text as one word of a POSIX shell: in single quotes nothing but the quote itself means anything. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * A path as it is typed in a shell, for hints that name a run by it. Double quotes mean the same to a POSIX shell, to cmd
 * and to PowerShell, unless they hold one of a few characters. No name of Windows holds a double quote.
 */
export function nameOfPath(path: string): string {
  if (/^[\w./~:@+=-]+$/.test(path) || /^[A-Za-z]:[\w.\\/+=-]*$/.test(path)) return path;
  const isOfWindows = /^([A-Za-z]:|\\\\)/.test(path);
  const isSame = isOfWindows ? /^[^$`"\r\n]+$/ : /^[^$`"\\%!\x00-\x1f\x7f]+$/;
  return isSame.test(path) ? `"${path}"` : quoteForShell(path);
}

/**
 * Makes what is exact elsewhere safe to show: CSV, TSV and answers that are passed on as they came hold whatever
 * somebody put into a property. Chunks may be cut anywhere.
 */
export function createTerminalText({
  keepTabs,
}: {
  readonly keepTabs: boolean;
}): (chunk: string | Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (chunk) => {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    return escapeControls(text, { keepLineBreaks: true, keepTabs });
  };
}

/** Strings well below 128 KiB: above that V8 puts each into pages of its own, which costs more than the formatting. */
const chunkLength = 32 * 1024;

/** Joins short texts into chunks that are worth a write. */
export function* inChunks(texts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** What the system refused, in words. */
export function systemReason(cause: unknown): string {
  const code = systemCode(cause) ?? 'unknown';
  const texts: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or directory',
    EACCES: 'permission denied',
    EISDIR: 'it is a directory',
    ENOTDIR: 'a part of its path is not a directory',
    ENAMETOOLONG: 'its name is too long',
    E2BIG: 'its words are too long',
    EPERM: 'the system does not permit it',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    EFBIG: 'the file would become too large',
    EIO: 'the disk failed',
    EROFS: 'the disk is read-only',
    ELOOP: 'its links form a loop',
    EEXIST: 'it already exists',
    ENOTREG: 'it is a pipe or a device',
    ETOOLARGE: 'it is larger than 64 MiB',
    EMFILE: 'too many files are open',
    EXDEV: 'it is on another disk',
  };
  return texts[code] ?? code;
}

let segmenter: Intl.Segmenter | undefined;

/** What a reader takes for one character. Most text is ASCII and needs no segmenter, which costs as much as a command. */
function graphemesOf(text: string): Iterable<string> {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Display cells a text takes on a terminal: two for CJK and emoji, none for combining marks. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

/** The spaces that fill a text up to a display width. */
export function padding(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** A text cut to a display width, never inside a grapheme, with an ellipsis if something is missing. */
export function truncate(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text;
  const mark = displayWidth(ellipsis) <= width ? ellipsis : '';
  const room = width - displayWidth(mark);
  const [kept = ''] = pieces(text, room);
  return (displayWidth(kept) <= room ? kept : '') + mark;
}

/** A text in pieces of at most a display width. Only a grapheme that is wider by itself makes a wider piece. */
export function wrap(text: string, width: number): readonly string[] {
  return [...pieces(text, width)];
}

function* pieces(text: string, width: number): Generator<string> {
  let piece = '';
  let used = 0;
  for (const segment of graphemesOf(text)) {
    const cells = displayWidth(segment);
    if (used + cells > width && piece !== '') {
      yield piece;
      piece = '';
      used = 0;
    }
    piece += segment;
    used += cells;
  }
  yield piece;
}

/** Commands with their ids, options and files: broken over lines, they could not be copied. */
const command =
  /\b(?:hogctl(?: [a-z][a-z-]*){1,2}|chmod \d+)(?: (?:last\b|<[^>]+>|--?[a-z][\w-]*|'[^']*'|\S*(?:[\d/]|\.\w)\S*))*/g;

/** Lines that are one command, or laid out already. */
const standsAlone = /^(?:\s|hogctl |export |[A-Z_]+=|[{$])/;

/** Of a terminal. One that does not know its width, as in a container, says 0. */
export function columnsOf({ columns }: { readonly columns?: number | undefined }): number {
  return columns || 80;
}

/** A message as a stream shows it: without control characters but line breaks, and on a terminal broken at words. */
export function messageText(
  text: string,
  { isTTY, columns }: Pick<OutputStream, 'isTTY' | 'columns'>,
): string {
  const safe = escapeControls(text, { keepLineBreaks: true });
  return isTTY === true ? wrapWords(safe, Math.max(40, columnsOf({ columns }))) : safe;
}

/** Whether a service that runs jobs reads what is printed line by line, and takes some lines for commands to it. */
export function isCiLog({ GITHUB_ACTIONS, TF_BUILD, TEAMCITY_VERSION }: NodeJS.ProcessEnv): boolean {
  return [GITHUB_ACTIONS, TF_BUILD, TEAMCITY_VERSION].some(Boolean);
}

/** The same lines, none of which such a service takes for a command: GitHub reads past spaces, others anywhere in a line. */
export function withoutCommands(text: string): string {
  return text.replace(/^([^\S\n]{0,1000}):(?=:)/gm, '$1: ').replace(/##(?=\w{0,20}\[)/g, '# #');
}

/**
 * A message in lines of at most a display width, broken between words and never inside a command. A word that is wider
 * gets a line of its own, which the terminal breaks without a line feed.
 */
export function wrapWords(text: string, width: number): string {
  const lines = text.split('\n');
  return lines.flatMap((line) => (standsAlone.test(line) ? [line] : brokenLine(line, width))).join('\n');
}

function brokenLine(line: string, width: number): readonly string[] {
  if (displayWidth(line) <= width) return [line];
  const indent = /^(?:error|hint|warning): /.test(line) ? '  ' : '';
  const lines: string[] = [];
  let current: string | undefined;
  for (const word of line.replace(command, (whole) => whole.replaceAll(' ', '\0')).split(' ')) {
    const longer: string = current === undefined ? word : `${current} ${word}`;
    if (current !== undefined && word !== '' && displayWidth(longer.replaceAll('\0', ' ')) > width) {
      lines.push(current);
      current = indent + word;
    } else current = longer;
  }
  return [...lines, current ?? ''].map((one) => one.replaceAll('\0', ' '));
}
