import { SaxesParser } from 'saxes';
import yauzl from 'yauzl';
import { type CliError, usageError } from '../errors.ts';

/** The parts of a workbook, which is a ZIP archive of XML texts. */
export type Entries = { readonly zip: yauzl.ZipFile; readonly byName: ReadonlyMap<string, yauzl.Entry> };

export type Tag = { readonly name: string; readonly attributes: Readonly<Record<string, string>> };

/** Bytes of one part of a workbook when it is unpacked. */
const LARGEST_PART = 512 * 1024 * 1024;
const MOST_PARTS = 10_000;

export function unreadable(why: string, hint: string): CliError {
  return usageError(`the workbook cannot be read: ${why}`, hint);
}

export async function readEntries(bytes: Uint8Array): Promise<Entries> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await yauzl.fromBufferPromise(buffer, { lazyEntries: true, validateEntrySizes: true });
  const byName = new Map<string, yauzl.Entry>();
  for await (const entry of zip.eachEntry()) {
    byName.set(entry.fileName, entry);
    if (byName.size > MOST_PARTS)
      throw unreadable('it has too many parts', 'save it anew in a spreadsheet program');
  }
  return { zip, byName };
}

/** Archives of other programs, told by what lies in them. */
export function refuseOthers({ byName }: Entries): void {
  if (byName.has('xl/workbook.xml') || byName.has('[Content_Types].xml')) return;
  if (byName.has('content.xml')) throw unreadable('it is an .ods workbook', 'save it as .xlsx or CSV');
  if (byName.has('Index/Document.iwa'))
    throw unreadable('it is a .numbers workbook', 'export it as .xlsx or CSV');
  throw unreadable('it is an archive and no workbook', 'unpack it first');
}

/** The pieces of a part, unpacked. Its size is looked at before and while it is unpacked. */
async function* unpack({ zip, byName }: Entries, name: string): AsyncGenerator<string> {
  const entry = byName.get(name);
  if (entry === undefined)
    throw unreadable(`its part ${name} is missing`, 'save it anew in a spreadsheet program');
  const tooLarge = () =>
    unreadable('it would be larger than 512 MB when unpacked', 'split it, or save it as CSV');
  if (entry.uncompressedSize > LARGEST_PART) throw tooLarge();
  const stream = await zip.openReadStreamPromise(entry);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let size = 0;
  for await (const chunk of stream) {
    const bytes: Uint8Array = chunk;
    size += bytes.length;
    if (size > LARGEST_PART) throw tooLarge();
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
}

type Handlers = {
  open?(tag: Tag): void;
  text?(text: string): void;
  close?(name: string): void;
};

/** Reads a part piece by piece, and stops after each one, so that what the handlers gathered can be taken. */
export async function* readPart(
  entries: Entries,
  name: string,
  handlers: Handlers,
): AsyncGenerator<undefined> {
  const parser = new SaxesParser();
  // Parts may name their elements with a prefix.
  const local = (full: string) => full.slice(full.indexOf(':') + 1);
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name: tag, attributes }) => handlers.open?.({ name: local(tag), attributes }));
  parser.on('text', (text) => handlers.text?.(text));
  parser.on('cdata', (text) => handlers.text?.(text));
  parser.on('closetag', ({ name: tag }) => handlers.close?.(local(tag)));
  for await (const piece of unpack(entries, name)) {
    parser.write(piece);
    yield undefined;
  }
  parser.close();
}

export async function readWholePart(entries: Entries, name: string, handlers: Handlers): Promise<void> {
  const pieces = readPart(entries, name, handlers);
  while ((await pieces.next()).done !== true);
}

/** Gathers the `t` elements of a rich text, without its phonetic runs. */
export function textReader() {
  let gathered = '';
  let isText = false;
  let phonetic = 0;
  return {
    begin: () => {
      gathered = '';
    },
    open: (name: string) => {
      if (name === 'rPh') phonetic += 1;
      if (name === 't') isText = phonetic === 0;
    },
    add: (piece: string) => {
      if (isText) gathered += piece;
    },
    close: (name: string) => {
      if (name === 'rPh') phonetic -= 1;
      if (name === 't') isText = false;
    },
    take: () => unescapeText(gathered),
  };
}

/** A workbook writes characters that XML cannot hold as `_x000D_`. */
export function unescapeText(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
