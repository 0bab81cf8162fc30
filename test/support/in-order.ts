/**
 * For tests that build on each other: each work is done once, after those that were given before it, whichever is asked
 * for first. So a test can be run by itself, or among others that were shuffled.
 */
export function inOrder(): <Result>(work: () => Promise<Result>) => () => Promise<Result> {
  let last: () => Promise<unknown> = async () => undefined;
  return (work) => {
    const before = last;
    const begin = async () => {
      // What fails there is told by the test that it belongs to.
      await before().catch(() => undefined);
      return work();
    };
    let result: ReturnType<typeof begin> | undefined;
    const done = () => {
      result ??= begin();
      return result;
    };
    last = done;
    return done;
  };
}
