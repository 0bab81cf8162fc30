import { describe, expect, it } from 'vitest';
import type { StoredProjects } from '../../../src/config/project-file.ts';
import { resolveSettings, type Settings } from '../../../src/config/resolve-settings.ts';
import type { StoredProject } from '../../../src/config/stored-project.ts';
import { CliError } from '../../../src/errors.ts';

const us = 'https://us.posthog.com';
const eu = 'https://eu.posthog.com';
const own = 'https://posthog.example.com/ph';

function project(name: string, id: string, host: string, more: Partial<StoredProject> = {}): StoredProject {
  return { name, id, host, key: `phx_${name}_key`, protected: false, ...more };
}

const shop = project('shop', '1', us, { label: 'laptop' });
const blog = project('blog', '2', us);
const shopEu = project('shop-eu', '1', eu, { protected: true });
const house = project('house', '3', own, { dialect: 'live' });
const twin = project('twin', '2', us);

const several: StoredProjects = { projects: [shop, blog, shopEu, house], default: 'shop', warnings: [] };
const noDefault: StoredProjects = { projects: [shop, blog], warnings: [] };
const nothing: StoredProjects = { projects: [], warnings: [] };

type Case = {
  readonly project?: string;
  readonly host?: string;
  readonly dialect?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stored?: StoredProjects;
};

function resolve({ environment = {}, stored = several, ...options }: Case): Settings {
  return resolveSettings({ options, environment, stored });
}

function refusal(input: Case): CliError {
  try {
    resolve(input);
  } catch (error) {
    if (error instanceof CliError) {
      return error;
    }
    throw error;
  }
  throw new Error('was not refused');
}

const key = { HOGCTL_API_KEY: 'phx_from_environment' };
const whole = { ...key, HOGCTL_PROJECT: '7', HOGCTL_HOST: 'eu' };
const vendor = {
  POSTHOG_CLI_API_KEY: 'phx_vendor',
  POSTHOG_CLI_PROJECT_ID: '8',
  POSTHOG_CLI_HOST: 'https://eu.posthog.com/',
};

type Row = readonly [title: string, input: Case, reached: string, sources: string, named: boolean];

