/** Prints how often each fault was met, also where only failures are shown. */
export function showCounts(title: string, counts: ReadonlyMap<string, number>): void {
  const lines = [...counts].map(([fault, count]) => `${String(count).padStart(5)}  ${fault}`);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  process.stdout.write(`${title}:\n${lines.join('\n')}\n${String(total).padStart(5)}  in all\n`);
}
