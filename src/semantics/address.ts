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

/** Whether a text can be written in another way that means the same: it has accents, or an encoded domain. */
export function hasForms(text: string): boolean {
  return /[^\x00-\x7f]|xn--/i.test(text);
}

function partsOf(address: string): readonly [local: string, domain: string] {
  const at = address.lastIndexOf('@');
  return at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at + 1)];
}
