import { usageError } from '../errors.ts';
import type { LegalHold } from '../semantics/legal-hold.ts';
import type { Dialect } from '../service/endpoint.ts';

/** A key, or the command that prints it: exactly one of the two. */
export type KeySource =
  | { readonly key: string; readonly keyCommand?: undefined }
  | { readonly key?: undefined; readonly keyCommand: string };

/** A project and the key it was stored with: the key is sent to this host, for this project, only. */
export type StoredProject = KeySource & {
  readonly name: string;
  /** Address of the service as `normalizeHost` gives it. */
  readonly host: string;
  /** The service's numeric id, as digits. */
  readonly id: string;
  /** Destructive commands want the name typed. */
  readonly protected: boolean;
  readonly dialect?: Dialect;
  /** The label that the service has for the key. */
  readonly label?: string;
  /** Whom no deletion may be about. */
  readonly except?: LegalHold;
};

const longestName = 100;

/** What `--projects` takes in place of names. */
export const EVERY_PROJECT = 'all';

type Place = Pick<StoredProject, 'name' | 'host' | 'id'>;

/** Which project it is and where, in the form that is stored. Throws a usage error for what cannot be used. */
export function checkPlace(input: Place): Place {
  const name = checkProjectName(input.name);
  if (name === EVERY_PROJECT)
    throw usageError('a project cannot be called all, which means every project', 'give another --name');
  return { name, host: normalizeHost(input.host).address, id: checkProjectId(input.id) };
}

/** The name in the form it is stored and looked up in. Throws a usage error for one that cannot be used. */
export function checkProjectName(text: string): string {
  const name = text.trim().normalize('NFC');
  const fault = findNameFault(name);
  if (fault !== undefined) {
    throw usageError(`a project name ${fault}`, 'choose a short word such as shop or shop-eu');
  }
  return name;
}

function findNameFault(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  // Tab would wait for the tables of Unicode, which most names do not need.
  const isAscii = /^[ -~]*$/.test(name);
  // Invisible and direction-changing characters too: this name is typed to confirm a deletion.
  if (!isAscii && /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name))
    return 'must not contain control characters';
  if ((isAscii ? /^\d+$/ : /^\p{Nd}+$/u).test(name)) {
    return 'must not be all digits, since that would be an id';
  }
  if (/^[-@]/.test(name)) return 'must not begin with a hyphen or an @';
  return name.length > longestName ? `must not be longer than ${longestName} characters` : undefined;
}

/** Whether a text has the form of a project id rather than of a name. */
export function isProjectId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text);
}

function checkProjectId(text: string): string {
  const id = text.trim();
  if (isProjectId(id)) return id;
  throw usageError('a project id must be a whole number', 'find it in the URL of the app, after /project/');
}

