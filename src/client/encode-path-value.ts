import { usageError } from '../errors.ts';

/**
 * One path segment, percent-encoded. Throws a usage error for a value that could reach another route: empty, `.`,
 * `..`, or with `/ ? # \` or a control character, encoded or not (proxies decode once more than they should).
 */
export function encodePathValue(name: string, value: string): string {
  const decoded = decodeFully(value);
  const leaves =
    decoded.trim() === '' || decoded === '.' || decoded === '..' || /[/?#\\\x00-\x1f\x7f-\x9f]/.test(decoded);
  if (leaves) {
    throw usageError(
      `${name} ${JSON.stringify(value)} cannot stand in an address`,
      'an id is neither empty nor a dot or two, and holds no / ? # \\ or control character',
    );
  }
  return encodeText(name, value);
}

/** Percent-encodes all but letters, digits and `-_.!~*'()`. Throws a usage error for half a surrogate pair. */
export function encodeText(name: string, value: string): string {
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw usageError(
      `${name} is not well-formed text: ${JSON.stringify(value)}`,
      `it holds half a character (${String(cause)})`,
    );
  }
}

/** Undoes percent-encoding of ASCII until nothing changes: `%252F` is a slash to somebody who decodes twice. */
export function decodeFully(value: string): string {
  let text = value;
  for (;;) {
    const decoded = text.replace(/%([0-7][\dA-Fa-f])/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (decoded === text) return text;
    text = decoded;
  }
}
