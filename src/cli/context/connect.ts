import { usageError } from '../../errors.ts';
import type { Client, ClientCertificate, ClientSettings } from '../../http/client.ts';
import { inMilliseconds } from '../../semantics/calendar.ts';
import type { Dialect } from '../../service/endpoint.ts';
import { collectText } from '../../system/bounded-text.ts';
import { readFileChunks, readWholeFile, regularFileFault } from '../../system/files.ts';
import { startProgress } from '../../system/output.ts';
import type { Environment, System } from '../../system/system.ts';
import type { Call } from '../command/command.ts';
import type { GlobalOptions } from '../command/options.ts';

type Connection = Call & {
  /** Told before each request that may change something. */
  onChange(): void;
  /** Breaks off what is in flight. */
  readonly signal: AbortSignal;
};

/** What is needed to reach one project. */
export type Target = {
  readonly project: { readonly id: string };
  readonly host: { readonly address: string };
  /** A function is asked at each request. */
  readonly key: string | (() => Promise<string>);
  readonly dialect: Dialect;
};

/** A client for one project, with the network settings of this call. */
export async function connect(
  target: Target,
  { system, options, stderr, signal, onChange }: Connection,
): Promise<Client> {
  const { createClient } = await import('../../http/create-client.ts');
  const { environment, wait, random, now } = system;
  return createClient({
    base: target.host.address,
    projectId: target.project.id,
    key: target.key,
    dialect: target.dialect,
    environment,
    timeout: options.timeout === undefined ? undefined : inMilliseconds(options.timeout),
    retries: options.retries,
    ...(await readCertificates({ address: target.host.address, options, system })),
    largestAnswer: options.maxAnswer === undefined ? undefined : options.maxAnswer * 1_000_000,
    wait,
    random,
    now,
    note: stderr.note,
    warn: stderr.warn,
    onChange,
    progress: ({ amidRows }) =>
      startProgress(
        { label: 'rows read', waiting: 'waiting for the query', amidRows },
        { system, options, stderr },
      ),
    longestWait: options.waitTimeout === undefined ? undefined : inMilliseconds(options.waitTimeout),
    debug: options.debug ? stderr.warn : undefined,
    signal,
    waitSignal: system.signal,
    redact: stderr.redact,
  });
}

type Naming = {
  readonly address: string;
  readonly options: Pick<GlobalOptions, 'caFile' | 'clientCert' | 'clientKey'>;
  readonly system: Pick<System, 'environment' | 'signal'>;
};

/** What is trusted and shown, from the files that options and environment name. Throws a usage error for what cannot be read. */
async function readCertificates({
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