/** What is reached as `key → id @ host`, and where project, host and key came from. */
const reached: readonly Row[] = [
  // Stored projects alone.
  [
    'the default',
    {},
    `phx_shop_key → 1 @ ${us}`,
    'default project shop | stored project shop | stored project shop',
    false,
  ],
  [
    'the default with its host',
    { host: 'us' },
    `phx_shop_key → 1 @ ${us}`,
    'default project shop | option --host | stored project shop',
    false,
  ],
  [
    'the default with its host in the environment',
    { environment: { HOGCTL_HOST: 'us' } },
    `phx_shop_key → 1 @ ${us}`,
    'default project shop | environment HOGCTL_HOST | stored project shop',
    false,
  ],
  [
    'a name',
    { project: 'blog' },
    `phx_blog_key → 2 @ ${us}`,
    'option --project | stored project blog | stored project blog',
    true,
  ],
  [
    'a name with spaces around it',
    { project: ' blog ' },
    `phx_blog_key → 2 @ ${us}`,
    'option --project | stored project blog | stored project blog',
    true,
  ],
  [
    'a name and its host',
    { project: 'house', host: 'posthog.example.com/ph/' },
    `phx_house_key → 3 @ ${own}`,
    'option --project | option --host | stored project house',
    true,
  ],
  [
    'an id',
    { project: '2' },
    `phx_blog_key → 2 @ ${us}`,
    'option --project | stored project blog | stored project blog',
    true,
  ],
  [
    'an id and its host',
    { project: '2', host: 'us' },
    `phx_blog_key → 2 @ ${us}`,
    'option --project | option --host | stored project blog',
    true,
  ],
  [
    'an id on two hosts, with the host',
    { project: '1', host: 'eu' },
    `phx_shop-eu_key → 1 @ ${eu}`,
    'option --project | option --host | stored project shop-eu',
    true,
  ],
  [
    'an id on two hosts, with the host in the environment',
    { project: '1', environment: { HOGCTL_HOST: 'eu' } },
    `phx_shop-eu_key → 1 @ ${eu}`,
    'option --project | environment HOGCTL_HOST | stored project shop-eu',
    true,
  ],
  [
    'a name in the environment',
    { environment: { HOGCTL_PROJECT: 'blog' } },
    `phx_blog_key → 2 @ ${us}`,
    'environment HOGCTL_PROJECT | stored project blog | stored project blog',
    true,
  ],
  [
    'an id in the environment',
    { environment: { HOGCTL_PROJECT: '3' } },
    `phx_house_key → 3 @ ${own}`,
    'environment HOGCTL_PROJECT | stored project house | stored project house',
    true,
  ],
  [
    'option over environment for the project',
    { project: 'house', environment: { HOGCTL_PROJECT: 'blog' } },
    `phx_house_key → 3 @ ${own}`,
    'option --project | stored project house | stored project house',
    true,
  ],
  [
    'option over environment for the host',
    { project: '1', host: 'eu', environment: { HOGCTL_HOST: 'us' } },
    `phx_shop-eu_key → 1 @ ${eu}`,
    'option --project | option --host | stored project shop-eu',
    true,
  ],
  [
    'blank variables as none',
    { environment: { HOGCTL_PROJECT: ' ', HOGCTL_HOST: '' } },
    `phx_shop_key → 1 @ ${us}`,
    'default project shop | stored project shop | stored project shop',
    false,
  ],
  // A key from the environment.
  [
    'key, project and host of the environment',
    { environment: whole },
    `phx_from_environment → 7 @ ${eu}`,
    'environment HOGCTL_PROJECT | environment HOGCTL_HOST | environment HOGCTL_API_KEY',
    true,
  ],
  [
    'the same with nothing stored',
    { environment: whole, stored: nothing },
    `phx_from_environment → 7 @ ${eu}`,
    'environment HOGCTL_PROJECT | environment HOGCTL_HOST | environment HOGCTL_API_KEY',
    true,
  ],
  [
    'a key completed by options',
    { project: '9', host: own, environment: key },
    `phx_from_environment → 9 @ ${own}`,
    'option --project | option --host | environment HOGCTL_API_KEY',
    true,
  ],
  [
    'options over the environment',
    { project: '9', host: 'us', environment: whole },
    `phx_from_environment → 9 @ ${us}`,
    'option --project | option --host | environment HOGCTL_API_KEY',
    true,
  ],
  [
    'one option over the environment',
    { project: '9', environment: whole },
    `phx_from_environment → 9 @ ${eu}`,
    'option --project | environment HOGCTL_HOST | environment HOGCTL_API_KEY',
    true,
  ],
  [
    'the environment key even where the id is stored',
    { project: '2', host: 'us', environment: key },
    `phx_from_environment → 2 @ ${us}`,
    'option --project | option --host | environment HOGCTL_API_KEY',
    true,
  ],
  [
    'the current project of the key',
    { project: '@current', environment: whole },
    `phx_from_environment → @current @ ${eu}`,
    'option --project | environment HOGCTL_HOST | environment HOGCTL_API_KEY',
    true,
  ],
  [
    'a key with a line feed',
    { environment: { ...whole, HOGCTL_API_KEY: '"phx_from_environment"\r\n' } },
    `phx_from_environment → 7 @ ${eu}`,
    'environment HOGCTL_PROJECT | environment HOGCTL_HOST | environment HOGCTL_API_KEY',
    true,
  ],
  // The vendor's variables.
  [
    'the vendor’s whole set',
    { environment: vendor },
    `phx_vendor → 8 @ ${eu}`,
    'environment POSTHOG_CLI_PROJECT_ID | environment POSTHOG_CLI_HOST | environment POSTHOG_CLI_API_KEY',
    true,
  ],
  [
    'the vendor’s set with another id',
    { project: '9', environment: vendor },
    `phx_vendor → 9 @ ${eu}`,
    'option --project | environment POSTHOG_CLI_HOST | environment POSTHOG_CLI_API_KEY',
    true,
  ],
  [
    'the vendor’s set with its own host',
    { host: 'eu', environment: vendor },
    `phx_vendor → 8 @ ${eu}`,
    'environment POSTHOG_CLI_PROJECT_ID | option --host | environment POSTHOG_CLI_API_KEY',
    true,
  ],
  [
    'our set over the vendor’s',
    { environment: { ...vendor, ...whole } },
    `phx_from_environment → 7 @ ${eu}`,
    'environment HOGCTL_PROJECT | environment HOGCTL_HOST | environment HOGCTL_API_KEY',
    true,
  ],
  [
    'a stored name over the vendor’s set',
    { project: 'blog', environment: vendor },
    `phx_blog_key → 2 @ ${us}`,
    'option --project | stored project blog | stored project blog',
    true,
  ],
  [
    'HOGCTL_PROJECT over the vendor’s set',
    { environment: { ...vendor, HOGCTL_PROJECT: '2' } },
    `phx_blog_key → 2 @ ${us}`,
    'environment HOGCTL_PROJECT | stored project blog | stored project blog',
    true,
  ],
  [
    'HOGCTL_HOST over the vendor’s set',
    { environment: { ...vendor, HOGCTL_HOST: 'us' } },
    `phx_shop_key → 1 @ ${us}`,
    'default project shop | environment HOGCTL_HOST | stored project shop',
    false,
  ],
  [
    'the stored default where the vendor’s key is missing',
    { environment: { ...vendor, POSTHOG_CLI_API_KEY: '' } },
    `phx_shop_key → 1 @ ${us}`,
    'default project shop | stored project shop | stored project shop',
    false,
  ],
  [
    'the stored default where the vendor’s host is missing',
    { environment: { ...vendor, POSTHOG_CLI_HOST: '' } },
    `phx_shop_key → 1 @ ${us}`,
    'default project shop | stored project shop | stored project shop',
    false,
  ],
  [
    'the stored default where the vendor’s project is missing',
    { environment: { ...vendor, POSTHOG_CLI_PROJECT_ID: '', POSTHOG_CLI_API_KEY: 'phc_other' } },
    `phx_shop_key → 1 @ ${us}`,
    'default project shop | stored project shop | stored project shop',
    false,
  ],
];

