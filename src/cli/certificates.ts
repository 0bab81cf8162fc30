import { usageError } from '../errors.ts';
import type { ClientCertificate, ClientSettings } from '../http/client.ts';
import { collectText } from '../system/bounded-text.ts';
import { readFileChunks, readWholeFile, regularFileFault } from '../system/files.ts';
import type { Environment, System } from '../system/system.ts';
import type { GlobalOptions } from './command/options.ts';

type Naming = {
  readonly address: string;
  readonly options: Pick<GlobalOptions, 'caFile' | 'clientCert' | 'clientKey'>;
  readonly system: Pick<System, 'environment' | 'signal'>;
};

/** What is trusted and shown, from the files that options and environment name. Throws a usage error for what cannot be read. */
export async function readCertificates({
  address,
  options,
  system: { environment, signal },
}: Naming): Promise<Pick<ClientSettings, 'ca' | 'untrusted' | 'certificate'>> {
  const extra = environment.NODE_EXTRA_CA_CERTS;
  return {
    ca: await readAuthorities(options.caFile, extra, signal),
    untrusted: () => faultOfExtra(extra),
    certificate: readCertificate(address, options, environment),
  };
}

/** Naming authorities switches off what Node adds by itself, so its own extra file is named again beside ours. */
async function readAuthorities(
  file: string | undefined,
  extra: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (file === undefined) return undefined;
  // It may be a pipe, such as of <(vault read …).
  const text = (await collectText(file, readFileChunks(file, signal))).toString('utf8');
  return [text, ...(extra ? [readWholeFile(extra)] : [])];
}

/** Node only warns of a file that it cannot read, and goes on without it. */
function faultOfExtra(extra: string | undefined): string | undefined {
  const fault = extra ? regularFileFault(extra) : undefined;
  return fault === undefined ? undefined : `NODE_EXTRA_CA_CERTS names ${extra}, but ${fault}`;
}

/** The certificate of this side; the key may stand in the same file. Throws a usage error if it would not be shown. */
function readCertificate(
  address: string,
  { clientCert, clientKey }: Naming['options'],
  { HOGCTL_CLIENT_CERT, HOGCTL_CLIENT_KEY }: Environment,
): ClientCertificate | undefined {
  const isSecure = /^https:/i.test(address);
  const given = clientCert ?? clientKey;
  if (given !== undefined && !isSecure)
    throw usageError('a client certificate can only be used with https', 'give the host with https://');
  const cert = clientCert ?? (HOGCTL_CLIENT_CERT || undefined);
  const key = clientKey ?? (clientCert === undefined ? HOGCTL_CLIENT_KEY || undefined : undefined) ?? cert;
  if (!isSecure || key === undefined) return undefined;
  if (cert === undefined)
    throw usageError(
      'a client key was given without a client certificate',
      'give the certificate with --client-cert or HOGCTL_CLIENT_CERT',
    );
  return { cert: readWholeFile(cert), key: readWholeFile(key) };
}
