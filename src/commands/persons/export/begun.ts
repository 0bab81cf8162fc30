/**
 * The same items, the first of which has already been read: what the service refuses is known before anything is
 * printed. Throws what reading it throws.
 */
export async function begun<Item>(reader: AsyncGenerator<Item>): Promise<AsyncGenerator<Item>> {
  const first = await reader.next();
  return startingWith(first, reader);
}

async function* startingWith<Item>(
  first: IteratorResult<Item>,
  reader: AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  if (first.done) return;
  yield first.value;
  yield* reader;
}
