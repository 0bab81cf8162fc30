import type { GivenKind } from '../../src/erasure/input/checks.ts';
import { type Collecting, createIdCollector, type IdList, type Odd } from '../../src/erasure/input/given.ts';
import { type IdReading, readIds } from '../../src/erasure/input/read-file.ts';

export type ListReading = IdReading & Partial<Omit<Collecting, 'odd'>> & { readonly odd?: Odd };

/** Reads a file of distinct ids, if it is not said that it holds others. */
export async function readList(
  chunks: AsyncIterable<Uint8Array>,
  reading: ListReading = {},
): Promise<IdList<GivenKind>> {
  const usual = { kind: 'distinct-ids', name: 'the input', odd: 'send' } as const;
  const collector = createIdCollector({ ...usual, ...reading, places: 'line' });
  await readIds(chunks, collector, reading);
  return collector.finish();
}
