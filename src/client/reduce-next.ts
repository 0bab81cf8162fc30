import { CliError } from '../errors.ts';
import { decodeFully } from './encode-path-value.ts';
import type { Base } from './parse-base.ts';

export type Following = {
  readonly base: Base;
  /** Path and query that was asked for, the base's own path included. */
  readonly current: string;
  /** The link must stay under this path; undefined: on the very path that was asked for. */
  readonly within: string | undefined;
};

/**
 * A `next` link as path and query on the configured origin, whatever scheme and host it names: behind a proxy the
 * service builds it from an inner address, and the key goes to the configured origin only. Throws an `unavailable`
 * error for a link that is no address or leaves the project.
 */
export function reduceNext(link: string, following: Following): string {
  const { base, current, within } = following;
  const here = new URL(current, base.origin);
  const url = URL.canParse(link, here.href) ? new URL(link, here) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw refusal('the link to the next page is not an address');
  const path = withPrefix(url.pathname, base.prefix);
  const stays = within === undefined ? samePath(path, here.pathname) : isWithin(path, within);
  if (!stays) throw refusal('the link to the next page leaves the project');
  return `${path}${url.search}`;
}

/** A service behind a prefix may not know of it. */
function withPrefix(path: string, prefix: string): string {
  return prefix !== '' && path.startsWith('/api/') ? `${prefix}${path}` : path;
}

function samePath(path: string, current: string): boolean {
  return decodeFully(path) === decodeFully(current);
}

/** Compared decoded and segment by segment, so that no encoding of a dot or slash reaches another project. */
function isWithin(path: string, within: string): boolean {
  const root = decodeFully(within).split('/');
  const segments = path.split('/').map((segment) => decodeFully(segment));
  const hidden = segments.some((segment) => /^\.\.?$|[/\\?#\x00-\x1f\x7f]/.test(segment));
  return (
    !hidden && segments.length > root.length && root.every((segment, index) => segments[index] === segment)
  );
}

function refusal(message: string): CliError {
  return new CliError('unavailable', message, {
    hint: 'the service or a gateway before it builds wrong links: the list is not complete',
    outcome: 'not-done',
  });
}
