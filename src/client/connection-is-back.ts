/** undici takes a connection back one turn after an answer has ended; before that the next request would open another. */
export function connectionIsBack(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
