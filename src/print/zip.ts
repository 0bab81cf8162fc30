import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file of an archive. Its text is first asked for when that of the file before it was taken. */
type Entry = { readonly name: string; readonly text: () => AsyncIterable<string> };

/** The bytes of a ZIP archive, as its files come. Throws what a text throws. */
export async function* zipOf(entries: readonly Entry[], time: number): AsyncGenerator<Uint8Array> {
  const archive = new ZipFile();
  const output = new PassThrough();
  archive.outputStream.pipe(output);
  archive.on('error', (failure: Error) => output.destroy(failure));
  for (const { name, text } of entries) {
    archive.addReadStreamLazy(name, { mtime: new Date(time) }, (open) => {
      const source = Readable.from(text());
      source.on('error', (failure) => output.destroy(failure));
      open(undefined, source);
    });
  }
  archive.end();
  yield* output;
}
