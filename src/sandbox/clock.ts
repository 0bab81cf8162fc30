/** A moment in UTC, in microseconds since 1970: the resolution the service stores. */
export type Moment = bigint;

const DAY = 86_400_000_000n;

/** The moment of an ISO 8601 text, in UTC if it names no zone; undefined for anything else. */
export function readMoment(text: string): Moment | undefined {
  const match =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?\d*)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(
      text.trim(),
    );
  if (match === null) return undefined;
  const [, day, minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] = match;
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const milliseconds = Date.parse(`${day}T${minutes}:${seconds}${offset}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return BigInt(milliseconds) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** ISO 8601 in UTC, with six decimals if there is a fraction. */
export function writeMoment(moment: Moment): string {
  const microseconds = ((moment % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((moment - microseconds) / 1000n)).toISOString().slice(0, 19);
  return microseconds === 0n ? `${seconds}Z` : `${seconds}.${String(microseconds).padStart(6, '0')}Z`;
}

/** As the `Date` of an answer has it: to the second. */
export function writeDate(moment: Moment): string {
  return new Date(Number(moment / 1000n)).toUTCString();
}

/** The first Sunday 05:00 UTC after a moment, when the service deletes queued events. */
export function nextEventDeletion(moment: Moment): Moment {
  // 1970-01-04 was a Sunday.
  const firstSunday = 3n * DAY + 5n * 3_600_000_000n;
  const weeks = (moment - firstSunday) / (7n * DAY);
  const candidate = firstSunday + weeks * 7n * DAY;
  return candidate > moment ? candidate : candidate + 7n * DAY;
}
