import { X509Certificate } from 'node:crypto';
import tls, { type SecureContext } from 'node:tls';
import { usageError } from '../errors.ts';
import type { ClientCertificate } from './client.ts';

type Trust = { readonly secureContext?: SecureContext; readonly ca?: string[] };

/** What is trusted beside the certificates that Node carries, and what is shown. Throws a usage error for what cannot be read. */
export function readTrust(
  authorities: readonly string[],
  certificate: ClientCertificate | undefined,
): Trust & Partial<ClientCertificate> {
  for (const text of authorities) {
    // Such files hold remarks too, before, between and behind what counts.
    const certificates = text
      .split(/(?<=-----END [A-Z ]+-----)/)
      .filter((part) => part.includes('-----BEGIN'));
    try {
      if (certificates.length === 0) throw new Error('it contains no certificate');
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
  if (certificate !== undefined) checkCertificate(certificate);
  if (authorities.length === 0) return { ...certificate };
  return addToTrust(authorities, certificate);
}

function checkCertificate(certificate: ClientCertificate): void {
  try {
    tls.createSecureContext(certificate);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^error:.*:/, '') : String(cause);
    throw usageError(
      `the client certificate cannot be used: ${reason}`,
      'give --client-cert a certificate and --client-key its key, both in PEM form and without a password',
    );
  }
}

/**
 * `ca` replaces the certificates that Node carries, and to name all of them again beside ours takes as long as the rest
 * of a command. A context that has them can be given more, by a method of every version of Node that no document names;
 * if it should be missing, `ca` is the way.
 */
function addToTrust(
  authorities: readonly string[],
  certificate: ClientCertificate | undefined,
): Trust & Partial<ClientCertificate> {
  const secureContext = tls.createSecureContext(certificate);
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
  return { ca: [...(known ?? tls.rootCertificates), ...authorities], ...certificate };
}

function canAdd(context: unknown): context is { addCACert(text: string): void } {
  return (
    typeof context === 'object' &&
    context !== null &&
    'addCACert' in context &&
    typeof context.addCACert === 'function'
  );
}
