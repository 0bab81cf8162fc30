import type { SecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import { usageError } from '../errors.ts';
import type { ProxyRoute } from './choose-proxy.ts';
import type { Base } from './parse-base.ts';

/** The parts of undici that are used; the build puts a trimmed copy in its place. */
export type Undici = Pick<typeof import('undici'), 'Pool' | 'EnvHttpProxyAgent'>;

export type DispatcherSettings = {
  readonly base: Base;
  readonly proxy: ProxyRoute | undefined;
  /** PEM texts that are trusted beside the certificates that Node carries. */
  readonly authorities: readonly string[];
  readonly loadUndici: () => Promise<Undici>;
};

const CONNECT_MILLISECONDS = 10_000;

/** Our own deadline ends requests, so undici's limits of 300 seconds are switched off. */
const NO_LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/** Loads undici and opens a pool, or an agent for a proxy. Throws a usage error for a certificate it cannot read. */
export async function openDispatcher(settings: DispatcherSettings): Promise<Dispatcher> {
  const { base, proxy } = settings;
  const trust = await readTrust(settings.authorities);
  const connect = { timeout: CONNECT_MILLISECONDS, ...trust };
  const undici = await settings.loadUndici();
  if (proxy === undefined) return new undici.Pool(base.origin, { ...NO_LIMITS, connect });
  return new undici.EnvHttpProxyAgent({
    ...NO_LIMITS,
    httpProxy: proxy.origin,
    httpsProxy: proxy.origin,
    // Whether the proxy applies was decided before; empty keeps undici from reading the environment.
    noProxy: '',
    requestTls: connect,
    proxyTls: connect,
    ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
  });
}

type Trust = { readonly secureContext?: SecureContext; readonly ca?: string[] };

/** What is trusted beside the certificates that Node carries. */
async function readTrust(authorities: readonly string[]): Promise<Trust> {
  if (authorities.length === 0) return {};
  const [tls, { X509Certificate }] = await Promise.all([import('node:tls'), import('node:crypto')]);
  for (const text of authorities) {
    // Such files hold remarks too, before, between and behind what counts.
    const certificates = text
      .split(/(?<=-----END [A-Z ]+-----)/)
      .filter((part) => part.includes('-----BEGIN'));
    try {
      if (certificates.length === 0) throw new Error('it holds no certificate');
      // TLS skips what it cannot read without a word.
      for (const certificate of certificates) new X509Certificate(certificate);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw usageError(
        `the certificate file cannot be read: ${reason}`,
        'give --ca-file or NODE_EXTRA_CA_CERTS a file in PEM form',
      );
    }
  }
  return addToTrust(tls, authorities);
}

/**
 * `ca` replaces the certificates that Node carries, and to name all of them again beside ours takes as long as the rest
 * of a command. A context that has them can be given more, by a method of every version of Node that no document names;
 * where it should be missing, `ca` is the way.
 */
function addToTrust(tls: typeof import('node:tls'), authorities: readonly string[]): Trust {
  const secureContext = tls.createSecureContext();
  const { context } = secureContext;
  if (canAdd(context)) {
    for (const text of authorities) context.addCACert(text);
    return { secureContext };
  }
  // Newer versions of Node tell all that they trust, NODE_EXTRA_CA_CERTS included; older ones only what they carry.
  const known =
    'getCACertificates' in tls && typeof tls.getCACertificates === 'function'
      ? tls.getCACertificates()
      : undefined;
  return { ca: [...(known ?? tls.rootCertificates), ...authorities] };
}

function canAdd(context: unknown): context is { addCACert(text: string): void } {
  return (
    typeof context === 'object' &&
    context !== null &&
    'addCACert' in context &&
    typeof context.addCACert === 'function'
  );
}
