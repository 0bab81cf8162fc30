import { SaxesParser } from 'saxes';
import yauzl from 'yauzl';
import { CliError } from '../../errors.ts';

export const SAVE_AGAIN = 'open it in a spreadsheet program and save it again';

/** A workbook is a ZIP archive of XML texts, its parts. */
export type Archive = { readonly zip: yauzl.ZipFile; readonly byName: ReadonlyMap<string, yauzl.Entry> };

export function unreadable(why: string, hint: string, cause?: unknown): CliError {
  return new CliError('usage', `the workbook cannot be read: ${why}`, { hint, cause });
}

/** What the packages throw is about the file; it stays as the cause. */
function asUsage(cause: unknown): CliError {
  if (cause instanceof CliError) return cause;
  const hint = 'open it in a spreadsheet program and save it as .xlsx or CSV';
  return unreadable('it is damaged, or not an .xlsx workbook', hint, cause);
}

export async function openArchive(bytes: Uint8Array): Promise<Archive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const byName = new Map<string, yauzl.Entry>();
  try {
    const zip = await yauzl.fromBufferPromise(buffer, { lazyEntries: true, validateEntrySizes: true });
    for await (const entry of zip.eachEntry()) {
      byName.set(entry.fileName, entry);
      if (byName.size > 10_000) throw unreadable('it has too many parts', SAVE_AGAIN);
    }
    refuseOthers(byName);
    return { zip, byName };
  } catch (cause) {
    throw asUsage(cause);
  }
}

/** Archives of other programs, told by what lies in them. */
function refuseOthers(parts: Archive['byName']): void {
  if (parts.has('xl/workbook.xml') || parts.has('[Content_Types].xml')) return;
  if (parts.has('content.xml')) throw unreadable('it is an .ods workbook', 'save it as .xlsx or CSV');
  if (parts.has('Index/Document.iwa'))
    throw unreadable('it is a .numbers workbook', 'export it as .xlsx or CSV');
  throw unreadable('it is an archive, not a workbook', 'unpack it first');
}

type Handlers = {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
};

/** Reads a part piece by piece, and stops after each one, so that what the handlers gathered can be taken. */
export async function* readPart({ zip, byName }: Archive, name: string, handlers: Handlers) {
  const entry = byName.get(name);
  if (entry === undefined) throw unreadable(`its part ${name} is missing`, SAVE_AGAIN);
  // While it is unpacked, yauzl holds it to this size.
  if (entry.uncompressedSize > 512 * 1024 * 1024)
    throw unreadable('it would be larger than 512 MB when unpacked', 'split it, or save it as CSV');
  const parser = new SaxesParser();
  // Parts may name their elements with a prefix.
  const local = (full: string) => full.slice(full.indexOf(':') + 1);
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name: tag, attributes }) => handlers.open?.(local(tag), attributes));
  parser.on('text', (text) => handlers.text?.(text));
  parser.on('cdata', (text) => handlers.text?.(text));
  parser.on('closetag', ({ name: tag }) => handlers.close?.(local(tag)));
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      parser.write(decoder.decode(chunk, { stream: true }));
      yield;
    }
    parser.write(decoder.decode()).close();
  } catch (cause) {
    throw asUsage(cause);
  }
}

export async function readWhole(
  archive: Archive,
  name: string | undefined,
  handlers: Handlers,
): Promise<void> {
  if (name === undefined) return;
  for await (const _ of readPart(archive, name, handlers));
}
