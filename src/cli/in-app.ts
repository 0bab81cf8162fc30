import { usageError } from '../errors.ts';
import { isLoopback } from '../settings/stored-project.ts';
import type { Option } from './command/options.ts';
import type { Context } from './context.ts';

export const webOption = {
  type: 'flag',
  needsRows: true,
  description: 'Also open its page in the browser',
} as const satisfies Option;

/** Says where a page of the app is: its path below that of the project, undefined for one that cannot be named. */
export type TellPage = (page: string | undefined) => Promise<void>;

/**
 * How to tell where somebody goes on in the app: at a terminal, or in a browser with `--web`. A service on this computer
 * has no app to show, and `@current` may be another project there. Throws a usage error if a page cannot be opened.
 */
export async function pagesInApp(web: boolean | undefined, context: Context): Promise<TellPage> {
  const { host, project } = await context.settings();
  if (isLoopback(new URL(host.address).hostname)) {
    if (web) throw usageError(`${host.address} has no web app to open`, 'leave out --web');
    return async () => {};
  }
  if (!/^\d+$/.test(project.id)) {
    if (web) throw usageError('--web needs the id of the project', 'give it with --project');
    return async () => {};
  }
  return async (page) => {
    const address = `${host.address}/project/${project.id}/${page}`;
    if (page === undefined) {
      if (web) context.warn('warning: the answer does not say which page shows it in the app');
    } else if (web) await open(address, context);
    else if (context.output.format().width !== undefined) context.note(`In the app: ${address}`);
  };
}

async function open(address: string, context: Context): Promise<void> {
  try {
    const { code } = await context.system.runProgram(openerOf(context.system.platform, address));
    if (code === 0) return context.note(`Opened ${address}`);
  } catch (failure) {
    if (context.signal.aborted) throw failure;
  }
  context.warn(`warning: cannot open a browser; the page is ${address}`);
}

function openerOf(platform: string, address: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', address];
  // `start` is a word of the shell, which would read the address.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler', address] : ['xdg-open', address];
}
