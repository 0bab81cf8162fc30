import { posix, win32 } from 'node:path';

/** Environment variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Places = {
  /** The variable that names it. */
  readonly own: string;
  readonly xdg: string;
  readonly linux: string;
  readonly darwin: string;
  readonly windows: { readonly variable: string; readonly home: string; readonly leaf: string };
};

const ROAMING = { variable: 'APPDATA', home: 'AppData\\Roaming' };
const LOCAL = { variable: 'LOCALAPPDATA', home: 'AppData\\Local' };

/** The directory of stored projects; undefined if the environment names neither one nor a home. */
export const configDirectory = directoryIn({
  own: 'HOGCTL_CONFIG_DIR',
  xdg: 'XDG_CONFIG_HOME',
  linux: '.config/hogctl',
  darwin: 'Library/Preferences/hogctl',
  windows: { ...ROAMING, leaf: 'hogctl\\Config' },
});

/** The directory for the runs of deletions. */
export const stateDirectory = directoryIn({
  own: 'HOGCTL_STATE_DIR',
  xdg: 'XDG_STATE_HOME',
  linux: '.local/state/hogctl',
  darwin: 'Library/Application Support/hogctl/State',
  windows: { ...LOCAL, leaf: 'hogctl\\State' },
});

/** The directory for what can be lost. */
export const cacheDirectory = directoryIn({
  own: 'HOGCTL_CACHE_DIR',
  xdg: 'XDG_CACHE_HOME',
  linux: '.cache/hogctl',
  darwin: 'Library/Caches/hogctl',
  windows: { ...LOCAL, leaf: 'hogctl\\Cache' },
});

function directoryIn({ own, xdg, linux, darwin, windows }: Places) {
  return (environment: Environment, platform: string): string | undefined => {
    const named = environment[own];
    if (named) return named;
    if (platform === 'win32') {
      const { [windows.variable]: root, USERPROFILE: home } = environment;
      if (root) return win32.join(root, windows.leaf);
      return home ? win32.join(home, windows.home, windows.leaf) : undefined;
    }
    const { [xdg]: root, HOME: home } = environment;
    // The XDG specification says to ignore relative paths: they would move with the working directory.
    if (root && posix.isAbsolute(root)) return posix.join(root, 'hogctl');
    return home ? posix.join(home, platform === 'darwin' ? darwin : linux) : undefined;
  };
}
