import { posix, win32 } from 'node:path';

/** Environment variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The directory that holds the stored projects: `HOGCTL_CONFIG_DIR`, else the place the platform keeps
 * settings in. `undefined` when the environment names neither a directory nor a home.
 */
export function configDirectory(environment: Environment, platform: string): string | undefined {
  return findDirectory({
    environment,
    platform,
    own: 'HOGCTL_CONFIG_DIR',
    xdg: 'XDG_CONFIG_HOME',
    linux: '.config/hogctl',
    darwin: 'Library/Preferences/hogctl',
    windows: { variable: 'APPDATA', home: 'AppData\\Roaming', leaf: 'hogctl\\Config' },
  });
}

/**
 * The directory that holds what a run leaves behind: `HOGCTL_STATE_DIR`, else the place the platform keeps
 * state in. `undefined` when the environment names neither a directory nor a home.
 */
export function stateDirectory(environment: Environment, platform: string): string | undefined {
  return findDirectory({
    environment,
    platform,
    own: 'HOGCTL_STATE_DIR',
    xdg: 'XDG_STATE_HOME',
    linux: '.local/state/hogctl',
    darwin: 'Library/Application Support/hogctl/State',
    windows: { variable: 'LOCALAPPDATA', home: 'AppData\\Local', leaf: 'hogctl\\State' },
  });
}

/**
 * The directory for what can be lost: `HOGCTL_CACHE_DIR`, else the place the platform keeps caches in. `undefined` when
 * the environment names neither a directory nor a home.
 */
export function cacheDirectory(environment: Environment, platform: string): string | undefined {
  return findDirectory({
    environment,
    platform,
    own: 'HOGCTL_CACHE_DIR',
    xdg: 'XDG_CACHE_HOME',
    linux: '.cache/hogctl',
    darwin: 'Library/Caches/hogctl',
    windows: { variable: 'LOCALAPPDATA', home: 'AppData\\Local', leaf: 'hogctl\\Cache' },
  });
}

type Places = {
  readonly environment: Environment;
  readonly platform: string;
  readonly own: string;
  readonly xdg: string;
  readonly linux: string;
  readonly darwin: string;
  readonly windows: { readonly variable: string; readonly home: string; readonly leaf: string };
};

function findDirectory(places: Places): string | undefined {
  const own = places.environment[places.own];
  if (own) {
    return own;
  }
  return places.platform === 'win32' ? windowsDirectory(places) : posixDirectory(places);
}

function windowsDirectory({ environment, windows }: Places): string | undefined {
  const root = environment[windows.variable];
  if (root) {
    return win32.join(root, windows.leaf);
  }
  const home = environment.USERPROFILE;
  return home ? win32.join(home, windows.home, windows.leaf) : undefined;
}

function posixDirectory({ environment, platform, xdg, linux, darwin }: Places): string | undefined {
  const root = environment[xdg];
  // The XDG specification says to ignore relative paths: they would move with the working directory.
  if (root && posix.isAbsolute(root)) {
    return posix.join(root, 'hogctl');
  }
  const home = environment.HOME;
  if (!home) {
    return undefined;
  }
  return posix.join(home, platform === 'darwin' ? darwin : linux);
}
