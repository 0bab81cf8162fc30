import about from '../../package.json' with { type: 'json' };
import { CliError } from '../errors.ts';
import { inMilliseconds } from '../service/calendar.ts';
import { findKeyVariables } from '../settings/keys.ts';
import type { Captured } from '../system/system.ts';
import type { Context } from './context.ts';

export const VERSION: string = about.version;

const VERSION_TEXT = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;

/** The newest version that npm on this computer knows of. Throws `unavailable` where npm is missing or fails. */
export async function askNewest(context: Context): Promise<string> {
  const captured = await runNpm(context);
  const answer = readJson(captured.stdout);
  const code = codeOf(answer);
  if (code === 'E404') throw new CliError('not-found', 'the registry of npm does not know hogctl', { code });
  if (captured.code === 0 && typeof answer === 'string' && VERSION_TEXT.test(answer)) return answer;
  throw new CliError('unavailable', 'npm does not tell the newest version', {
    hint: `see what it says itself: npm view hogctl version${code === undefined ? '' : ` (it ended with ${code})`}`,
    code,
  });
}

async function runNpm(context: Context): Promise<Captured> {
  const words = ['npm', 'view', 'hogctl', 'version', '--json'] as const;
  // On Windows npm is a script of its shell.
  const command = context.platform === 'win32' ? (['cmd', '/d', '/c', ...words] as const) : words;
  try {
    return await context.capture(command, environmentOf(context));
  } catch (cause) {
    if (context.signal.aborted) throw cause;
    throw new CliError('unavailable', 'npm cannot be run, so the newest version is not known', {
      hint: 'npm comes with Node; it has to be on the PATH',
      cause,
    });
  }
}

/** Our own options in npm's words, and no key: it has no use for one. */
function environmentOf({ options, environment }: Context): Readonly<Record<string, string>> {
  const { timeout, retries = 0, caFile } = options;
  return {
    ...Object.fromEntries(findKeyVariables(environment, []).map((name) => [name, ''])),
    npm_config_update_notifier: 'false',
    npm_config_fetch_timeout: String(Math.ceil(timeout === undefined ? 60_000 : inMilliseconds(timeout))),
    npm_config_fetch_retries: String(retries),
    ...(caFile === undefined ? {} : { npm_config_cafile: caFile }),
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is no answer.
    return undefined;
  }
}

function codeOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return undefined;
  const { error } = answer;
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether a published version comes after the running one. The numbers decide; a version that is finished comes after its previews. */
export function isNewer(published: string, running: string): boolean {
  const [one, other] = [partsOf(published), partsOf(running)];
  const differing = one.numbers.findIndex((number, at) => number !== other.numbers[at]);
  if (differing >= 0) return (one.numbers[differing] ?? 0) > (other.numbers[differing] ?? 0);
  return one.preview === undefined && other.preview !== undefined;
}

function partsOf(version: string): {
  readonly numbers: readonly number[];
  readonly preview: string | undefined;
} {
  const [numbers = '', preview] = version.replace(/\+.*/s, '').split(/-(.*)/s);
  return { numbers: numbers.split('.').map(Number), preview };
}
