import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import yauzl from 'yauzl';
import { zipOf } from '../../../src/print/zip.ts';

async function* texts(...some: readonly string[]) {
  yield* some;
}

async function read(archive: Buffer): Promise<Record<string, string>> {
  const zip = await yauzl.fromBufferPromise(archive, { lazyEntries: true });
  const found: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    const stream = await zip.openReadStreamPromise(entry);
    found[entry.fileName] = (await stream.toArray()).join('');
  }
  return found;
}

it('packs the texts of its files in their order', async () => {
  const files = [
    { name: 'ana.html', text: () => texts('<p>', 'Ána', '</p>') },
    { name: 'ana.json', text: () => texts() },
  ];
  const chunks = await Readable.from(zipOf(files, Date.UTC(2026, 0, 2))).toArray();
  expect(await read(Buffer.concat(chunks))).toEqual({ 'ana.html': '<p>Ána</p>', 'ana.json': '' });
});

it('ends with what a text throws', async () => {
  async function* failing() {
    yield 'begun';
    throw new Error('no answer');
  }
  const packing = Readable.from(zipOf([{ name: 'a', text: failing }], 0)).toArray();
  await expect(packing).rejects.toThrow('no answer');
});
