import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { zipOf } from '../../../src/print/zip.ts';
import { readZip } from '../../support/read-zip.ts';

async function* texts(...some: readonly string[]) {
  yield* some;
}

it('packs the texts of its files in their order', async () => {
  const files = [
    { name: 'ana.html', text: () => texts('<p>', 'Ána', '</p>') },
    { name: 'ana.json', text: () => texts() },
  ];
  const chunks = await Readable.from(zipOf(files, Date.UTC(2026, 0, 2))).toArray();
  expect(await readZip(Buffer.concat(chunks))).toEqual({ 'ana.html': '<p>Ána</p>', 'ana.json': '' });
});

it('ends with what a text throws', async () => {
  async function* failing() {
    yield 'begun';
    throw new Error('no answer');
  }
  const packing = Readable.from(zipOf([{ name: 'a', text: failing }], 0)).toArray();
  await expect(packing).rejects.toThrow('no answer');
});