const refused: readonly (readonly [title: string, input: Case, words: string])[] = [
  ['nothing at all', { stored: nothing }, 'no project and no key are known'],
  ['a host and nothing else', { host: 'us', stored: nothing }, 'no project and no key are known'],
  ['no default', { stored: noDefault }, 'no project is named, and none is the default'],
  [
    'a default that is gone',
    { stored: { ...noDefault, default: 'gone' } },
    'the project that is the default is no longer stored',
  ],
  ['a name that is not stored', { project: 'gone' }, 'no project is stored as "gone" (option --project)'],
  [
    'such a name in the environment',
    { environment: { HOGCTL_PROJECT: 'gone' } },
    'no project is stored as "gone" (environment HOGCTL_PROJECT)',
  ],
  ['the current project of a stored key', { project: '@current' }, 'no project is stored as "@current"'],
  ['an id that is not stored', { project: '99' }, 'no project is stored with the id 99 (option --project)'],
  ['an id with nothing stored', { project: '99', stored: nothing }, 'no project is stored with the id 99'],
  ['an id on another host', { project: '2', host: 'eu' }, `no project is stored with the id 2 on ${eu}`],
  [
    'an id on two hosts',
    { project: '1' },
    `several projects are stored with the id 1: shop on ${us}, shop-eu on ${eu}`,
  ],
  [
    'an id stored twice on one host',
    { project: '2', host: 'us', stored: { ...several, projects: [blog, twin] } },
    `several projects are stored with the id 2: blog on ${us}, twin on ${us}`,
  ],
  ['an empty project', { project: ' ' }, '--project is empty'],
  ['an empty host', { host: '' }, 'the host is empty'],
  ['a host that is none', { host: 'https://eu.i.posthog.com' }, 'only takes in events'],
  [
    'a stored name with another host',
    { project: 'blog', host: 'eu' },
    `the stored project blog is on ${us}, but option --host says ${eu}`,
  ],
  [
    'a stored name with another HOGCTL_HOST',
    { project: 'blog', environment: { HOGCTL_HOST: 'eu' } },
    `the stored project blog is on ${us}, but environment HOGCTL_HOST says ${eu}`,
  ],
  [
    'the default with another host',
    { host: 'eu' },
    `the stored project shop is on ${us}, but option --host says ${eu}`,
  ],
  [
    'the default with another base path',
    { host: 'https://us.posthog.com:8443' },
    'the stored project shop is on',
  ],
  [
    'a key without project',
    { environment: key },
    'HOGCTL_API_KEY holds a key, but no project is named; a stored project is not mixed with it',
  ],
  ['a key and a host without project', { host: 'us', environment: key }, 'no project is named'],
  [
    'a key without host',
    { project: '2', environment: key },
    'HOGCTL_API_KEY holds a key, but no host is named; the host of a stored project is not mixed with it',
  ],
  [
    'a key with a stored name',
    { project: 'blog', environment: key },
    'option --project names the stored project blog, which has a key of its own, but HOGCTL_API_KEY is set too',
  ],
  ['a whole set with a stored name', { project: 'blog', environment: whole }, 'has a key of its own'],
  [
    'a key with a stored name in the environment',
    { environment: { ...whole, HOGCTL_PROJECT: 'blog' } },
    'environment HOGCTL_PROJECT names the stored project blog',
  ],
  [
    'a key with a name that is not stored',
    { project: 'gone', environment: whole },
    '"gone" (option --project) is not a project id',
  ],
  [
    'a key with an id that begins with zero',
    { project: '07', environment: whole },
    '"07" (option --project) is not a project id',
  ],
  [
    'an empty key beside stored projects',
    { environment: { HOGCTL_API_KEY: '' } },
    'HOGCTL_API_KEY is set but empty: the key is missing',
  ],
  [
    'a blank key in a whole set',
    { environment: { ...whole, HOGCTL_API_KEY: ' \n' } },
    'HOGCTL_API_KEY is set but empty',
  ],
  [
    'an empty key beside the vendor’s set',
    { environment: { ...vendor, HOGCTL_API_KEY: '' } },
    'HOGCTL_API_KEY is set but empty',
  ],
  [
    'a project token',
    { environment: { ...whole, HOGCTL_API_KEY: 'phc_abcdef' } },
    'is a public project token',
  ],
  [
    'the vendor’s set with another host',
    { host: 'us', environment: vendor },
    `--host is not the host of POSTHOG_CLI_API_KEY, which is ${eu}`,
  ],
  [
    'the vendor’s set with a name that is not stored',
    { project: 'gone', environment: vendor },
    '"gone" (option --project) is not a project id',
  ],
  [
    'the vendor’s set with a project token',
    { environment: { ...vendor, POSTHOG_CLI_API_KEY: 'phc_abcdef' } },
    'the key from POSTHOG_CLI_API_KEY is a public project token',
  ],
  [
    'the vendor’s key alone',
    { environment: { POSTHOG_CLI_API_KEY: 'phx_vendor' }, stored: nothing },
    'no project and no key are known',
  ],
  ['an unknown dialect', { dialect: 'old' }, 'the dialect is neither live nor specification'],
  [
    'an unknown HOGCTL_DIALECT',
    { environment: { HOGCTL_DIALECT: 'old' } },
    'HOGCTL_DIALECT is neither live nor specification',
  ],
  [
    'an unknown HOGCTL_PROTECTED',
    { environment: { HOGCTL_PROTECTED: 'maybe' } },
    'HOGCTL_PROTECTED is neither 1 nor 0',
  ],
];

