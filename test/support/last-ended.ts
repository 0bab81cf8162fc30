type Ended = { readonly words: readonly string[]; readonly code: number | null; readonly stderr: string };

let last: Ended | undefined;

/** Keeps how the program ended, for the message of a test that fails. */
export function noteEnded(ended: Ended): void {
  last = ended;
}

export function forgetEnded(): void {
  last = undefined;
}

/** The last command with its exit code, and what it said. */
export function tellEnded(): string {
  if (last === undefined) return '';
  const { words, code, stderr } = last;
  return `hogctl ${words.join(' ')} ended with ${code} and said:\n${stderr.slice(-2000) || '(nothing)'}`;
}
