const hour = 3_600_000;
const day = 24 * hour;

/** When the service next deletes events that were queued at `at` (milliseconds): Sundays at 05:00 UTC, as ISO text. */
export function nextEventDeletion(at: number): string {
  const date = new Date(at);
  const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  const sunday = midnight + ((7 - date.getUTCDay()) % 7) * day + 5 * hour;
  return new Date(sunday > at ? sunday : sunday + 7 * day).toISOString();
}
