import { describe, expect, it } from 'vitest';
import { KEY, person, startService } from '../support/service.ts';

describe('401 and 403 explained', () => {
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
      ['check the key', 'another region or host', '127.0.0.1:'],
    ],
    ['a bad key without a body', { status: 401 }, ['check the key', 'another region or host', '127.0.0.1:']],
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

describe('forms of the host', () => {
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
    ['clear', 'or https://clear'],
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
    expect(stderr).toContain('no host was given');
  });
});
