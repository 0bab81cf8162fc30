/** A time that the service wrote, in milliseconds since 1970, and how exact it is: `08:46:10` has the unit 1000. */
export type Moment = { readonly at: number; readonly unit: number };

/**
 * Answers of the API end in a zone; SQL writes a space between day and time, and no zone, which means UTC
 * (`2026-11-29 08:46:10.123456`). A day alone is no time.
 */
const written = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}(?::?\d{2})?)?$/;

/** Reads a time of the service, no finer than a millisecond; nothing for a text that is none, such as the 31st of June. */
export function readMoment(value: unknown): Moment | undefined {
  const [, day, time, fraction = '', zone = 'Z'] = written.exec(typeof value === 'string' ? value : '') ?? [];
  if (day === undefined || time === undefined) return undefined;
  const offset =
    zone === 'Z'
      ? zone
      : zone.replace(/^([+-]\d{2}):?(\d{2})?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
  const digits = fraction.slice(0, 3);
  const at = Date.parse(`${day}T${time}.${digits.padEnd(3, '0')}${offset}`);
  const isReal = new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(-2));
  return Number.isNaN(at) || !isReal ? undefined : { at, unit: 10 ** (3 - digits.length) };
}

/** The same without its precision, in milliseconds since 1970. */
export function readTime(value: unknown): number | undefined {
  return readMoment(value)?.at;
}
