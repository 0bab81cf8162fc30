import { posix } from 'node:path';
import { SaxesParser } from 'saxes';
import yauzl from 'yauzl';
import { CliError, nextTurn } from '../../errors.ts';

export const SAVE_AGAIN = 'open it in a spreadsheet program and save it again';

/** A workbook is a ZIP archive of XML texts, its parts, whose names do not depend on case. */
export type Archive = {
  readonly zip: yauzl.ZipFile;
  readonly byName: ReadonlyMap<string, yauzl.Entry>;
  readonly limits: Limits;
};

export function unreadable(why: string, hint: string, cause?: unknown): CliError {
  return new CliError('usage', `the workbook cannot be read: ${why}`, { hint, cause });
}

const MOST_BYTES = 512 * 1024 * 1024;
/** All cells together: many may show one text. */
const MOST_CHARACTERS = MOST_BYTES;
/** Numbers that a format shows: each takes some microseconds. */
const MOST_FORMATTED = 5_000_000;
/** Of one cell: no spreadsheet program has more. */
const LONGEST_TEXT = 65_535;

type Limits = Readonly<ReturnType<typeof createLimits>>;

/**
 * What reading one workbook may take, however often it says to read a part: some kilobytes can stand for any amount of
 * work. Each throws a usage error beyond that, and `unpack` one of its own once the signal asks to stop.
 */
function createLimits(signal: AbortSignal | undefined) {
  let bytes = 0;
  let characters = 0;
  let formatted = 0;
  return {
    unpack(size: number): void {
      if (signal?.aborted) throw new CliError('interrupted', 'interrupted, nothing was sent');
      bytes += size;
      if (bytes > MOST_BYTES) throw tooLarge();
    },
    show(text: string): void {
      if (text.length > LONGEST_TEXT)
        throw unreadable(`a cell of it holds more than ${LONGEST_TEXT} characters`, 'shorten it');
      characters += text.length;
      if (characters > MOST_CHARACTERS) throw tooLarge();
    },
    format(): void {
      formatted += 1;
      if (formatted > MOST_FORMATTED)
        throw unreadable(`it has more than ${MOST_FORMATTED} cells with a number format`, 'save it as CSV');
    },
  };
}

function tooLarge(): CliError {
  return unreadable('it would be larger than 512 MB when unpacked', 'split it, or save it as CSV');
}

/** What the packages throw is about the file; it stays as the cause. */
function asUsage(cause: unknown): CliError {
  if (cause instanceof CliError) return cause;
  const hint = 'open it in a spreadsheet program and save it as .xlsx or CSV';
  return unreadable('it is damaged, or not an .xlsx workbook', hint, cause);
}

export async function openArchive(bytes: Uint8Array, signal: AbortSignal | undefined): Promise<Archive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const byName = new Map<string, yauzl.Entry>();
  try {
    const zip = await yauzl.fromBufferPromise(buffer, { lazyEntries: true, validateEntrySizes: true });
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName.toLowerCase();
      // Programs differ in which of two they open.
      if (byName.has(name) || nameThere(buffer, entry) !== entry.fileName)
        throw unreadable('it has two parts of one name, or two names for a part', SAVE_AGAIN);
      byName.set(name, entry);
      if (byName.size > 10_000) throw unreadable('it has too many parts', SAVE_AGAIN);
    }
    refuseOthers(byName);
    return { zip, byName, limits: createLimits(signal) };
  } catch (cause) {
    throw asUsage(cause);
  }
}

/** The name of a part as it stands before its bytes, which some programs read in place of the one in the directory. */
function nameThere(buffer: Buffer, { relativeOffsetOfLocalHeader: at }: yauzl.Entry): string {
  if (at + 30 > buffer.length) return '';
  return buffer
    .subarray(at + 30, at + 30 + buffer.readUInt16LE(at + 26))
    .toString('utf8')
    .replaceAll('\\', '/');
}

/** Archives of other programs, told by what lies in them. */
function refuseOthers(parts: Archive['byName']): void {
  if (parts.has('xl/workbook.xml') || parts.has('[content_types].xml')) return;
  if (parts.has('content.xml')) throw unreadable('it is an .ods workbook', 'save it as .xlsx or CSV');
  if (parts.has('index/document.iwa'))
    throw unreadable('it is a .numbers workbook', 'export it as .xlsx or CSV');
  throw unreadable('it is an archive, not a workbook', 'unpack it first');
}