describe('precedence: option, environment, stored project, default', () => {
  it.each(reached)('uses %s', (_title, input, expected, sources, named) => {
    const settings = resolve(input);
    expect(`${settings.key} → ${settings.project.id} @ ${settings.host.address}`).toBe(expected);
    const { project: fromProject, host, key: fromKey } = settings.provenance;
    expect([fromProject, host, fromKey].join(' | ')).toBe(sources);
    expect(settings.named).toBe(named);
    expect(settings.host.origin + settings.host.basePath).toBe(settings.host.address);
  });

  it.each(refused)('refuses %s', (_title, input, words) => {
    const error = refusal(input);
    expect(error.kind).toBe('usage');
    expect(error.message).toContain(words);
    expect(error.hint).toBeTruthy();
    expect(`${error.message}${error.hint}`).not.toMatch(/phx_\w|phc_\w/);
  });

  it('never sends a key to a host or project it does not belong to, in any combination', () => {
    let resolved = 0;
    const combinations = everyCombination();
    for (const input of combinations) {
      try {
        expectBound(resolve(input), input);
        resolved += 1;
      } catch (error) {
        if (!(error instanceof CliError)) {
          throw error;
        }
        expect(error.kind).toBe('usage');
      }
    }
    expect(combinations).toHaveLength(5 * 4 * 2 * 4 * 4 * 2 * 3);
    expect(resolved).toBeGreaterThan(400);
  });
});

