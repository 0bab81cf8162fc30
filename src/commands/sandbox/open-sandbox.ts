import { join } from 'node:path';
import type { Options, OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { inMilliseconds } from '../../semantics/calendar.ts';
import {
  makeTemporaryDirectory,
  namesIn,
  removeDirectory,
  removeTemporaryDirectory,
  writeProgram,
} from '../../system/files.ts';
import type { Environment } from '../../system/system.ts';
import { quoteForShell } from '../../system/text.ts';

/** Starts a sandbox as the options say. Throws a usage error for options that exclude each other. */
export async function openSandbox(
  input: OptionsInput<typeof sandboxOptions> & { readonly port?: number | undefined },
  { files, running }: Pick<Context, 'files' | 'running'>,
) {
  if (input.data !== undefined && input.empty) {
    throw usageError('--data and --empty cannot be used together', 'give one of them');
  }
  const { startSandbox } = await import('../../sandbox/start-sandbox.ts');
  return startSandbox({
    ...input,
    outageFor: input.outageFor && inMilliseconds(input.outageFor),
    elapsed: running,
    dialect: input.dialect ?? 'specification',
    now: input.now,
    data: input.data ?? (input.empty ? 'empty' : undefined),
    file: input.file,
    readOwn: files.readOwn,
    port: input.port,
  });
}

/** What a command needs in its environment to reach the sandbox with its first key. */
export function sandboxEnvironment(
  sandbox: Awaited<ReturnType<typeof openSandbox>>,
  dialect: string | undefined,
) {
  return {
    HOGCTL_HOST: sandbox.origin,
    HOGCTL_PROJECT: sandbox.projectId,
    HOGCTL_API_KEY: sandbox.keys[0]?.key ?? '',
    HOGCTL_DIALECT: dialect ?? 'specification',
    POSTHOG_PROJECT_TOKEN: sandbox.token,
  };
}

/** Runs a command with runs of its own, and with this program as `hogctl`. */
export function inRehearsal(
  context: Context,
  work: (added: Environment) => Promise<number>,
): Promise<number> {
  return withOwnState(context, (state) =>
    withThisProgram(context.system, (path) => work({ ...state, ...path })),
  );
}

/** Keeps the runs of a rehearsal apart from real ones, unless HOGCTL_STATE_DIR names a place, and says where they are. */
async function withOwnState(
  { system: { environment }, note }: Pick<Context, 'system' | 'note'>,
  work: (state: { readonly HOGCTL_STATE_DIR?: string }) => Promise<number>,
): Promise<number> {
  if (environment.HOGCTL_STATE_DIR !== undefined) return work({});
  const directory = makeTemporaryDirectory('hogctl-rehearsal-');
  try {
    return await work({ HOGCTL_STATE_DIR: directory });
  } finally {
    if (namesIn(directory).length === 0) removeDirectory(directory);
    else note(`Runs on this sandbox are kept in ${directory}; set HOGCTL_STATE_DIR to change that.`);
  }
}

/** Lets shells and scripts find this very program as `hogctl`, whatever is installed. */
async function withThisProgram(
  { environment, platform, self }: Context['system'],
  work: (path: Environment) => Promise<number>,
): Promise<number> {
  const isWindows = platform === 'win32';
  const name = Object.keys(environment).find((one) => (isWindows ? /^path$/i : /^PATH$/).test(one));
  if (name === undefined) return work({});
  const folder = makeTemporaryDirectory('hogctl-program-');
  try {
    const [file, text] = isWindows
      ? ['hogctl.cmd', `@${self.map((word) => `"${word.replaceAll('%', '%%')}"`).join(' ')} %*\r\n`]
      : ['hogctl', `#!/bin/sh\nexec ${self.map(quoteForShell).join(' ')} "$@"\n`];
    writeProgram(join(folder, file), text);
    return await work({ [name]: `${folder}${isWindows ? ';' : ':'}${environment[name]}` });
  } finally {
    removeTemporaryDirectory(folder);
  }
}

/** How a sandbox begins; `start` and `exec` take the same. */
export const sandboxOptions = {
  data: {
    type: 'json',
    placeholder: '@file',
    description: 'Start with this data instead of the sample: JSON, @file or -',
  },
  empty: { type: 'flag', description: 'Start without people' },
  now: {
    type: 'time',
    description: 'Time of the sandbox clock, such as 2026-03-01T12:00:00Z',
  },
  file: { type: 'file', placeholder: 'file', description: 'Keep the data in this file' },
  dialect: { type: 'text', choices: ['specification', 'live'], description: 'Service to behave like' },
  scopes: { type: 'texts', placeholder: 'a,b', description: 'Scopes of the key, to rehearse 403 (all)' },
  expiredKey: { type: 'flag', description: 'Let the key be expired, to rehearse 401' },
  rateLimit: {
    type: 'text',
    placeholder: '10/m',
    description: 'Requests a second, minute or hour, to rehearse 429',
  },
  outageAfter: {
    type: 'integer',
    placeholder: 'n',
    minimum: 0,
    description: 'Be away after this many requests, to rehearse 503',
  },
  outageFor: {
    type: 'duration',
    unit: 'SECOND',
    minimum: 1,
    description: 'How long to be away, such as 30s',
  },
} as const satisfies Options;
