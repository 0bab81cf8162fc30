/** A user of the sandbox's organization, in the form in which insights name their authors. */
export type User = Readonly<ReturnType<typeof makeUser>>;

/** The holder of each key of the sandbox. */
export const OPERATOR: User = makeUser(1, 'Olga', 'Novak');

/** A colleague, who made some of the sample's insights. */
export const COLLEAGUE: User = makeUser(2, 'Ben', 'Carter');

function makeUser(id: number, firstName: string, lastName: string) {
  return {
    id,
    uuid: uuidOf('user', BigInt(id)),
    distinct_id: `user-${id}`,
    first_name: firstName,
    last_name: lastName,
    email: `${firstName}.${lastName}@example.org`.toLowerCase(),
    is_email_verified: true,
    hedgehog_config: {},
    role_at_organization: 'engineering',
  };
}

/** A UUID of version 4 form, the same for the same kind and number. */
export function uuidOf(kind: string, number: bigint): string {
  const [a, b, c, d] = mix(`${kind}:${number}`);
  const hex = [a, b, c, d].map((part) => part.toString(16).padStart(8, '0')).join('');
  const variant = '89ab'[a & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The eight letters and digits by which an insight is known in the browser. */
export function shortIdOf(number: bigint): string {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
  const [a, b] = mix(`insight:${number}`);
  const pick = (seed: number, place: number) => alphabet[Math.floor(seed / 57 ** place) % 56] ?? 'A';
  // The first character is a letter, so that no short id looks like a numeric id.
  return [0, 1, 2, 3]
    .flatMap((place) => [pick(a, place), pick(b, place)])
    .join('')
    .replace(/^\d/, 'Z');
}

/** Four numbers of 32 bits from a text, each mixed from all of it. */
function mix(text: string): readonly [number, number, number, number] {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ code, 597399067);
    b = c ^ Math.imul(b ^ code, 2869860233);
    c = d ^ Math.imul(c ^ code, 951274213);
    d = a ^ Math.imul(d ^ code, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18), 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  return [(a ^ b ^ c ^ d) >>> 0, (b ^ a) >>> 0, (c ^ a) >>> 0, (d ^ a) >>> 0];
}

/** The sandbox holds one project. */
export const PROJECT_ID = '1';

export const PROJECT_NAME = 'Sandbox';

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
