const LONGEST_TIMER = 2 ** 31 - 1;

type Limits = { readonly timeout: number; readonly signal: AbortSignal | undefined };

export type Deadline = ReturnType<typeof startDeadline>;

/** Aborts when the time is over or the signal says so; `reason` tells which it was, if any. */
export function startDeadline({ timeout, signal }: Limits, abort: () => void) {
  let reason: 'timeout' | 'interrupted' | undefined;
  const end = (why: 'timeout' | 'interrupted') => (): void => {
    reason ??= why;
    abort();
  };
  const interrupt = end('interrupted');
  const start = () => setTimeout(end('timeout'), Math.min(timeout, LONGEST_TIMER));
  let timer: NodeJS.Timeout | undefined = start();
  signal?.addEventListener('abort', interrupt, { once: true });
  if (signal?.aborted) interrupt();
  return {
    reason: (): 'timeout' | 'interrupted' | undefined => reason,
    /** Stops the time while the other side is not waited for. */
    rest(): void {
      clearTimeout(timer);
      timer = undefined;
    },
    /** Gives the whole time again after a rest. */
    renew(): void {
      timer ??= start();
    },
    clear(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', interrupt);
    },
  };
}
