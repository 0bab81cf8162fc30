import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createPort } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { hogctl, temporaryDirectory } from './built-program.ts';

const has = (program: string) => spawnSync('which', [program]).status === 0;
const patience = 60_000;
const key = 'phx_everything';

/** Folder of configurations and certificates that other users, such as the one of squid, can read. */
let folder: string;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
const silent = createServer();
const ends: (() => unknown)[] = [];

/** All are held until each is known: one that was given back could be given out again. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createPort().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

async function listens(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (found) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing listens on ${port}`);
}

function keepRunning(program: string, words: readonly string[]): void {
  const child = spawn(program, words, { stdio: 'ignore' });
  ends.push(() => child.kill());
}

const read = (name: string) =>
  readFileSync(join(import.meta.dirname, '..', 'support', 'certificates', name), 'utf8');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hogctl-gateways-'));
  chmodSync(folder, 0o777);
  cpSync(join(import.meta.dirname, '..', 'support', 'certificates'), folder, { recursive: true });
  writeFileSync(join(folder, 'chain.pem'), read('chained.pem') + read('intermediate.pem'));
  writeFileSync(join(folder, 'both.pem'), read('authority.pem') + read('root.pem'));
  writeFileSync(join(folder, 'logins'), 'ana:{PLAIN}secret\n');
  sandbox = await startSandbox({
    dialect: 'specification',
    keys: [{ key, label: 'all', scopes: ['*'] }],
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  for (const end of ends) end();
  silent.closeAllConnections();
  silent.close();
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** One read through what stands before the service. */
async function list(host: string, words: readonly string[] = [], variables: Record<string, string> = {}) {
  const line = ['persons', 'list', '--limit', '2', '-q', '-o', 'csv', '--columns', 'id', '--retries', '1'];
  const { PATH = '' } = process.env;
  const environment = {
    PATH,
    HOME: temporaryDirectory(),
    HOGCTL_NO_CACHE: '1',
    HOGCTL_HOST: host,
    HOGCTL_PROJECT: '1',
    HOGCTL_API_KEY: key,
  };
  const { code, stdout, stderr } = await hogctl([...line, '--timeout', '20s', ...words], {
    ...environment,
    ...variables,
  });
  return { code, said: `${stdout}${stderr}` };
}

const shown = /^id\n\d+\n\d+\n/;
const own = (name: string, secret = 'server') =>
  `ssl_certificate @/${name}.pem; ssl_certificate_key @/${secret}-key-for-tests-only.pem;`;
const toService = 'location / { proxy_pass http://sandbox; }';

type Row = readonly [what: string, server: string, code: number, said: RegExp, words?: readonly string[]];

const servers: readonly Row[] = [
  ['a whole chain', `${own('chain')} ${toService}`, 0, shown],
  [
    'a chain without its intermediate',
    `${own('chained')} ${toService}`,
    6,
    /neither trusted here nor sent with it/,
  ],
  ['an expired certificate', `${own('expired')} ${toService}`, 6, /it has expired/],
  ['a certificate of tomorrow', `${own('early')} ${toService}`, 6, /not valid yet/],
  ['a certificate for another name', `${own('elsewhere', 'elsewhere')} ${toService}`, 6, /for another name/],
  ['a certificate signed by itself', `${own('client', 'client')} ${toService}`, 6, /signed by itself/],
  ['TLS 1.2 only', `ssl_protocols TLSv1.2; ${toService}`, 0, shown],
  [
    'TLS 1.1 only',
    `ssl_protocols TLSv1.1; ssl_ciphers ALL:@SECLEVEL=0; ${toService}`,
    6,
    /no version of TLS/,
  ],
  ['packed answers', `gzip on; gzip_proxied any; gzip_min_length 1; gzip_types *; ${toService}`, 0, shown],
  ['answers in parts', `proxy_buffering off; ${toService}`, 0, shown],
  ['two requests for each connection', `keepalive_requests 2; ${toService}`, 0, shown],
  [
    'a client certificate that is missing',
    `ssl_client_certificate @/client.pem; ssl_verify_client on; ${toService}`,
    5,
    /give one with --client-cert/,
  ],
  [
    'a client certificate that is right',
    `ssl_client_certificate @/client.pem; ssl_verify_client on; ${toService}`,
    0,
    shown,
    ['client'],
  ],
  [
    'a client certificate of somebody else',
    `ssl_client_certificate @/client.pem; ssl_verify_client on; ${toService}`,
    5,
    /check --client-cert/,
    ['server'],
  ],
  [
    'a login of its own',
    `auth_basic Staff; auth_basic_user_file @/logins; ${toService}`,
    5,
    /answered 401 with the page.*nothing about the key/s,
  ],
  [
    'a filter',
    `location / { default_type text/html; return 403 "<title>Blocked</title>"; }`,
    5,
    /the page "Blocked".*nothing about the key/s,
  ],
  [
    'a service that is gone',
    'location / { proxy_pass http://127.0.0.1:1; }',
    6,
    /trying again|502 with the page/,
  ],
  [
    'a service that is slow',
    'proxy_read_timeout 1s; location / { proxy_pass http://silent; }',
    6,
    /504 with the page.*waited too long/s,
  ],
  [
    'maintenance',
    'location / { default_type text/html; return 503 "<body>Maintenance</body>"; }',
    6,
    /answered 503/,
  ],
  [
    'a sign-in elsewhere',
    'location / { return 302 https://login.example.org/; }',
    5,
    /redirects to https:\/\/login/,
  ],
];

