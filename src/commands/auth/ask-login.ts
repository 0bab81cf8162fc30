import type { OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import type { loginOptions } from './login-options.ts';

/** The project as it will be stored, asked for where options leave something open. Throws a usage error for what cannot be. */
export async function prepareLogin(input: OptionsInput<typeof loginOptions>, context: Context) {
  if (context.dryRun) throw usageError('--dry-run has nothing to show: login changes this computer only');
  const host = context.options.host ?? (await askFor('Host (us, eu or an address): ', '--host', context));
  const id = context.options.project ?? (await askFor('Project id: ', '--project', context));
  const { place, warnings } = context
    .projects()
    .checkPlace({ name: input.name ?? `project-${id}`, host, id });
  // Nobody types a key in vain, or before it is said where it will go.
  for (const warning of warnings) context.warn(`warning: ${warning}`);
  return context.projects().prepare({
    ...place,
    ...(await readKey(input, context)),
    protected: input.protected ?? isProtected(place.name, context),
    dialect: input.dialect,
  }).project;
}

/** A new key does not take protection away. */
function isProtected(name: string, context: Context): boolean {
  return context
    .projects()
    .list()
    .projects.some((stored) => stored.name === name && stored.protected);
}

/** Asks for what an option would have said. Throws a usage error that names the option where nobody can be asked. */
async function askFor(text: string, option: string, context: Context): Promise<string> {
  if (!context.interactive) throw usageError(`${option} is missing`, 'there is no terminal to ask at');
  return context.ask({ text });
}

/** The key and where it came from, for messages. */
async function readKey({ keyStdin }: { readonly keyStdin?: boolean | undefined }, context: Context) {
  if (keyStdin) return { key: await readAll(context.readInput('-')), keySource: 'standard input' };
  const fromEnvironment = context.environment.HOGCTL_API_KEY;
  if (fromEnvironment) return { key: fromEnvironment, keySource: 'HOGCTL_API_KEY' };
  if (!context.interactive)
    throw usageError('a key is missing', 'pipe it in with --key-stdin, or set HOGCTL_API_KEY');
  return {
    key: await context.ask({ text: 'Personal API key (not shown): ', secret: true }),
    keySource: 'the prompt',
  };
}

/** More than any key; a whole file piped in by mistake is not read to its end. */
const LONGEST_KEY = 10_000;

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_KEY) throw usageError('standard input is too long to be a key');
  }
  return text;
}
