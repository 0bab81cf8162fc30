import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import type { Settings } from '../../../src/settings/resolve-settings.ts';
import {
  cells,
  eu,
  type Given,
  noDefault,
  nothing,
  own,
  readGiven,
  refusalOf,
  resolve,
  several,
  shorten,
  us,
  vendor,
} from './settings-fixture.ts';

/*
 * Stored are shop (1, us), blog (2, us), shop-eu (1, eu) and house (3, own), shop being the default, unless a row
 * says stored=…. KEY, PROJECT and HOST are the HOGCTL_ variables, VENDOR is the whole set of the vendor (8, eu).
 */

/** given | key used | id @ host | source of the project, of the host, of the key | named */
const reached = `
                              | shop    | 1 @ us  | default project shop, stored project shop, stored project shop             | no
  --host=us                   | shop    | 1 @ us  | default project shop, option --host, stored project shop                   | no
  HOST=us                     | shop    | 1 @ us  | default project shop, environment HOGCTL_HOST, stored project shop         | no
  PROJECT= HOST=              | shop    | 1 @ us  | default project shop, stored project shop, stored project shop             | no
  --project=blog              | blog    | 2 @ us  | option --project, stored project blog, stored project blog                 | yes
  --project=house --host=own  | house   | 3 @ own | option --project, option --host, stored project house                      | yes
  --project=2                 | blog    | 2 @ us  | option --project, stored project blog, stored project blog                 | yes
  --project=2 --host=us       | blog    | 2 @ us  | option --project, option --host, stored project blog                       | yes
  --project=1 --host=eu       | shop-eu | 1 @ eu  | option --project, option --host, stored project shop-eu                    | yes
  --project=1 HOST=eu         | shop-eu | 1 @ eu  | option --project, environment HOGCTL_HOST, stored project shop-eu          | yes
  --project=1 --host=eu HOST=us | shop-eu | 1 @ eu | option --project, option --host, stored project shop-eu                   | yes
  --project=house PROJECT=blog | house  | 3 @ own | option --project, stored project house, stored project house               | yes
  PROJECT=blog                | blog    | 2 @ us  | environment HOGCTL_PROJECT, stored project blog, stored project blog       | yes
  PROJECT=3                   | house   | 3 @ own | environment HOGCTL_PROJECT, stored project house, stored project house     | yes
  PROJECT=1 --host=us         | shop    | 1 @ us  | environment HOGCTL_PROJECT, option --host, stored project shop             | yes
  PROJECT=blog stored=noDefault | blog  | 2 @ us  | environment HOGCTL_PROJECT, stored project blog, stored project blog       | yes
  KEY=environment PROJECT=7 HOST=eu                          | environment | 7 @ eu | environment HOGCTL_PROJECT, environment HOGCTL_HOST, environment HOGCTL_API_KEY | yes
  KEY=environment PROJECT=7 HOST=eu stored=nothing           | environment | 7 @ eu | environment HOGCTL_PROJECT, environment HOGCTL_HOST, environment HOGCTL_API_KEY | yes
  KEY=environment PROJECT=2 HOST=us                          | environment | 2 @ us | environment HOGCTL_PROJECT, environment HOGCTL_HOST, environment HOGCTL_API_KEY | yes
  KEY=environment --project=9 --host=own                     | environment | 9 @ own | option --project, option --host, environment HOGCTL_API_KEY                    | yes
  KEY=environment PROJECT=7 HOST=eu --project=9 --host=us    | environment | 9 @ us | option --project, option --host, environment HOGCTL_API_KEY                     | yes
  KEY=environment PROJECT=7 HOST=eu --project=9              | environment | 9 @ eu | option --project, environment HOGCTL_HOST, environment HOGCTL_API_KEY           | yes
  KEY=environment PROJECT=7 HOST=eu --host=us                | environment | 7 @ us | environment HOGCTL_PROJECT, option --host, environment HOGCTL_API_KEY           | yes
  KEY=environment HOST=eu --project=@current                 | environment | @current @ eu | option --project, environment HOGCTL_HOST, environment HOGCTL_API_KEY    | yes
  VENDOR KEY=environment PROJECT=7 HOST=us                   | environment | 7 @ us | environment HOGCTL_PROJECT, environment HOGCTL_HOST, environment HOGCTL_API_KEY | yes
  VENDOR                      | vendor  | 8 @ eu  | environment POSTHOG_CLI_PROJECT_ID, environment POSTHOG_CLI_HOST, environment POSTHOG_CLI_API_KEY | yes
  VENDOR stored=nothing       | vendor  | 8 @ eu  | environment POSTHOG_CLI_PROJECT_ID, environment POSTHOG_CLI_HOST, environment POSTHOG_CLI_API_KEY | yes
  VENDOR --project=9          | vendor  | 9 @ eu  | option --project, environment POSTHOG_CLI_HOST, environment POSTHOG_CLI_API_KEY                   | yes
  VENDOR --host=eu            | vendor  | 8 @ eu  | environment POSTHOG_CLI_PROJECT_ID, option --host, environment POSTHOG_CLI_API_KEY                | yes
  VENDOR --project=blog       | blog    | 2 @ us  | option --project, stored project blog, stored project blog                 | yes
  VENDOR PROJECT=2            | blog    | 2 @ us  | environment HOGCTL_PROJECT, stored project blog, stored project blog       | yes
  VENDOR HOST=us              | shop    | 1 @ us  | default project shop, environment HOGCTL_HOST, stored project shop         | no
  VENDOR POSTHOG_CLI_API_KEY=    | shop | 1 @ us  | default project shop, stored project shop, stored project shop             | no
  VENDOR POSTHOG_CLI_HOST=       | shop | 1 @ us  | default project shop, stored project shop, stored project shop             | no
  VENDOR POSTHOG_CLI_PROJECT_ID= POSTHOG_CLI_API_KEY=phc_a | shop | 1 @ us | default project shop, stored project shop, stored project shop | no
`;

