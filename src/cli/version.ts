import about from '../../package.json' with { type: 'json' };
import { CliError } from '../errors.ts';
import { asObject, type Json, type JsonObject } from '../json/kinds.ts';
import { inMilliseconds } from '../semantics/calendar.ts';
import type { ProgramOutput } from '../system/system.ts';
import type { Context } from './context.ts';

export const VERSION: string = about.version;

/** Whether a version can have been published: without a repository `npm publish` stops, and the name is anybody's. */
export const IS_RELEASED = 'repository' in about;

const VERSION_TEXT = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;

/** Shows what runs and what is the newest. Throws `check` if that is newer, and what `askNewest` throws. */
export async function checkVersion(running: JsonObject, context: Context): Promise<void> {
  const newest = await askNewest(context);
  await context.print({ ...running, newest });
  if (!isNewer(newest, VERSION)) return context.note('No newer version has been published.');
  throw new CliError('check', `hogctl ${newest} is available, this is ${VERSION}`, {
    hint: 'install it as you installed this one, such as with npm install --global hogctl',
  });
}

/** The newest version that npm on this computer knows of. Throws `unavailable` if npm is missing or fails. */
async function askNewest(context: Context): Promise<string> {
  const ended = await runNpm(context);
  const answer = readJson(ended.output);
  const { code } = asObject(asObject(answer)?.error) ?? {};
  if (code === 'E404') throw new CliError('not-found', 'hogctl was not found in the npm registry', { code });
  if (ended.code === 0 && typeof answer === 'string' && VERSION_TEXT.test(answer)) return answer;
  const said = typeof code === 'string' ? ` (it ended with ${code})` : '';
  throw new CliError('unavailable', 'npm did not report the newest version', {
    hint: `run npm view hogctl version to see why${said}`,
    code: typeof code === 'string' ? code : undefined,
  });
}

async function runNpm(context: Context): Promise<ProgramOutput> {
  const words = ['npm', 'view', 'hogctl', 'version', '--json'] as const;
  try {
    return await context.system.runProgram(words, npmOptions(context));
  } catch (cause) {
    if (context.signal.aborted) throw cause;
    throw new CliError('unavailable', 'cannot run npm, so the newest version is not known', {
      hint: 'install npm, which comes with Node, and add it to PATH',
      cause,
    });
  }
}

/** Our own options in npm's words. */
function npmOptions({ options }: Context): Readonly<Record<string, string>> {
  const { timeout, retries = 0, caFile } = options;
  return {
    npm_config_update_notifier: 'false',
    npm_config_fetch_timeout: String(Math.ceil(timeout === undefined ? 60_000 : inMilliseconds(timeout))),
    npm_config_fetch_retries: String(retries),
    ...(caFile === undefined ? {} : { npm_config_cafile: caFile }),
  };
}

function readJson(text: string): Json | undefined {
  try {
    // Not by way of json/text.ts, which would be loaded wherever the version is known.
    return JSON.parse(text);
  } catch {
    // What is no JSON is no answer.
    return undefined;
  }
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
