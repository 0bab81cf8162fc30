/** A key with characters that every encoding writes differently. */
export const HARD_KEY = 'phx_TEST/ONLY+0123=456789~abcdef';

/** The ways in which the key could show: as it is, percent-encoded, in JSON, and in base64 at any place of a text. */
const KEY_FORMS: readonly string[] = [
  HARD_KEY,
  encodeURIComponent(HARD_KEY),
  encodeURIComponent(HARD_KEY).toLowerCase(),
  new URLSearchParams([['', HARD_KEY]]).toString().slice(1),
  ...[0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.from(`${'x'.repeat(shift)}${HARD_KEY}`).toString('base64');
    // What stands before and behind depends on the neighbours.
    const sure = encoded.slice(4, 36);
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')];
  }),
];

/** The forms of the key that a text holds. */
export function leaksIn(text: string): readonly string[] {
  return KEY_FORMS.filter((form) => text.includes(form));
}

/** Everything that a careless service could quote of a request's key, in one text. */
export function quoteKey(authorization: string | string[] | undefined): string {
  const header = String(authorization);
  const encoded = Buffer.from(`user:${HARD_KEY}`).toString('base64');
  return `${header} ${HARD_KEY} ${encodeURIComponent(HARD_KEY)} ${encoded}`;
}
