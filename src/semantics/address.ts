import { domainToASCII, domainToUnicode } from 'node:url';

/** An e-mail address as it is compared: in small letters, with whole accents, and its domain in one of its two forms. */
export function foldAddress(address: string): string {
  const small = address.trim().normalize('NFC').toLowerCase();
  const [local, domain] = partsOf(small);
  // Only a name that has two forms: others might be changed into something else, such as an IP address.
  return hasForms(domain) ? `${local}@${domainToASCII(domain) || domain}` : small;
}

/** The spellings in which one address may be stored, letter by letter, in whatever case it was given. */
export function formsOf(address: string): readonly string[] {
  const [local, domain] = partsOf(address);
  const domains = hasForms(domain) ? [domain, domainToASCII(domain), domainToUnicode(domain)] : [domain];
  const named = domains.flatMap((one) => (one === '' ? [] : `${local}@${one}`));
  const all = domain === '' ? [address] : named;
  return [...new Set(all.flatMap((one) => [one, one.normalize('NFC'), one.normalize('NFD')]))];
}

/** What a text has that can be written in another way that means the same: accents, or an encoded domain. */
export const SEVERAL_FORMS = '[^\\x00-\\x7f]|xn--';

const severalForms = new RegExp(SEVERAL_FORMS, 'i');

export function hasForms(text: string): boolean {
  return severalForms.test(text);
}

/** An address in SQL as it is compared there, where accents and domains stay as they are stored; with its values. */
export function addressInSql(column: string) {
  return { sql: `lowerUTF8(replaceRegexpAll(${column}, {outer}, ''))`, values: { outer: '^\\s+|\\s+$' } };
}

function partsOf(address: string): readonly [local: string, domain: string] {
  const at = address.lastIndexOf('@');
  return at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at + 1)];
}
