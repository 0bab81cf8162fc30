import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { person, startService, temporaryDirectory } from '../support/service.ts';
import { type StubProxyOptions, startProxy } from '../support/stub-proxy.ts';
import { AUTHORITY, readCertificate } from '../support/stub-server.ts';

async function proxy(options: StubProxyOptions = {}) {
  const started = await startProxy(options);
  onTestFinished(() => started.close());
  return started;
}

describe('proxy variables', () => {
  const hidden = () => startService([{ json: person(1) }], { name: 'posthog.invalid' });

  it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])(
    'reaches the service through %s',
    async (name) => {
      const service = await hidden();
      const { origin, tunnels } = await proxy();
      const environment = { [name]: origin };
      const refused = await service.hogctl('persons get 1', { environment });
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('add --insecure') });
      expect(tunnels).toEqual([]);
      const { code, stderr } = await service.hogctl('persons get 1 --insecure', { environment });
      expect(code).toBe(0);
      expect(stderr).toBe(
        `warning: ${service.origin} is not encrypted: the key and all data are sent in clear text\n`,
      );
      expect(tunnels).toEqual([`posthog.invalid:${service.port}`]);
    },
  );

  it.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'HTTP_PROXY'])(
    'reaches a service with TLS through %s',
    async (name) => {
      const { key, cert } = readCertificate('server');
      const service = await startService([{ json: person(1) }], { tls: { key, cert }, name: 'localhost' });
      const { origin, tunnels } = await proxy();
      const { code, stderr } = await service.hogctl(`persons get 1 --ca-file '${AUTHORITY}'`, {
        environment: { [name]: origin },
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(tunnels).toEqual([`localhost:${service.port}`]);
    },
  );

  it('passes a host of NO_PROXY by', async () => {
    const service = await startService([{ json: person(1) }]);
    const { origin, tunnels } = await proxy();
    const environment = { HTTP_PROXY: origin, NO_PROXY: 'example.org,127.0.0.1' };
    expect((await service.hogctl('persons get 1', { environment })).code).toBe(0);
    expect(tunnels).toEqual([]);
  });

  it.each(['http://', 'socks5://127.0.0.1:1', '::::', 'http://user:hidden@:99999'])(
    'names a value that is no proxy: %s',
    async (value) => {
      const service = await hidden();
      const { code, stderr } = await service.hogctl('persons get 1 --insecure', {
        environment: { HTTP_PROXY: value },
      });
      expect(code).toBe(2);
      expect(stderr).toContain('HTTP_PROXY is not a usable proxy URL');
      expect(stderr).not.toContain('hidden');
      expect(service.log).toEqual([]);
    },
  );

  it('says that a proxy refused, and which one', async () => {
    const service = await hidden();
    const { origin, plain } = await proxy({ refuse: 403 });
    const { code, stdout, stderr } = await service.hogctl('persons get 1 --insecure', {
      environment: { HTTP_PROXY: origin },
    });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain(`through the proxy ${origin} of HTTP_PROXY`);
    expect(stderr).toContain('answered 403 with the page "Denied"');
    expect(stderr).toContain('nothing about the key');
    expect([plain.length, service.log.length]).toEqual([1, 0]);
  });

  it('says that a proxy is not there', async () => {
    const service = await hidden();
    const gone = await startProxy();
    await gone.close();
    const { code, stderr } = await service.hogctl('persons get 1 --insecure', {
      environment: { HTTP_PROXY: gone.origin },
    });
    expect(code).toBe(6);
    expect(stderr).toContain(`through the proxy ${gone.origin} of HTTP_PROXY`);
  });

  it('sends credentials to the proxy and shows them to nobody', async () => {
    const service = await hidden();
    const { url, tunnels } = await proxy({ credentials: { user: 'worker', password: 'opensesame/1' } });
    const { code, stderr } = await service.hogctl('persons get 1 --insecure --debug', {
      environment: { HTTP_PROXY: url },
    });
    expect(code).toBe(0);
    expect(tunnels).toHaveLength(1);
    expect(stderr).not.toMatch(/opensesame|worker/);
    const wrong = url.replace('opensesame', 'opensezame');
    const refused = await service.hogctl('persons get 1 --insecure --debug', {
      environment: { HTTP_PROXY: wrong },
    });
    expect(refused.code).toBe(6);
    expect(refused.stderr).toContain('407');
    expect(refused.stderr).not.toMatch(/opense[sz]ame|worker/);
  });
});

describe('a private certificate authority', () => {
  const secure = (name: 'server' | 'elsewhere' = 'server') => {
    const { key, cert } = readCertificate(name);
    return startService([{ json: person(1), times: 9 }], { tls: { key, cert } });
  };

  it('is a problem with the certificate where it is not trusted, with the remedy', async () => {
    const service = await secure();
    const { code, stdout, stderr } = await service.hogctl('persons get 1');
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain('the certificate of 127.0.0.1:');
    expect(stderr).toContain('--ca-file');
    expect(stderr).not.toMatch(/fetch failed|NODE_TLS_REJECT_UNAUTHORIZED|insecure/);
    expect(service.log).toEqual([]);
  });

  it('is trusted with --ca-file', async () => {
    const service = await secure();
    expect(await service.hogctl(`persons get 1 --ca-file '${AUTHORITY}'`)).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('is no help for a certificate of another name', async () => {
    const service = await secure('elsewhere');
    const { code, stderr } = await service.hogctl(`persons get 1 --ca-file '${AUTHORITY}'`);
    expect(code).toBe(6);
    expect(stderr).toContain('it is for another name');
    expect(service.log).toEqual([]);
  });

  it('is not found under a path that does not exist', async () => {
    const service = await secure();
    const { code, stderr } = await service.hogctl('persons get 1 --ca-file /nowhere/ca.pem');
    expect(code).toBe(2);
    expect(stderr).toContain('cannot read /nowhere/ca.pem: no such file');
  });

  it('is read from a pipe', async () => {
    const service = await secure();
    const pipe = join(temporaryDirectory(), 'ca.pipe');
    execFileSync('mkfifo', [pipe]);
    const written = writeFile(pipe, readFileSync(AUTHORITY));
    const { code, stderr } = await service.hogctl(['persons', 'get', '1', '--ca-file', pipe]);
    await written;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('is not looked for in a file without end', async () => {
    const service = await secure();
    const { code, stderr } = await service.hogctl('persons get 1 --ca-file /dev/zero');
    expect(code).toBe(2);
    expect(stderr).toContain('cannot read /dev/zero: it is larger than 64 MiB');
    expect(service.log).toEqual([]);
  });

  it('is missed with the file that NODE_EXTRA_CA_CERTS names and that is not there', async () => {
    const service = await secure();
    const environment = { NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem' };
    const { code, stderr } = await service.hogctl('persons get 1', { environment });
    expect(code).toBe(6);
    expect(stderr).toContain(
      'hint: NODE_EXTRA_CA_CERTS names /nowhere/ca.pem, but no such file or directory',
    );
  });

  it('is not read from a file that holds none', async () => {
    const service = await secure();
    const file = join(temporaryDirectory(), 'ca.pem');
    writeFileSync(file, 'hello');
    const { code, stderr } = await service.hogctl(['persons', 'get', '1', '--ca-file', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('certificate');
    expect(service.log).toEqual([]);
  });
});
