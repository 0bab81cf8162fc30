import type { Answer, Attempt } from './exchange.ts';

/** One line per request for `--debug`: no key, no body, and of the query only the names. */
export function traceLine(
  sent: { readonly method: string; readonly target: string; readonly body: string | undefined },
  attempt: Attempt,
  milliseconds: number,
): string {
  const size = sent.body === undefined ? '' : ` (${Buffer.byteLength(sent.body)} bytes)`;
  const result = 'answer' in attempt ? describe(attempt.answer) : `no answer: ${attempt.loss.reason}`;
  return `${sent.method} ${maskQuery(sent.target)}${size} -> ${result}, ${Math.round(milliseconds)} ms`;
}

function describe({ status, headers, bytes }: Answer): string {
  return `${status} ${headers['content-type'] ?? '-'} ${bytes.length} bytes`;
}

/** Path segments stay, except those that could name a person; values of the query never do. */
function maskQuery(target: string): string {
  const [path = '', query] = target.split(/\?(.*)/s);
  const masked = path.replace(/(\/persons\/)([^/]+)(?=\/)/, (whole, lead: string, id: string) =>
    /^\d|^[0-9a-f]{8}-/i.test(id) ? `${lead}***` : whole,
  );
  if (query === undefined) return masked;
  const names = query.split('&').map((part) => `${part.split('=')[0]}=***`);
  return `${masked}?${names.join('&')}`;
}