type Handlers = {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
};

/** What a part says of another one. */
export type Relation = { readonly id: string; readonly type: string; readonly path: string };

/** What a part, or with an empty name the archive, says of others. One that lies elsewhere is refused. */
export async function readRelations(archive: Archive, part: string): Promise<readonly Relation[]> {
  const { dir, base } = posix.parse(part);
  const name = posix.join(dir, '_rels', `${base}.rels`);
  const relations = new Map<string, Relation>();
  if (!archive.byName.has(name.toLowerCase())) return [];
  await readWhole(archive, name, {
    open: (tag, { Id: id = '', Target: target = '', Type: type = '', TargetMode: mode }) => {
      if (tag !== 'Relationship') return;
      if (relations.has(id)) throw unreadable(`it says two things of ${JSON.stringify(id)}`, SAVE_AGAIN);
      const isNeeded = /\/(?:worksheet|sharedStrings|styles|officeDocument|table)$/.test(type);
      if (mode === 'External' && isNeeded) throw unreadable('a part of it lies elsewhere', SAVE_AGAIN);
      const path = target.startsWith('/') ? target.slice(1) : posix.join(dir, target);
      relations.set(id, { id, type: type.slice(type.lastIndexOf('/') + 1), path });
    },
  });
  return [...relations.values()];
}

/**
 * Reads a part piece by piece, and stops after each one, so that what the handlers gathered can be taken. Elements of
 * another namespace than that of the first one keep a prefix.
 */
export async function* readPart({ zip, byName, limits }: Archive, name: string, handlers: Handlers) {
  const entry = byName.get(name.toLowerCase());
  if (entry === undefined) throw unreadable(`its part ${name} is missing`, SAVE_AGAIN);
  // While it is unpacked, yauzl holds it to this size.
  if (entry.uncompressedSize > MOST_BYTES) throw tooLarge();
  const parser = new SaxesParser();
  const names = createNames();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name: tag, attributes }) =>
    handlers.open?.(names.open(tag, attributes), attributes),
  );
  parser.on('text', (text) => handlers.text?.(text));
  parser.on('cdata', (text) => handlers.text?.(text));
  parser.on('closetag', () => {
    const name = names.close();
    handlers.close?.(name);
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      // What is not packed comes at once, and no signal would be seen meanwhile.
      await nextTurn();
      limits.unpack(chunk.length);
      parser.write(decoder.decode(chunk, { stream: true }));
      yield;
    }
    parser.write(decoder.decode()).close();
  } catch (cause) {
    throw asUsage(cause);
  }
}

const DEEPEST = 1000;

/** The names of elements by their namespace: that of the first one may have a prefix, too. */
function createNames() {
  const open: { readonly name: string; readonly uri: string | undefined }[] = [];
  let own: { readonly prefix: string; readonly uri: string | undefined } | undefined;
  return {
    open(full: string, attributes: Readonly<Record<string, string>>): string {
      const at = full.indexOf(':');
      const prefix = full.slice(0, Math.max(0, at));
      const declared = (one: string) => attributes[one === '' ? 'xmlns' : `xmlns:${one}`];
      own ??= { prefix, uri: declared(prefix) };
      // What the prefix of the first element stands for by now.
      const uri = declared(own.prefix) ?? (open.length === 0 ? own.uri : open.at(-1)?.uri);
      const isOwn = prefix === own.prefix && uri === own.uri;
      const name = isOwn ? full.slice(at + 1) : `another:${full}`;
      open.push({ name, uri });
      if (open.length > DEEPEST) throw unreadable('its elements are nested too deeply', SAVE_AGAIN);
      return name;
    },
    close: (): string => open.pop()?.name ?? '',
  };
}

/** Two for each text of 10 million cells. */
const MOST_ELEMENTS = 20_000_000;

/** Reads a part of which much may be kept in memory. */
export async function readWhole(
  archive: Archive,
  name: string | undefined,
  { open, ...handlers }: Handlers,
): Promise<void> {
  if (name === undefined) return;
  let elements = 0;
  const counting: Handlers = {
    ...handlers,
    open(tag, attributes) {
      elements += 1;
      if (elements > MOST_ELEMENTS) throw tooLarge();
      open?.(tag, attributes);
    },
  };
  for await (const _ of readPart(archive, name, counting));
}
