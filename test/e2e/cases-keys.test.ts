import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namedFormats } from '../../src/print/formats.ts';
import { KEY, startService } from '../support/service.ts';
import { loginWords, noOwnKeyRoute, wantingTheKey, withoutKey } from '../support/stored-key.ts';

const endings: readonly [string, string][] = [
  ['a line break', `${KEY}\n`],
  ['CR and LF', `${KEY}\r\n`],
  ['spaces', `  ${KEY}  `],
  ['a line break before it', `\n${KEY}`],
  ['a byte order mark', `\uFEFF${KEY}\n`],
  ['quotes', `"${KEY}"\n`],
];

describe('a key with white space around it', () => {
  it.each(endings)('is sent without %s from the environment', async (_, text) => {
    const service = await wantingTheKey();
    const { code, stderr } = await service.hogctl('persons get 1', { environment: { HOGCTL_API_KEY: text } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it.each(endings)('is stored without %s from standard input', async (_, text) => {
    const service = await wantingTheKey();
    const environment = withoutKey(service.environment);
    const setting = { stdin: text, environment: { ...environment, HOGCTL_API_KEY: '' } };
    const login = await service.hogctl(loginWords(service), setting);
    expect(login.code).toBe(0);
    const stored = readFileSync(join(environment.HOGCTL_CONFIG_DIR, 'config.json'), 'utf8');
    expect(stored).toContain(`"${KEY}"`);
    expect(service.log[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it.each(['', ' ', '\n', '\r\n', '""'])('is missing where it is %j, and nothing is sent', async (text) => {
    const service = await wantingTheKey();
    const get = await service.hogctl('persons get 1', { environment: { HOGCTL_API_KEY: text } });
    const login = await service.hogctl(loginWords(service), { stdin: text });
    expect([get.code, login.code]).toEqual([2, 2]);
    expect(get.stderr).toContain('HOGCTL_API_KEY is set but empty');
    expect(login.stderr).toContain('the key from standard input is empty');
    expect(service.log).toEqual([]);
  });

  it.each([
    ['a line break inside', `${KEY.slice(0, 12)}\n${KEY.slice(12)}`],
    ['a letter beyond ASCII', `${KEY}é`],
    ['the prefix of a project token', 'phc_TESTONLY_0123456789'],
  ])('is refused with %s, unsent and unshown', async (_, text) => {
    const service = await wantingTheKey();
    const { code, stdout, stderr } = await service.hogctl('persons get 1', {
      environment: { HOGCTL_API_KEY: text },
    });
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain(text.slice(4, 12));
    expect(service.log).toEqual([]);
  });
});

describe('the key must not be visible', () => {
  const base64 = Buffer.from(KEY).toString('base64');
  const basic = Buffer.from(`${KEY}:`).toString('base64');
  const echoing = () =>
    startService([
      noOwnKeyRoute,
      (received) => ({
        status: 401,
        json: {
          code: 'authentication_failed',
          detail: `no: ${String(received.headers.authorization)} ${base64} ${basic}`,
        },
      }),
    ]);

  it.each([
    'persons get 1',
    'persons get 1 --debug',
    'persons list -o json --debug',
    'persons update 1 --set a=b --dry-run',
    'persons delete 1 --dry-run -o json',
    'auth status',
    'auth status -o json',
    'auth list -o json',
    'endpoints --debug',
    'persons get 1 --save /dev/full',
  ])('shows none of it: %s', async (line) => {
    const service = await echoing();
    const environment = { DEBUG: '*', NODE_DEBUG: 'http', NODE_DEBUG_NATIVE: 'http' };
    const { stdout, stderr } = await service.hogctl(line, { environment });
    const text = stdout + stderr;
    expect(text).not.toBe('');
    for (const secret of [KEY, KEY.slice(4), KEY.slice(4, 16), base64, base64.slice(0, 24)])
      expect(text).not.toContain(secret);
  });

  it.each(['--KEY', '--columns=KEY', '--KEY=1', '--output=KEY'])(
    'is shown by no error about %s',
    async (typed) => {
      const service = await startService([]);
      const { code, stdout, stderr } = await service.hogctl(`persons list ${typed.replace('KEY', KEY)}`);
      expect([code, stdout, service.log.length]).toEqual([2, '', 0]);
      expect(stderr).not.toContain(KEY.slice(4));
    },
  );

  it('is not taken from an option', async () => {
    const service = await echoing();
    const { code, stderr } = await service.hogctl(['auth', 'login', '--key', KEY]);
    expect(code).toBe(2);
    expect(stderr).not.toContain(KEY);
    expect(service.log).toEqual([]);
  });

  it.each([
    ['persons', 'list', '--?'],
    ['persons', '?'],
    ['?'],
    ['persons', 'list', '--columns', 'id,?'],
    ['persons', 'list', '--columns', 'id', '--output', '?'],
    ['persons', 'get', '1', `${'x'.repeat(980)}?${'y'.repeat(2000)}`],
    ['persons', 'get', '1', `${'x'.repeat(1990)}?`],
  ])('is not repeated from a command line: %s %s %s %s', async (...words) => {
    for (const key of [KEY, 'self-hosted-0123456789']) {
      const service = await echoing();
      const line = words.filter((word) => word !== undefined).map((word) => word.replace('?', key));
      const { code, stdout, stderr } = await service.hogctl(line, { environment: { HOGCTL_API_KEY: key } });
      expect(code).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).not.toContain(key.slice(4, 14));
      expect(service.log).toEqual([]);
    }
  });

  it('masks persons and queries in the trace', async () => {
    const service = await echoing();
    const { stderr } = await service.hogctl(['persons', 'list', '--email', 'ana@example.org', '--debug']);
    expect(stderr).toContain('GET /api/projects/1/persons/?email=***');
    expect(stderr).not.toContain('ana');
  });
});

describe('the access token of a shared insight', () => {
  const sharing = {
    created_at: '2026-01-02T03:04:05Z',
    enabled: true,
    access_token: 'openToEverybody42',
    settings: {},
  };

  it.each(namedFormats)('is masked in %s unless it is asked for', async (format) => {
    const service = await startService([() => ({ json: sharing })]);
    const masked = await service.hogctl(`insights sharing 9 -o ${format} --debug`);
    expect(masked.code).toBe(0);
    expect(masked.stdout + masked.stderr).not.toContain('openToEverybody42');
    const shown = await service.hogctl(`insights sharing 9 -o ${format} --show-token`);
    expect(shown.stdout).toContain('openToEverybody42');
  });
});

describe('a key that is not accepted', () => {
  it.each([
    [401, 'authentication_failed'],
    [403, 'authentication_failed'],
    [403, 'not_authenticated'],
  ])('is not tried in another way, since it is wrong everywhere: %i %s', async (status, code) => {
    const service = await startService([{ status, json: { code, detail: 'Invalid.' }, times: 9 }]);
    expect((await service.hogctl('insights last-viewed')).code).toBe(4);
    expect(service.log).toHaveLength(1);
  });
});

describe('a key that is narrowed to other projects', () => {
  const narrowed = (projects: unknown) =>
    startService([
      () => ({ json: { id: 'k', label: 'narrow', scopes: ['person:read'], scoped_teams: projects } }),
    ]);

  it('is said to be refused in this one', async () => {
    const { code, stderr } = await (await narrowed([5, 7])).hogctl('auth status');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'The key is only for project 5, 7, so the service will refuse it for project 1.',
    );
  });

  it.each([[[]], [null], [[1, 5]], ['all']])('is not, when it says %j', async (projects) => {
    const { stderr } = await (await narrowed(projects)).hogctl('auth status');
    expect(stderr).not.toContain('will refuse it project');
  });
});

describe('the project in which the web app is now', () => {
  it('is read, and nothing is changed there', async () => {
    const service = await wantingTheKey();
    const run = (line: string) => service.hogctl(line, { environment: { HOGCTL_PROJECT: '@current' } });
    for (const line of [
      'persons set --email a@x.org plan pro',
      'persons update 1 --set plan=pro',
      'persons delete 1 --yes',
      'persons reset-distinct-id d --yes',
      'insights create --name a',
      'insights viewed 1',
      'api POST insights/ --yes',
    ]) {
      const { code, stderr } = await run(line);
      expect([line, code, stderr]).toEqual([line, 2, expect.stringMatching(/^error: @current can become/)]);
    }
    expect(service.log).toEqual([]);
    expect((await run('persons get 1')).code).toBe(0);
    expect((await run('persons update 1 --set plan=pro --dry-run')).code).toBe(0);
  });
});

describe('a project that the key does not reach', () => {
  const login = async (key: object, project: object = { json: { id: 1, name: 'Shop' } }) => {
    const service = await startService([
      ({ url }) => (url.includes('@current') ? { json: { id: 'k', label: 'new', ...key } } : project),
    ]);
    const transcript = await service.hogctl(loginWords(service), { stdin: KEY });
    const file = join(service.environment.HOGCTL_CONFIG_DIR ?? '', 'config.json');
    return { ...transcript, isStored: existsSync(file), urls: service.log.map(({ url }) => url) };
  };
  const absent = { status: 404, json: { code: 'not_found', detail: 'Project not found.' } };
  const refused = { status: 403, json: { code: 'permission_denied', detail: 'No access to the project.' } };

  it.each([
    ['is not there', { scopes: ['*'] }, absent, 3],
    ['is refused', { scopes: ['project:read'] }, refused, 4],
    ['is not one of the key', { scopes: ['*'], scoped_teams: [5, 7] }, undefined, 4],
  ])('is not stored where it %s', async (_, key, project, expected) => {
    const { code, stderr, isStored } = await login(key, project);
    expect([code, isStored]).toEqual([expected, false]);
    expect(stderr).toContain('the key has no access to project 1: ');
    expect(stderr).toContain('hint: nothing was stored');
  });

  it('is stored where the key may not read projects, with a note', async () => {
    const { code, stderr, isStored, urls } = await login({ scopes: ['person:read'] }, refused);
    expect([code, isStored, urls.length]).toEqual([0, true, 1]);
    expect(stderr).toContain('its access to project 1 was not checked');
  });

  it('is one that the service shows otherwise', async () => {
    const { code, isStored, urls } = await login({ scopes: ['project:read'] });
    expect([code, isStored, urls.at(-1)]).toEqual([0, true, '/api/projects/1/']);
  });
});