/** given | the message */
const refused = `
  stored=nothing              | no project and no key are set up
  stored=nothing --host=us    | no project and no key are set up
  stored=nothing POSTHOG_CLI_API_KEY=phx_vendor | no project and no key are set up
  stored=nothing --project=9  | no stored project has the id 9 (option --project)
  stored=noDefault            | no project was given, and no default is set
  stored=onlyOne              | no project was given, and no default is set
  stored=lostDefault          | the default project is no longer stored
  stored=twins --project=2    | several stored projects have the id 2: blog on https://us.posthog.com, twin on https://us.posthog.com
  stored=twins --project=2 --host=us | several stored projects have the id 2: blog on https://us.posthog.com, twin on https://us.posthog.com
  --project=                  | --project is empty
  --host=                     | the host is empty
  --host=https://eu.i.posthog.com | eu.i.posthog.com only receives events and has no API
  --project=gone              | the stored project "gone" was not found (option --project)
  PROJECT=gone                | the stored project "gone" was not found (environment HOGCTL_PROJECT)
  --project=@current          | the stored project "@current" was not found (option --project)
  --project=9                 | no stored project has the id 9 (option --project)
  --project=2 --host=eu       | no stored project has the id 2 on https://eu.posthog.com (option --project)
  --project=1                 | several stored projects have the id 1: shop on https://us.posthog.com, shop-eu on https://eu.posthog.com
  --project=blog --host=eu    | the stored project blog is on https://us.posthog.com, but option --host says https://eu.posthog.com
  --project=blog HOST=eu      | the stored project blog is on https://us.posthog.com, but environment HOGCTL_HOST says https://eu.posthog.com
  --host=eu                   | the stored project shop is on https://us.posthog.com, but option --host says https://eu.posthog.com
  HOST=eu                     | the stored project shop is on https://us.posthog.com, but environment HOGCTL_HOST says https://eu.posthog.com
  --host=us.posthog.com:8443  | the stored project shop is on https://us.posthog.com, but option --host says https://us.posthog.com:8443
  KEY=environment             | HOGCTL_API_KEY is set, but no project was given; stored projects are not used with it
  KEY=environment --host=us   | HOGCTL_API_KEY is set, but no project was given; stored projects are not used with it
  KEY=environment --project=2 | HOGCTL_API_KEY is set, but no host was given; stored projects are not used with it
  KEY=environment PROJECT=2   | HOGCTL_API_KEY is set, but no host was given; stored projects are not used with it
  KEY=environment --project=blog | option --project is the stored project blog, which has its own key, but HOGCTL_API_KEY is set too
  KEY=environment PROJECT=blog HOST=us | environment HOGCTL_PROJECT is the stored project blog, which has its own key, but HOGCTL_API_KEY is set too
  KEY=environment HOST=us --project=gone | "gone" (option --project) is not a project id
  KEY=environment HOST=us --project=07 | "07" (option --project) is not a project id
  KEY=                        | HOGCTL_API_KEY is set but empty: the key is missing
  KEY= PROJECT=7 HOST=eu      | HOGCTL_API_KEY is set but empty: the key is missing
  KEY= VENDOR                 | HOGCTL_API_KEY is set but empty: the key is missing
  HOGCTL_API_KEY=phc_a PROJECT=7 HOST=eu | the key from HOGCTL_API_KEY is a public project token (phc_), which can only send events
  VENDOR --host=us            | --host is not the host of POSTHOG_CLI_API_KEY, which is https://eu.posthog.com
  VENDOR --project=gone       | "gone" (option --project) is not a project id
  VENDOR POSTHOG_CLI_API_KEY=phc_a | the key from POSTHOG_CLI_API_KEY is a public project token (phc_), which can only send events
`;

describe('precedence: option, environment, stored project, default', () => {
  it.each(cells(reached))('%s reaches %s at %s', (given = '', used, target, sources, named) => {
    const { key, project, host, provenance, named: isNamed } = resolve(readGiven(given));
    expect(key?.replace(/^phx_(from_)?|_key$/g, '')).toBe(used);
    expect(`${project.id} @ ${shorten(host.address)}`).toBe(target);
    expect([provenance.project, provenance.host, provenance.key].join(', ')).toBe(sources);
    expect(isNamed ? 'yes' : 'no').toBe(named);
  });

  it.each(cells(refused))('%s is refused: %s', (given = '', message) => {
    const error = refusalOf(readGiven(given));
    expect(error).toMatchObject({ kind: 'usage', message });
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

function everyCombination(): readonly Given[] {
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

function expectBound(settings: Settings, { environment = {}, stored = several, ...options }: Given): void {
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