function everyCombination(): readonly Case[] {
  const projects = [undefined, 'blog', '1', '2', '9'];
  const hosts = [undefined, 'us', 'eu', own];
  const names = [undefined, 'blog', '1', '9'];
  return projects.flatMap((option) =>
    hosts.flatMap((host) =>
      [undefined, 'phx_from_environment'].flatMap((ownKey) =>
        names.flatMap((name) =>
          hosts.flatMap((place) =>
            [{}, vendor].flatMap((others) =>
              [several, noDefault, nothing].map((stored) => ({
                ...(option === undefined ? {} : { project: option }),
                ...(host === undefined ? {} : { host }),
                environment: {
                  ...others,
                  ...(ownKey === undefined ? {} : { HOGCTL_API_KEY: ownKey }),
                  ...(name === undefined ? {} : { HOGCTL_PROJECT: name }),
                  ...(place === undefined ? {} : { HOGCTL_HOST: place }),
                },
                stored,
              })),
            ),
          ),
        ),
      ),
    ),
  );
}

function expectBound(settings: Settings, { environment = {}, stored = several, ...options }: Case): void {
  const place = { us, eu, [own]: own };
  const wantedHost = options.host ?? environment.HOGCTL_HOST;
  const wantedProject = options.project ?? environment.HOGCTL_PROJECT;
  const { key: used, host, project: target } = settings;
  if (wantedHost !== undefined) {
    expect(host.address).toBe(Object.entries(place).find(([name]) => name === wantedHost)?.[1]);
  }
  const owner = stored.projects.find((candidate) => candidate.key === used);
  if (owner !== undefined) {
    expect(environment.HOGCTL_API_KEY).toBeUndefined();
    expect([host.address, target.id]).toEqual([owner.host, owner.id]);
    expect([undefined, owner.id, owner.name]).toContain(wantedProject);
    expect(settings.named).toBe(wantedProject !== undefined);
    return;
  }
  const isVendor = used === 'phx_vendor';
  expect(used).toBe(isVendor ? vendor.POSTHOG_CLI_API_KEY : environment.HOGCTL_API_KEY);
  expect(target.id).toBe(wantedProject ?? (isVendor ? '8' : 'none'));
  expect(isVendor ? host.address : wantedHost).toBe(isVendor ? eu : wantedHost);
  expect(isVendor || wantedHost !== undefined).toBe(true);
}

