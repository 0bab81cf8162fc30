import yauzl from 'yauzl';

/** The texts of an archive by the names of their files, in its order. */
export async function readZip(archive: Buffer): Promise<Record<string, string>> {
  const zip = await yauzl.fromBufferPromise(archive, { lazyEntries: true });
  const found: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    const stream = await zip.openReadStreamPromise(entry);
    found[entry.fileName] = (await stream.toArray()).join('');
  }
  return found;
}
