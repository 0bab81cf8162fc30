import type { Options, OptionsInput } from '../../cli/command/options.ts';
import { usageError } from '../../errors.ts';

/** Starts a sandbox as the options say. Throws a usage error for options that exclude each other. */
export async function openSandbox(
  input: OptionsInput<typeof sandboxOptions> & { readonly port?: number | undefined },
) {
  if (input.data !== undefined && input.empty) {
    throw usageError('--data and --empty exclude each other', 'give one of them');
  }
  const { startSandbox } = await import('../../sandbox/start-sandbox.ts');
  return startSandbox({
    dialect: input.dialect ?? 'specification',
    now: input.now,
    data: input.data ?? (input.empty ? 'empty' : undefined),
    file: input.file,
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
  };
}

/** How a sandbox begins; `start` and `exec` take the same. */
export const sandboxOptions = {
  data: {
    type: 'json',
    placeholder: '@file',
    description: 'Start from this data (JSON, @file or -) and not from the sample',
  },
  empty: { type: 'flag', description: 'Start without people' },
  now: {
    type: 'text',
    placeholder: 'ISO time',
    description: 'What the clock says, for example 2026-03-01T12:00:00Z',
  },
  file: { type: 'file', placeholder: 'file', description: 'Keep the data in this file' },
  dialect: { type: 'text', choices: ['specification', 'live'], description: 'Which service it behaves like' },
} as const satisfies Options;
