import { type Collecting, createIdCollector, type IdList } from '../../src/erasure/people.ts';
import { type IdReading, readIds } from '../../src/erasure/read-ids.ts';
import type { GivenKind } from '../../src/erasure/suspicious-ids.ts';

export type ListReading = IdReading & Partial<Collecting>;

/** Reads a file of distinct ids, if it is not said that it holds others. */
export async function readList(
  chunks: AsyncIterable<Uint8Array>,
  reading: ListReading = {},
): Promise<IdList<GivenKind>> {
  const usual = { kind: 'distinct-ids', name: 'the input', allowSuspicious: true } as const;
  const collector = createIdCollector({ ...usual, ...reading, places: 'line' });
  await readIds(chunks, collector, reading);
  return collector.finish();
}