describe('dialect', () => {
  it.each<readonly [string, Case, string, string]>([
    [
      'the option',
      { project: 'house', dialect: 'specification', environment: { HOGCTL_DIALECT: 'live' } },
      'specification',
      'option --dialect',
    ],
    [
      'the environment',
      { project: 'house', environment: { HOGCTL_DIALECT: ' specification ' } },
      'specification',
      'environment HOGCTL_DIALECT',
    ],
    [
      'the environment on Cloud',
      { environment: { HOGCTL_DIALECT: 'specification' } },
      'specification',
      'environment HOGCTL_DIALECT',
    ],
    [
      'the stored project',
      { project: 'house', environment: { HOGCTL_DIALECT: '' } },
      'live',
      'stored project house',
    ],
    ['Cloud', {}, 'live', 'PostHog Cloud'],
    ['Cloud with a key from the environment', { environment: whole }, 'live', 'PostHog Cloud'],
    [
      'nothing',
      { environment: { ...whole, HOGCTL_HOST: 'http://127.0.0.1:8000' } },
      'specification',
      'default',
    ],
  ])('comes from %s', (_title, input, dialect, source) => {
    const settings = resolve(input);
    expect([settings.dialect, settings.provenance.dialect]).toEqual([dialect, source]);
  });
});

describe('protection', () => {
  it.each<readonly [string, Case, boolean]>([
    ['not without being asked for', {}, false],
    ['as stored', { project: 'shop-eu' }, true],
    ['by HOGCTL_PROTECTED=1', { environment: { HOGCTL_PROTECTED: '1' } }, true],
    ['by HOGCTL_PROTECTED=true', { environment: { ...whole, HOGCTL_PROTECTED: 'True' } }, true],
    [
      'as stored, whatever HOGCTL_PROTECTED=0 says',
      { project: 'shop-eu', environment: { HOGCTL_PROTECTED: '0' } },
      true,
    ],
    ['not by HOGCTL_PROTECTED=false', { environment: { HOGCTL_PROTECTED: 'false' } }, false],
    ['not by a blank HOGCTL_PROTECTED', { environment: { HOGCTL_PROTECTED: ' ' } }, false],
    [
      'for a key from the environment that reaches a project stored as protected',
      { project: '1', environment: whole },
      true,
    ],
    ['not for the same id on another host', { project: '1', host: 'us', environment: whole }, false],
  ])('%s', (_title, input, expected) => {
    expect(resolve(input).project.protected).toBe(expected);
  });

  it('names the protected one when a key from the environment reaches a project stored twice', () => {
    const stored = { ...several, projects: [blog, { ...twin, protected: true }] };
    const settings = resolve({ project: '2', host: 'us', environment: key, stored });
    expect(settings.project).toEqual({ id: '2', name: 'twin', protected: true });
  });
});

describe('what else settings hold', () => {
  it('holds name and key label of a stored project', () => {
    expect(resolve({})).toMatchObject({ project: { name: 'shop' }, keyLabel: 'laptop' });
  });

  it('holds no key label for a key from the environment, even on a stored project', () => {
    const settings = resolve({ project: '1', host: 'us', environment: key });
    expect(settings.project.name).toBe('shop');
    expect(settings).not.toHaveProperty('keyLabel');
  });

  it('holds no name for a project that is not stored', () => {
    expect(resolve({ environment: whole }).project).toEqual({ id: '7', protected: false });
  });

  it('passes on warnings about the file only where a stored key is used', () => {
    const stored = { ...several, warnings: ['open to other users'] };
    expect(resolve({ stored }).warnings).toEqual(['open to other users']);
    expect(resolve({ stored, environment: whole }).warnings).toEqual([]);
  });

  it('passes on the warning about a host without encryption', () => {
    const settings = resolve({ environment: { ...whole, HOGCTL_HOST: 'http://posthog.example.com' } });
    expect(settings.warnings).toEqual([expect.stringContaining('in clear text')]);
  });
});

describe('a file that may not be read', () => {
  const unreadable = new CliError('usage', 'cannot read it: permission denied');
  const stored = { ...nothing, unreadable };

  it('is an error where a stored project is needed', () => {
    expect(refusal({ stored })).toBe(unreadable);
  });

  it('does not matter with a key from the environment', () => {
    expect(resolve({ stored, environment: whole }).key).toBe('phx_from_environment');
  });
});
