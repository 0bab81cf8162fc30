type Described = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Headers that curl sets itself, and the one that holds the key. */
const OMITTED = ['authorization', 'user-agent', 'accept-encoding'];

/** The same request as a command for a POSIX shell. The key is read from the environment and never written out. */
export function curlText({ method, url, headers }: Described, body: string | undefined): string {
  const shown = Object.entries(headers).filter(([name]) => !OMITTED.includes(name));
  return [
    method === 'HEAD' ? 'curl --head' : `curl --request ${method}`,
    // Brackets and braces in an address are no patterns.
    '--globoff',
    '--header "Authorization: Bearer $HOGCTL_API_KEY"',
    ...shown.map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
    quoted(url),
  ].join(' \\\n  ');
}

/** In single quotes nothing but the quote itself means anything to a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