/** White space and quotes around a pasted or mounted key, typographic quotes included. */
const edges =
  /^[\s"'`\u201c\u201d\u2018\u2019]+|(?<![\s"'`\u201c\u201d\u2018\u2019])[\s"'`\u201c\u201d\u2018\u2019]+$/g;

/**
 * A key without the white space and quotes around it; `undefined` when nothing is left.
 * Throws a usage error, which never shows the key, for what cannot be a personal API key.
 * `source` says where it came from, such as `HOGCTL_API_KEY`.
 */
export function cleanKey(text: string, source: string): string | undefined {
  const key = text.replace(edges, '');
  if (key === '') return undefined;
  const [, what, hint] = keyFaults.find(([pattern]) => pattern.test(key)) ?? [];
  if (what !== undefined) throw usageError(`the key from ${source} ${what}`, hint);
  return key;
}

/** The same for a key that must be there. */
export function requireKey(
  text: string,
  source: string,
  hint = 'give a personal API key, which begins with phx_',
): string {
  const key = cleanKey(text, source);
  if (key === undefined) throw usageError(`the key from ${source} is empty`, hint);
  return key;
}

const again = 'copy the whole personal API key again; it begins with phx_';

const another = 'create a personal API key, which begins with phx_, in the account settings of the service';

/** What no key looks like, in the order in which it is told. */
const keyFaults: readonly (readonly [pattern: RegExp, what: string, hint: string])[] = [
  [/[\r\n\u2028\u2029]/, 'contains a line break', again],
  [/[\x00-\x1f\x7f]/, 'contains a control character', again],
  [/[^\x00-\x7f]/, 'contains a character that is not ASCII', again],
  [/^bearer /i, 'begins with the word Bearer', 'leave that word out: it is added for you'],
  [/ /, 'contains a space', again],
  [/^phc_/i, 'is a public project token (phc_), which can only send events', another],
  [/^phs_/i, 'is a project secret key (phs_), which persons and insights do not accept', another],
];

/** Where the service is: origin and base path without a trailing slash, such as `https://us.posthog.com`. */
export type Host = { readonly address: string };

const cloudNames: ReadonlySet<string> = new Set(['us.posthog.com', 'eu.posthog.com', 'app.posthog.com']);

/** Path segments that follow `/api/` in addresses people copy from documentation or a trace. */
const apiRoots = /^(projects|environments|organizations|users|personal_api_keys)$/;

/**
 * The base address of the service from what somebody typed: `us`, `eu`, a host name with a dot or a port, a URL, or an
 * address copied from the app. Throws a usage error for what cannot be one; a password in it is never shown.
 */
export function normalizeHost(text: string): Host {
  const typed = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim();
  const full = /^(us|eu)$/i.test(typed) ? `https://${typed.toLowerCase()}.posthog.com` : addScheme(typed);
  const url = parse(full, typed);
  refuseWrongServer(url.hostname);
  // The old name of the US region: protection and legal holds belong to host and project.
  if (url.hostname === 'app.posthog.com') url.hostname = 'us.posthog.com';
  return { address: url.origin + cutPath(url) };
}

/** Whether an address, as `normalizeHost` gives it, is PostHog Cloud. */
export function isCloudHost(address: string): boolean {
  return cloudNames.has(new URL(address).hostname);
}

const forms = 'give us, eu or a URL such as https://posthog.example.com';

/** A name has 253 characters at most, and each message tells it. */
const LONGEST_HOST = 2000;

function addScheme(typed: string): string {
  if (typed.length > LONGEST_HOST)
    throw usageError(`the host is too long (${typed.length} characters)`, forms);
  if (typed === '') throw usageError('the host is empty', forms);
  if (/[\s\x00-\x1f\x7f\\]/.test(typed)) {
    throw usageError('the host contains a space, a backslash or a control character', forms);
  }
  const scheme = /^([a-z][a-z\d+.-]*):\/\//.exec(typed.toLowerCase())?.[1];
  if (scheme === undefined && isWord(typed))
    throw usageError(
      `"${typed}" is neither us, eu nor the address of a host`,
      `${forms}, or https://${typed}`,
    );
  if (scheme === undefined) return `https://${typed}`;
  if (scheme !== 'http' && scheme !== 'https') {
    throw usageError(`the host has the scheme ${scheme}, but only http and https can be used`, forms);
  }
  return typed;
}

/** Whether it is more likely a slip than a host of one's own network. */
function isWord(typed: string): boolean {
  return /^[^.:/?#@[\]]+$/.test(typed) && typed.toLowerCase() !== 'localhost';
}

function parse(full: string, typed: string): URL {
  const rest = full.slice(full.indexOf('://') + 3);
  // Looked for in the text: the parser drops an empty user name, and a failed parse would show the password.
  if (/^[^/?#]*@/.test(rest)) {
    throw usageError('the host contains a user name or password', 'leave out everything up to the @');
  }
  // The parser would skip extra slashes and take `https:/name` for a host called https.
  if (/^(\/|https?:(\/|$))/.test(rest.toLowerCase()) || !URL.canParse(full)) {
    throw usageError(`"${typed}" is not a host`, forms);
  }
  const url = new URL(full);
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  if (/[?#]/.test(full)) {
    throw usageError(
      'the host contains a query or a fragment',
      `leave out everything from the ? or # on, as in ${url.origin + cutPath(url)}`,
    );
  }
  return url;
}

function refuseWrongServer(name: string): void {
  if (name === 'i.posthog.com' || name.endsWith('.i.posthog.com')) {
    const region = /^(us|eu)\b/.exec(name)?.[0];
    const right = region === undefined ? 'us.posthog.com or eu.posthog.com' : `${region}.posthog.com`;
    throw usageError(`${name} only receives events and has no API`, `use ${right}`);
  }
  if (name === 'posthog.com' || name === 'www.posthog.com') {
    throw usageError(`${name} is the website, not the service`, 'use us.posthog.com or eu.posthog.com');
  }
}

/** The path before the API or the app begins: `/ph/api` and `/ph/project/1/insights/abc` are `/ph`. */
function cutPath(url: URL): string {
  if (cloudNames.has(url.hostname)) return '';
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  const end = segments.findIndex((segment, index) => beginsApp(segment, segments[index + 1]));
  const kept = end === -1 ? segments : segments.slice(0, end);
  return kept.map((segment) => `/${segment}`).join('');
}

function beginsApp(segment: string, next: string | undefined): boolean {
  if (segment === 'api') return next === undefined || apiRoots.test(next);
  return segment === 'project' && next !== undefined && /^(\d+|@current)$/.test(next);
}

/**
 * What to warn about if an address is not encrypted and was asked for all the same. Throws a usage error if it was not:
 * everybody on the way could read the key.
 */
export function checkEncryption(address: string, insecure: boolean | undefined): string | undefined {
  const { protocol, hostname, origin } = new URL(address);
  if (protocol === 'https:' || isLoopback(hostname)) return undefined;
  const clear = `${origin} is not encrypted: the key and all data`;
  if (insecure) return `${clear} are sent in clear text`;
  throw usageError(`${clear} would be sent in clear text`, 'use https://, or add --insecure to allow it');
}

/** Whether a host is this computer. */
export function isLoopback(name: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(name);
}
