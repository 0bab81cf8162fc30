import { usageError } from '../errors.ts';

/** White space and quotes around a pasted or mounted key, typographic quotes included. */
const edges = /^[\s"'`\u201c\u201d\u2018\u2019]+|[\s"'`\u201c\u201d\u2018\u2019]+$/g;

/**
 * A key without the white space and quotes around it; `undefined` when nothing is left.
 * Throws a usage error, which never shows the key, for what cannot be a personal API key.
 * `source` says where it came from, such as `HOGCTL_API_KEY`.
 */
export function cleanKey(text: string, source: string): string | undefined {
  const key = text.replace(edges, '');
  if (key === '') {
    return undefined;
  }
  const fault = findFault(key);
  if (fault !== undefined) {
    throw usageError(`the key from ${source} ${fault.what}`, fault.hint);
  }
  return key;
}

type Fault = { readonly what: string; readonly hint: string };

const again = 'copy the whole personal API key, which begins with phx_, once more';

function findFault(key: string): Fault | undefined {
  if (/[\r\n\u2028\u2029]/.test(key)) {
    return { what: 'holds a line break', hint: again };
  }
  if (/[\x00-\x1f\x7f]/.test(key)) {
    return { what: 'holds a control character', hint: again };
  }
  if (/[^\x00-\x7f]/.test(key)) {
    return { what: 'holds a character that is not ASCII', hint: again };
  }
  if (key.toLowerCase().startsWith('bearer ')) {
    return { what: 'begins with the word Bearer', hint: 'leave that word out, it is added for you' };
  }
  if (key.includes(' ')) {
    return { what: 'holds a space', hint: again };
  }
  return findWrongKind(key.toLowerCase());
}

function findWrongKind(key: string): Fault | undefined {
  const hint = 'create a personal API key, which begins with phx_, in the account settings of the service';
  if (key.startsWith('phc_')) {
    return { what: 'is a public project token (phc_), which can only send events', hint };
  }
  if (key.startsWith('phs_')) {
    return { what: 'is a project secret key (phs_), which persons and insights do not accept', hint };
  }
  return undefined;
}
