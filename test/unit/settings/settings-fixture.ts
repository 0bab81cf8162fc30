import { CliError } from '../../../src/errors.ts';
import type { StoredProjects } from '../../../src/settings/project-file.ts';
import { resolveSettings, type Settings } from '../../../src/settings/resolve-settings.ts';
import type { StoredProject } from '../../../src/settings/stored-project.ts';

export const us = 'https://us.posthog.com';
export const eu = 'https://eu.posthog.com';
export const own = 'https://posthog.example.com/ph';

function project(
  name: string,
  id: string,
  host: string,
  more: Partial<Extract<StoredProject, { key: string }>> = {},
): StoredProject {
  return { name, id, host, key: `phx_${name}_key`, protected: false, ...more };
}

const shop = project('shop', '1', us, { label: 'laptop' });
export const blog = project('blog', '2', us);
const shopEu = project('shop-eu', '1', eu, { protected: true });
const house = project('house', '3', own, { dialect: 'live' });
export const twin = project('twin', '2', us);

export const several: StoredProjects = {
  projects: [shop, blog, shopEu, house],
  default: 'shop',
  warnings: [],
};
export const noDefault: StoredProjects = { projects: [shop, blog], warnings: [] };
/** One project alone, which is still not the default. */
const onlyOne: StoredProjects = { projects: [blog], warnings: [] };
const lostDefault: StoredProjects = { ...noDefault, default: 'gone' };
const twins: StoredProjects = { projects: [blog, twin], default: 'blog', warnings: [] };
export const nothing: StoredProjects = { projects: [], warnings: [] };

export const key = { HOGCTL_API_KEY: 'phx_from_environment' };
export const whole = { ...key, HOGCTL_PROJECT: '7', HOGCTL_HOST: 'eu' };
export const vendor = {
  POSTHOG_CLI_API_KEY: 'phx_vendor',
  POSTHOG_CLI_PROJECT_ID: '8',
  POSTHOG_CLI_HOST: 'https://eu.posthog.com/',
};

/** What `resolveSettings` is given, flat; stored projects: `several` unless said otherwise. */
export type Given = {
  readonly project?: string;
  readonly host?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stored?: StoredProjects;
};

export function resolve({ environment = {}, stored = several, ...options }: Given): Settings {
  return resolveSettings({ options, environment, stored });
}

/** The error that the settings end with. */
export function refusalOf(given: Given): CliError {
  try {
    resolve(given);
  } catch (error) {
    if (error instanceof CliError) {
      return error;
    }
    throw error;
  }
  throw new Error('was not refused');
}

/** The cells of the lines of a table that has | between them. */
export function cells(table: string): readonly (readonly string[])[] {
  const lines = table.split('\n').filter((line) => line.includes('|'));
  return lines.map((line) => line.split('|').map((cell) => cell.trim()));
}

/** The settings' input from words such as `--project=blog KEY=environment VENDOR stored=twins`. */
export function readGiven(given: string): Given {
  const stores = { nothing, noDefault, onlyOne, lostDefault, twins };
  const words = given.split(' ').filter((word) => word !== '');
  const pairs = words.map((word) => [word.split('=')[0] ?? '', word.slice(word.indexOf('=') + 1)] as const);
  const environment = pairs.flatMap(([name, value]) => {
    if (name === 'KEY') {
      return [['HOGCTL_API_KEY', value === '' ? '' : `phx_from_${value}`] as const];
    }
    if (name === 'PROJECT' || name === 'HOST') {
      return [[`HOGCTL_${name}`, value] as const];
    }
    return /^(HOGCTL|POSTHOG)_/.test(name) ? [[name, value] as const] : [];
  });
  const option = (wanted: string) => pairs.find(([name]) => name === wanted)?.[1];
  const [project, host, stored] = [option('--project'), option('--host'), option('stored')];
  return {
    ...(project === undefined ? {} : { project }),
    ...(host === undefined ? {} : { host: host === 'own' ? own : host }),
    environment: { ...(words.includes('VENDOR') ? vendor : {}), ...Object.fromEntries(environment) },
    stored: Object.entries(stores).find(([name]) => name === stored)?.[1] ?? several,
  };
}

/** The short name of one of the three hosts. */
export function shorten(address: string): string {
  return Object.entries({ us, eu, own }).find(([, full]) => full === address)?.[0] ?? address;
}
