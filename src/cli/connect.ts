import type { Dialect } from '../api/endpoint.ts';
import type { Client } from '../client/client.ts';
import { readWholeFile } from '../system/files.ts';
import type { System } from '../system/system.ts';
import type { GlobalOptions } from './command/options.ts';
import type { Talk } from './talk.ts';

export type Connection = {
  readonly system: System;
  readonly options: GlobalOptions;
  readonly talk: Talk;
  /** Breaks off what is in flight. */
  readonly signal: AbortSignal;
};

/** What is needed to reach one project. */
export type Target = {
  readonly project: { readonly id: string };
  readonly host: { readonly address: string };
  readonly key: string;
  readonly dialect: Dialect;
};

/** A client for one project, with the network settings of this call. */
export async function connect(
  target: Target,
  { system, options, talk, signal }: Connection,
): Promise<Client> {
  const { createClient } = await import('../client/create-client.ts');
  const { environment, wait, random, now } = system;
  return createClient({
    base: target.host.address,
    projectId: target.project.id,
    key: target.key,
    dialect: target.dialect,
    proxy: environment,
    ca: readAuthorities(options.caFile, environment.NODE_EXTRA_CA_CERTS),
    timeout: options.timeout === undefined ? undefined : options.timeout * 1000,
    retries: options.retries,
    wait,
    random,
    now,
    note: talk.note,
    debug: options.debug ? talk.warn : undefined,
    signal,
    waitSignal: system.signal,
    redact: talk.redact,
  });
}

/** Naming authorities switches off what Node adds by itself, so its own extra file is named again beside ours. */
function readAuthorities(file: string | undefined, extra: string | undefined): readonly string[] | undefined {
  if (file === undefined) return undefined;
  return [file, ...(extra ? [extra] : [])].map(readWholeFile);
}
