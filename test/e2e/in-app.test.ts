import { describe, expect, it } from 'vitest';
import type { System } from '../../src/system/system.ts';
import { person, startService, temporaryDirectory } from '../support/service.ts';

const insight = { id: 9, short_id: 'zeNY2NOU', name: 'Orders', result: [] };
const somebody = { ...person(1), distinct_ids: ['a/b ü&c', 'd'] };

/** A service under an address that is not this computer's by name, so that it may have an app. */
async function start(json: object, code: number | 'missing' = 0) {
  const service = await startService([{ json }]);
  const opened: unknown[] = [];
  const readProgram: System['readProgram'] = async (words, { environment }) => {
    opened.push({ words, key: environment.HOGCTL_API_KEY });
    if (code === 'missing') throw new Error('ENOENT');
    return { code, output: 'what a browser says' };
  };
  const host = `http://0.0.0.0:${service.port}`;
  const environment = { HOGCTL_HOST: host };
  return { ...service, host, opened, setting: { readProgram, environment } };
}

describe('going on in the app', () => {
  it('says where an insight is at a terminal, and only there', async () => {
    const { hogctl, host, opened, setting } = await start(insight);
    const shown = await hogctl('--insecure insights get 9', { ...setting, terminal: {} });
    expect([shown.code, shown.stderr]).toEqual([
      0,
      expect.stringMatching(new RegExp(`\nIn the app: ${host}/project/1/insights/zeNY2NOU\n$`)),
    ]);
    expect(opened).toEqual([]);
    const again = await start(insight);
    expect((await again.hogctl('--insecure insights get 9 -o json', again.setting)).stderr).not.toContain(
      'In the app',
    );
    const quiet = await start(insight);
    const { stderr } = await quiet.hogctl('--insecure insights get 9 --quiet', {
      ...quiet.setting,
      terminal: {},
    });
    expect(stderr).not.toContain('In the app');
  });

  it('says where a person is, by the first distinct id', async () => {
    const { hogctl, host, setting } = await start(somebody);
    const { stderr } = await hogctl('--insecure persons get 42', { ...setting, terminal: {} });
    expect(stderr).toContain(`In the app: ${host}/project/1/person/a%2Fb%20%C3%BC%26c\n`);
  });

  it.each([
    ['linux', ['xdg-open']],
    ['darwin', ['open']],
    ['win32', ['rundll32', 'url.dll,FileProtocolHandler']],
  ])('opens the page with --web on %s, without the key', async (platform, words) => {
    const { hogctl, host, opened, setting } = await start(somebody);
    const { code, stdout, stderr } = await hogctl('--insecure persons get 42 --web -o json', {
      ...setting,
      platform,
    });
    const address = `${host}/project/1/person/a%2Fb%20%C3%BC%26c`;
    expect([code, JSON.parse(stdout).distinct_ids]).toEqual([0, somebody.distinct_ids]);
    expect(stderr).toContain(`Opened ${address}\n`);
    expect(opened).toEqual([{ words: [...words, address], key: undefined }]);
  });

  it.each([3, 'missing'] as const)('prints the address if there is no browser: %s', async (code) => {
    const { hogctl, host, setting } = await start(insight, code);
    const done = await hogctl('--insecure insights get 9 --web -o json -q', setting);
    expect(done.code).toBe(0);
    expect(done.stderr).toContain(
      `warning: cannot open a browser; the page is ${host}/project/1/insights/zeNY2NOU\n`,
    );
  });

  it('never names a page of a service on this computer', async () => {
    const service = await startService([{ json: insight }]);
    expect((await service.hogctl('--insecure insights get 9', { terminal: {} })).stderr).not.toContain(
      'In the app',
    );
    const { code, stderr } = await service.hogctl('--insecure insights get 9 --web');
    expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${service.origin} has no web app to open`]);
    expect(service.log).toHaveLength(1);
  });

  it('names no page in a project that may be another one there', async () => {
    const { hogctl, setting } = await start(insight);
    const environment = { ...setting.environment, HOGCTL_PROJECT: '@current' };
    const asked = { ...setting, environment, terminal: {} };
    expect((await hogctl('--insecure insights get 9', asked)).stderr).not.toContain('In the app');
    expect((await hogctl('--insecure insights get 9 --web', asked)).code).toBe(2);
  });

  it('says if the answer names no page', async () => {
    const { hogctl, opened, setting } = await start({ ...somebody, distinct_ids: [] });
    const { code, stderr } = await hogctl('--insecure persons get 42 --web', setting);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('warning: the answer does not say which page'),
    ]);
    expect(opened).toEqual([]);
  });

  it('says nothing of a file', async () => {
    const { hogctl, setting } = await start(insight);
    const line = `insights get 9 -o json --save ${temporaryDirectory()}/a.json`;
    expect((await hogctl(line, { ...setting, terminal: {} })).stderr).not.toContain('In the app');
  });
});