describe.skipIf(!has('nginx'))(
  'nginx before the service (skipped without nginx)',
  { timeout: patience },
  () => {
    let ports: readonly number[] = [];

    beforeAll(async () => {
      ports = await freePorts(servers.length);
      const blocks = servers.map(([, server], at) =>
        `server { listen 127.0.0.1:${ports[at]} ssl; ${server} }`.replaceAll('@/', `${folder}/`),
      );
      const { host } = new URL(sandbox.origin);
      const { port } = silent.address() as AddressInfo;
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join(' ');
      writeFileSync(
        join(folder, 'nginx.conf'),
        `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; events {}
      http { access_log off; ${places} upstream sandbox { server ${host}; keepalive 8; }
        upstream silent { server 127.0.0.1:${port}; } proxy_http_version 1.1; proxy_set_header Connection "";
        ${own('server').replaceAll('@/', `${folder}/`)} ${blocks.join('\n')} }`,
      );
      keepRunning('nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'nginx.log')]);
      await listens(ports[0] ?? 0);
    });

    it.each(servers.map((row, at) => [...row, at] as const))('%s', async (...row) => {
      const at = row.at(-1) as number;
      const [, , code, said, shows] = servers[at] ?? row;
      const certificate = Array.isArray(shows)
        ? [
            '--client-cert',
            join(folder, `${shows[0]}.pem`),
            '--client-key',
            join(folder, `${shows[0]}-key-for-tests-only.pem`),
          ]
        : [];
      const ended = await list(`https://127.0.0.1:${ports[at]}`, [
        '--ca-file',
        join(folder, 'both.pem'),
        ...certificate,
      ]);
      expect(ended).toEqual({ code, said: expect.stringMatching(said as RegExp) });
    });
  },
);

describe.skipIf(!has('squid') || !has('nginx'))(
  'squid (skipped without squid and nginx)',
  { timeout: patience },
  () => {
    const port = { service: 0, plain: 0, login: 0, tls: 0, strict: 0 };
    const ca = (name: string) => ['--ca-file', join(folder, name)];
    const through = (
      proxy: string,
      words: readonly string[] = ca('both.pem'),
      host = `https://127.0.0.1:${port.service}`,
    ) => list(host, words, { HTTPS_PROXY: proxy, HTTP_PROXY: proxy });

    beforeAll(async () => {
      const [service = 0, plain = 0, login = 0, tls = 0, strict = 0] = await freePorts(5);
      Object.assign(port, { service, plain, login, tls, strict });
      const { host, port: sandboxPort } = new URL(sandbox.origin);
      writeFileSync(
        join(folder, 'behind.conf'),
        `daemon off; pid ${folder}/behind.pid; error_log ${folder}/behind.log; events {} http { access_log off;
        client_body_temp_path ${folder}/b1; proxy_temp_path ${folder}/b2; fastcgi_temp_path ${folder}/b3;
        uwsgi_temp_path ${folder}/b4; scgi_temp_path ${folder}/b5;
        server { listen 127.0.0.1:${port.service} ssl; ${own('server').replaceAll('@/', `${folder}/`)}
          location / { proxy_pass http://${host}; } } }`,
      );
      keepRunning('nginx', ['-c', join(folder, 'behind.conf'), '-e', join(folder, 'behind.log')]);
      const helper = join(folder, 'login.sh');
      writeFileSync(
        helper,
        '#!/bin/sh\nwhile read -r line; do [ "$line" = "ana s3cret" ] && echo OK || echo ERR; done\n',
      );
      chmodSync(helper, 0o755);
      writeFileSync(
        join(folder, 'squid.conf'),
        `pid_filename ${folder}/squid.pid
cache_log ${folder}/squid.log
access_log none
cache_store_log none
coredump_dir ${folder}
cache deny all
shutdown_lifetime 0 seconds
visible_hostname squid.test
http_port 127.0.0.1:${port.plain}
http_port 127.0.0.1:${port.login} name=login
http_port 127.0.0.1:${port.strict} name=strict
https_port 127.0.0.1:${port.tls} tls-cert=${folder}/chain.pem tls-key=${folder}/server-key-for-tests-only.pem
auth_param basic program ${helper}
auth_param basic realm proxy
acl known proxy_auth REQUIRED
acl onlogin myportname login
acl onstrict myportname strict
acl CONNECT method CONNECT
acl https port 443
acl near port ${port.service} ${sandboxPort} 1
http_access deny onlogin !known
http_access deny CONNECT onstrict !https
http_access deny !near
http_access allow all
connect_timeout 2 seconds
forward_timeout 3 seconds
`,
      );
      if (process.getuid?.() === 0) spawnSync('chown', ['-R', 'proxy', folder]);
      keepRunning('squid', ['-N', '-f', join(folder, 'squid.conf')]);
      await listens(port.service);
      await listens(port.tls);
    });

    it('carries requests, in a tunnel or in TLS', async () => {
      expect(await through(`http://127.0.0.1:${port.plain}`)).toEqual({
        code: 0,
        said: expect.stringMatching(shown),
      });
      expect(await through(`https://localhost:${port.tls}`)).toEqual({
        code: 0,
        said: expect.stringMatching(shown),
      });
    });

    it.each([
      ['the right one', 'ana:s3cret@', 0, shown],
      ['a wrong one', 'ana:wrong@', 6, /the proxy requires a login, by Basic \(407\)/],
      ['none', '', 6, /the proxy requires a login, by Basic \(407\)/],
    ])('asks for a login: %s', async (_, login, code, said) => {
      expect(await through(`http://${login}127.0.0.1:${port.login}`)).toEqual({
        code,
        said: expect.stringMatching(said),
      });
    });

    it('is told apart from the service by its certificate, and by what it speaks', async () => {
      const unknown = await through(`https://localhost:${port.tls}`, ca('authority.pem'));
      expect(unknown).toEqual({
        code: 6,
        said: expect.stringContaining('the certificate of the proxy is not accepted'),
      });
      const plain = await through(`https://localhost:${port.plain}`);
      expect(plain).toEqual({ code: 6, said: expect.stringContaining('no secure connection to the proxy') });
    });

    it('that does not permit a port is told, and not asked again', async () => {
      const { code, said } = await through(`http://127.0.0.1:${port.strict}`);
      expect(code).toBe(6);
      expect(said).toMatch(/the proxy does not permit 127.0.0.1:\d+ \(403\)/);
      expect(said).not.toContain('trying again');
    });

    it('that cannot reach the service is asked again', async () => {
      const { code, said } = await through(`http://127.0.0.1:${port.plain}`, [], 'https://127.0.0.1:1');
      expect(code).toBe(6);
      expect(said).toMatch(/the proxy could not reach 127.0.0.1:1 \(50\d\)/);
    });

    it('that opens tunnels to 443 only takes requests without TLS as they are', async () => {
      expect(await through(`http://127.0.0.1:${port.strict}`, [], sandbox.origin)).toEqual({
        code: 0,
        said: expect.stringMatching(shown),
      });
    });
  },
);
