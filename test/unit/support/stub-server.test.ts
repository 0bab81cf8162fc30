import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { Client, ProxyAgent, request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { readCertificate } from '../../support/read-certificate.ts';
import { startProxy } from '../../support/stub-proxy.ts';
import { type Script, type Stub, type StubOptions, startStub } from '../../support/stub-server.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function stubFor(script: Script, options?: StubOptions): Promise<Stub> {
  const stub = await startStub(script, options);
  closing.push(stub.close);
  return stub;
}

async function get(stub: Stub, path = '/'): Promise<{ status: number; text: string; bytes: Buffer }> {
  const { statusCode, body } = await request(`${stub.origin}${path}`);
  const bytes = Buffer.from(await body.arrayBuffer());
  return { status: statusCode, text: bytes.toString(), bytes };
}

/** What a server sends over one raw connection until it closes. */
function rawAnswer(stub: Stub): Promise<{ text: string; code: string | undefined }> {
  return new Promise((resolve) => {
    let text = '';
    let code: string | undefined;
    const socket = connect(stub.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      code = error.code;
    });
    socket.on('close', () => resolve({ text, code }));
  });
}

describe('the stub server', () => {
  it('answers in the order of the script and by method and path', async () => {
    const stub = await stubFor([
      { on: 'GET /b', json: { b: 1 } },
      { status: 201, body: 'first' },
      { on: /^GET \/c\?x=1$/, body: 'c' },
      { on: (received) => received.url === '/d', body: 'd' },
    ]);
    expect(await get(stub, '/a')).toMatchObject({ status: 201, text: 'first' });
    expect((await get(stub, '/b?q')).text).toBe('{"b":1}');
    expect((await get(stub, '/c?x=1')).text).toBe('c');
    expect((await get(stub, '/d')).text).toBe('d');
    expect((await get(stub, '/e')).status).toBe(599);
  });

  it('repeats a step as often as it says, and asks a function for the rest', async () => {
    const stub = await stubFor([{ times: 2, body: 'twice' }, ({ url }) => ({ body: url })]);
    expect((await get(stub)).text).toBe('twice');
    expect((await get(stub)).text).toBe('twice');
    expect((await get(stub, '/x')).text).toBe('/x');
  });

  it('keeps what it received', async () => {
    const stub = await stubFor([{}]);
    await request(`${stub.origin}/p?q=%2B`, { method: 'POST', body: '{"a":1}', headers: { 'x-a': 'b' } });
    expect(stub.log).toMatchObject([
      { method: 'POST', url: '/p?q=%2B', body: '{"a":1}', json: { a: 1 }, headers: { 'x-a': 'b' } },
    ]);
    expect(stub.log[0]?.at).toBeGreaterThan(0);
    expect(stub.connections()).toBe(1);
  });

  it('cuts a body of declared length', async () => {
    const { text } = await rawAnswer(await stubFor([{ body: 'abcdef', cutAt: 3 }]));
    expect(text).toMatch(/content-length: 6[\s\S]*\r\n\r\nabc$/i);
  });

  it('cuts a chunked body before its end mark', async () => {
    const { text } = await rawAnswer(await stubFor([{ body: 'abcdef', chunked: true, cutAt: 3 }]));
    expect(text).toMatch(/transfer-encoding: chunked[\s\S]*\r\n\r\n3\r\nabc\r\n$/i);
  });

  it('packs a body', async () => {
    const stub = await stubFor([{ json: { a: 1 }, gzip: true }]);
    expect(gunzipSync((await get(stub)).bytes).toString()).toBe('{"a":1}');
  });

  it('resets before or after the work', async () => {
    const done: string[] = [];
    const work = ({ url }: { url: string }): void => void done.push(url);
    const stub = await stubFor([
      { reset: 'before', work },
      { reset: 'after', work },
    ]);
    expect((await rawAnswer(stub)).code).toBe('ECONNRESET');
    expect(done).toEqual([]);
    expect((await rawAnswer(stub)).code).toBe('ECONNRESET');
    expect(done).toEqual(['/']);
  });

  it('lets a request wait for ever, until it is closed', async () => {
    const stub = await stubFor([{ never: true }]);
    const waiting = rawAnswer(stub);
    while (stub.log.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await stub.close();
    expect((await waiting).text).toBe('');
  });

  it('waits before it answers', async () => {
    const stub = await stubFor([{ delay: 30, body: 'late' }]);
    const started = performance.now();
    expect((await get(stub)).text).toBe('late');
    expect(performance.now() - started).toBeGreaterThan(25);
  });

  it('speaks https with the test certificates', async () => {
    const { key, cert, authority } = readCertificate('server');
    const stub = await stubFor([{ body: 'safe' }], { tls: { key, cert } });
    const client = new Client(stub.origin, { connect: { ca: authority } });
    closing.push(() => client.destroy());
    expect(await (await client.request({ method: 'GET', path: '/' })).body.text()).toBe('safe');
  });
});

describe('the stub proxy', () => {
  it('tunnels, counts, and asks for credentials', async () => {
    const stub = await stubFor([{ body: 'through' }]);
    const proxy = await startProxy({ credentials: { user: 'u', password: 'p@ss' } });
    closing.push(proxy.close);
    const agent = new ProxyAgent(proxy.url);
    const stranger = new ProxyAgent(proxy.origin);
    closing.push(
      () => agent.destroy(),
      () => stranger.destroy(),
    );
    const { body } = await request(stub.origin, { dispatcher: agent });
    expect(await body.text()).toBe('through');
    await expect(request(stub.origin, { dispatcher: stranger })).rejects.toThrow('407');
    expect(proxy.tunnels).toEqual([`127.0.0.1:${stub.port}`, `127.0.0.1:${stub.port}`]);
    expect(proxy.plain).toEqual([]);
  });

  it('refuses tunnels when told to', async () => {
    const proxy = await startProxy({ refuse: 403 });
    closing.push(proxy.close);
    const agent = new ProxyAgent(proxy.url);
    closing.push(() => agent.destroy());
    await expect(request('http://127.0.0.1:9/', { dispatcher: agent })).rejects.toThrow('403');
  });
});
