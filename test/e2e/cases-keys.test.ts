import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KEY, person, startService, temporaryDirectory } from './service.ts';

const noOwnKeyRoute = {
  on: 'GET /api/personal_api_keys/@current/',
  times: 99,
  status: 404,
  json: { code: 'not_found', detail: 'Endpoint not found.' },
};

/** Answers with a person to the very key, with 401 to any other. */
function wantingTheKey() {
  return startService([
    noOwnKeyRoute,
    ({ headers }) =>
      headers.authorization === `Bearer ${KEY}`
        ? { json: person(1) }
        : { status: 401, json: { code: 'authentication_failed', detail: 'Invalid.' } },
  ]);
}

const loginWords = (service: { origin: string }, ...more: string[]) => [
  'auth',
  'login',
  '--host',
  service.origin,
  '--project',
  '1',
  '--name',
  'shop',
  '--key-stdin',
  ...more,
];

/** No key in the environment, so that the stored one counts. */
function withoutKey(environment: Readonly<Record<string, string>>) {
  return { HOGCTL_CONFIG_DIR: environment.HOGCTL_CONFIG_DIR ?? '' };
}

const endings: readonly [string, string][] = [
  ['a line break', `${KEY}\n`],
  ['CR and LF', `${KEY}\r\n`],
  ['spaces', `  ${KEY}  `],
  ['a line break before it', `\n${KEY}`],
  ['a byte order mark', `\uFEFF${KEY}\n`],
  ['quotes', `"${KEY}"\n`],
];

