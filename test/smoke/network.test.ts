import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { person } from '../support/service.ts';
import { startProxy } from '../support/stub-proxy.ts';
import { AUTHORITY, readCertificate } from '../support/stub-server.ts';
import { hogctl, KEY, startService, temporaryDirectory } from './built-program.ts';

const secure = () => {
  const { key, cert } = readCertificate('server');
  return { tls: { key, cert } };
};

describe('requests of the built program', { timeout: 60_000 }, () => {
  it('carry a body', async () => {
    const { environment, log } = await startService([{ json: person(42) }]);
    const words = ['persons', 'update', '42', '--set', 'a=ü 日本'];
    expect((await hogctl(words, environment)).code).toBe(0);
    expect(log[0]).toMatchObject({ method: 'PATCH', json: { properties: { a: 'ü 日本' } } });
    expect(log[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('are sent again after a 429, a 503 and a lost connection', async () => {
    const { environment, log } = await startService([
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 503, headers: { 'retry-after': '0' } },
      { reset: 'before' },
      { json: person(1) },
    ]);
    const { code, stderr } = await hogctl(['persons', 'get', '1'], environment);
    expect(code).toBe(0);
    expect(stderr.match(/trying again in/g)).toHaveLength(3);
    expect(log.filter(({ method }) => method === 'GET')).toHaveLength(4);
  });

  it('end at their timeout', async () => {
    const { environment, log } = await startService([{ never: true, times: 9 }]);
    const { code, stderr } = await hogctl(['persons', 'get', '1', '--timeout', '0.3'], environment);
    expect(code).toBe(6);
    expect(stderr).toContain('did not answer completely within 0.3 s');
    expect(log).toHaveLength(1);
  });

  it('take packed answers', async () => {
    const { environment } = await startService([{ json: person(1), gzip: true, chunked: true }]);
    const { code, stdout } = await hogctl(['persons', 'get', '1', '-o', 'json'], environment);
    expect(code).toBe(0);
    expect(JSON.parse(String(stdout))).toEqual(person(1));
  });

  it('go through a proxy with credentials', async () => {
    const { environment, port } = await startService([{ json: person(1) }], { name: 'posthog.invalid' });
    const proxy = await startProxy({ credentials: { user: 'worker', password: 'opensesame' } });
    onTestFinished(() => proxy.close());
    const { code, stderr } = await hogctl(['persons', 'get', '1', '--insecure', '--debug'], {
      ...environment,
      http_proxy: proxy.url,
    });
    expect(code).toBe(0);
    expect(proxy.tunnels).toEqual([`posthog.invalid:${port}`]);
    expect(stderr).not.toContain('opensesame');
  });

  it('go through a proxy to a service with TLS', async () => {
    const { environment, port } = await startService([{ json: person(1) }], {
      ...secure(),
      name: 'localhost',
    });
    const proxy = await startProxy();
    onTestFinished(() => proxy.close());
    const { code } = await hogctl(['persons', 'get', '1'], {
      ...environment,
      HTTPS_PROXY: proxy.url,
      NODE_EXTRA_CA_CERTS: AUTHORITY,
    });
    expect(code).toBe(0);
    expect(proxy.tunnels).toEqual([`localhost:${port}`]);
  });
});

describe('a private certificate authority', { timeout: 60_000 }, () => {
  it('is trusted through NODE_EXTRA_CA_CERTS and through --ca-file, and not without', async () => {
    const { environment } = await startService([{ json: person(1), times: 9 }], secure());
    const get = ['persons', 'get', '1', '-o', 'json'];
    const without = await hogctl(get, environment);
    expect(without.code).toBe(6);
    expect(without.stderr).toContain('NODE_EXTRA_CA_CERTS');
    const extra = await hogctl(get, { ...environment, NODE_EXTRA_CA_CERTS: AUTHORITY });
    const option = await hogctl([...get, '--ca-file', AUTHORITY], environment);
    const both = await hogctl([...get, '--ca-file', AUTHORITY], {
      ...environment,
      NODE_EXTRA_CA_CERTS: AUTHORITY,
    });
    for (const { code, stderr } of [extra, option, both])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('projects stored by the built program', { timeout: 60_000 }, () => {
  it('are written, used and removed', async () => {
    const { environment, origin, log } = await startService([
      {
        on: 'GET /api/personal_api_keys/@current/',
        times: 9,
        json: { id: 'k', label: 'ops', scopes: ['*'] },
      },
      () => ({ json: person(1) }),
    ]);
    const directory = join(temporaryDirectory(), 'config');
    const { HOGCTL_HOST, HOGCTL_PROJECT, HOGCTL_API_KEY, ...bare } = environment;
    const variables = { ...bare, HOGCTL_CONFIG_DIR: directory };
    const words = ['auth', 'login', '--host', origin, '--project', '1', '--name', 'shop', '--key-stdin'];
    expect((await hogctl(words, variables, `${KEY}\n`)).code).toBe(0);
    expect(readFileSync(join(directory, 'config.json'), 'utf8')).toContain('"shop"');
    expect((await hogctl(['persons', 'get', '1'], variables)).code).toBe(0);
    expect(log.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect((await hogctl(['auth', 'logout', 'shop', '--yes'], variables)).code).toBe(0);
    expect(existsSync(join(directory, 'config.json'))).toBe(true);
    expect(readFileSync(join(directory, 'config.json'), 'utf8')).not.toContain(KEY);
  });
});