describe('O-35 a key with white space around it', () => {
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

describe('O-36 the key must not be visible', () => {
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

  it('is not taken from an option', async () => {
    const service = await echoing();
    const { code, stderr } = await service.hogctl(['auth', 'login', '--key', KEY]);
    expect(code).toBe(2);
    expect(stderr).not.toContain(KEY);
    expect(service.log).toEqual([]);
  });

  it('masks persons and queries in the trace', async () => {
    const service = await echoing();
    const { stderr } = await service.hogctl(['persons', 'list', '--email', 'ana@example.org', '--debug']);
    expect(stderr).toContain('GET /api/projects/1/persons/?email=***');
    expect(stderr).not.toContain('ana');
  });
});

describe('O-36 the access token of a shared insight', () => {
  const sharing = {
    created_at: '2026-01-02T03:04:05Z',
    enabled: true,
    access_token: 'openToEverybody42',
    settings: {},
  };

  it.each(['table', 'json', 'ndjson', 'csv', 'tsv'])(
    'is masked in %s unless it is asked for',
    async (format) => {
      const service = await startService([() => ({ json: sharing })]);
      const masked = await service.hogctl(`insights sharing 9 -o ${format} --debug`);
      expect(masked.code).toBe(0);
      expect(masked.stdout + masked.stderr).not.toContain('openToEverybody42');
      const shown = await service.hogctl(`insights sharing 9 -o ${format} --show-token`);
      expect(shown.stdout).toContain('openToEverybody42');
    },
  );
});

describe('O-37 permissions of the stored key', () => {
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('are 600 and 700, also after every rewrite', async () => {
    const service = await wantingTheKey();
    const directory = join(temporaryDirectory(), 'fresh', 'hogctl');
    const environment = { HOGCTL_CONFIG_DIR: directory };
    for (const words of [loginWords(service), loginWords(service, '--protected'), ['auth', 'use', 'shop']]) {
      const { code } = await service.hogctl(words, { stdin: KEY, environment });
      expect([code, mode(join(directory, 'config.json')), mode(directory)]).toEqual([0, '600', '700']);
    }
  });

  it('are named where they are looser, and tightened by the next rewrite', async () => {
    const service = await wantingTheKey();
    const environment = withoutKey(service.environment);
    const file = join(environment.HOGCTL_CONFIG_DIR, 'config.json');
    await service.hogctl(loginWords(service), { stdin: KEY, environment });
    chmodSync(file, 0o644);
    const list = await service.hogctl('auth list', { environment });
    expect(list.code).toBe(0);
    expect(list.stderr).toContain(file);
    await service.hogctl('auth use shop', { environment });
    expect(mode(file)).toBe('600');
  });
});

describe('O-38 a damaged configuration file', () => {
  it.each([
    ['cut in half', (text: string) => text.slice(0, text.length / 2)],
    ['empty', () => ''],
    ['two documents', (text: string) => text + text],
    ['not JSON at all', () => `key ${KEY}`],
    ['a list', () => '[]'],
  ])('is named, left as it is and not shown: %s', async (_, damage) => {
    const service = await wantingTheKey();
    const environment = withoutKey(service.environment);
    const file = join(environment.HOGCTL_CONFIG_DIR, 'config.json');
    await service.hogctl(loginWords(service), { stdin: KEY, environment });
    const before = damage(readFileSync(file, 'utf8'));
    writeFileSync(file, before);
    for (const words of [
      ['auth', 'list'],
      loginWords(service, '-p', '2'),
      ['auth', 'use', 'shop'],
      ['auth', 'logout', 'shop', '-y'],
    ]) {
      const { code, stdout, stderr } = await service.hogctl(words, { stdin: KEY, environment });
      expect(code).toBe(2);
      expect(stderr).toContain(`the configuration file ${file} is damaged`);
      expect(stdout + stderr).not.toContain(KEY.slice(4, 12));
      expect(readFileSync(file, 'utf8')).toBe(before);
    }
  });

  it('stops a key from the environment as well, since the file may protect the project', async () => {
    const service = await wantingTheKey();
    mkdirSync(service.environment.HOGCTL_CONFIG_DIR ?? '', { recursive: true });
    writeFileSync(join(service.environment.HOGCTL_CONFIG_DIR ?? '', 'config.json'), '{"half');
    const { code, stderr } = await service.hogctl('persons get 1');
    expect(stderr).toContain('damaged');
    expect(code).toBe(2);
  });
});

describe('O-39 401 and 403 explained', () => {
  const answers: readonly [string, Parameters<typeof startService>[0][number], readonly string[]][] = [
    [
      'a bad key',
      {
        status: 401,
        json: {
          type: 'authentication_error',
          code: 'authentication_failed',
          detail: 'Personal API key is invalid.',
        },
      },
      ['key is wrong', 'another region or host', '127.0.0.1:'],
    ],
    ['a bad key without a body', { status: 401 }, ['key is wrong', 'another region or host', '127.0.0.1:']],
    [
      'a bad key as 403',
      { status: 403, json: { code: 'authentication_failed', detail: 'No.' } },
      ['another region or host'],
    ],
    [
      'a scope that is missing',
      {
        status: 403,
        json: {
          type: 'authentication_error',
          code: 'permission_denied',
          detail: "API key missing required scope 'person:write'",
        },
      },
      ['person:write'],
    ],
    [
      'a project out of reach',
      {
        status: 403,
        json: {
          code: 'permission_denied',
          detail: 'API key does not have access to the requested project: ID 2.',
        },
      },
      ['project 2'],
    ],
  ];
  it.each(answers)('tells %s, sent once, with exit code 4', async (_, answer, words) => {
    const service = await startService([answer]);
    const environment = { HOGCTL_PROJECT: '2' };
    const { code, stdout, stderr } = await service.hogctl('persons delete 42 --yes', { environment });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr).not.toContain(KEY);
    expect(service.log).toHaveLength(1);
  });
});

describe('O-40 forms of the host', () => {
  const behindPrefix = () =>
    startService([
      { on: 'GET /ph/api/projects/1/persons/1/', times: 9, json: person(1) },
      { on: 'GET /ph/api/projects/1/persons/', times: 9, json: { next: null, results: [person(1)] } },
      () => ({ status: 404, body: '<h1>nothing here</h1>', headers: { 'content-type': 'text/html' } }),
    ]);

  it.each(['/ph', '/ph/', '/ph//', '/ph/api', '/ph/api/', '/ph/project/1/insights/abc', '//ph'])(
    'takes an address that ends in %s',
    async (ending) => {
      const service = await behindPrefix();
      for (const host of [service.origin + ending, ` ${service.origin}${ending} `]) {
        const { code, stderr } = await service.hogctl(['persons', 'get', '1', '--host', host]);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      }
      expect(service.log.map(({ url }) => url)).toEqual([
        '/ph/api/projects/1/persons/1/',
        '/ph/api/projects/1/persons/1/',
      ]);
    },
  );

  it.each([
    ['eu.i.posthog.com', 'eu.posthog.com'],
    ['https://us.i.posthog.com', 'us.posthog.com'],
    ['posthog.com', 'us.posthog.com or eu.posthog.com'],
    ['ftp://127.0.0.1/ph', 'http'],
    ['https://user:secret@127.0.0.1/ph', 'user name or password'],
    ['', '--host is empty'],
  ])('refuses %j before the key is sent', async (host, words) => {
    const service = await behindPrefix();
    const { code, stderr } = await service.hogctl(['persons', 'get', '1', `--host=${host}`]);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('secret');
    expect(service.log).toEqual([]);
  });

  it('says so when nothing of the service is there', async () => {
    const service = await behindPrefix();
    const { code, stdout, stderr } = await service.hogctl(['persons', 'list', '--host', service.origin]);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain('check the host');
    expect(stderr).not.toContain('<h1>');
  });

  it('has no host but the one that is named', async () => {
    const service = await behindPrefix();
    const { code, stderr } = await service.hogctl('persons get 1', { environment: { HOGCTL_HOST: '' } });
    expect(code).toBe(2);
    expect(stderr).toContain('no host is named');
  });
});
