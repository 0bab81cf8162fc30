import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { deflateSync, gzipSync } from 'node:zlib';
import { mutateBytes, mutateJson } from './chance.mjs';

/** A sandbox of its own process: what it answers is valid, and the mutations begin there. */
export async function startSandbox(program, dialect) {
  const child = spawn(
    process.execPath,
    [program, 'sandbox', 'start', '--dialect', dialect, '-o', 'json', '--now', '2026-06-18T12:00:00Z'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, HOGCTL_NO_CACHE: '1' },
    },
  );
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  while (!text.includes('}')) await once(child.stdout, 'data');
  const { HOGCTL_HOST: origin, HOGCTL_API_KEY: key } = JSON.parse(text);
  return { origin, key, child, stop: () => child.kill('SIGTERM') };
}

const isRead = (method, path) =>
  method === 'GET' ||
  method === 'HEAD' ||
  (method === 'POST' &&
    /\/(query|funnel|correlation|trends|lifecycle|stickiness|batch_by_\w+|\w*funnel\w*|viewed)\/?(\?|$)/.test(
      path,
    ));

/**
 * A service on 127.0.0.1 that passes reads on to a sandbox and alters what it answers. Each case has a path of its own,
 * under which `cases` holds how it alters and what has arrived. Changes never reach the sandbox: they are noted.
 */
export async function startService(sandboxes, cases) {
  const server = createServer(async (incoming, outgoing) => {
    const [, name = '', path = '/'] = /^\/(\w+)(\/.*)?$/.exec(incoming.url ?? '') ?? [];
    const one = cases.get(name);
    if (one === undefined) return void outgoing.writeHead(404).end();
    const parts = [];
    for await (const part of incoming) parts.push(part);
    const body = Buffer.concat(parts);
    const read = isRead(incoming.method, path);
    const answer = read
      ? await passOn(sandboxes[one.dialect], {
          method: incoming.method,
          path,
          body,
          headers: incoming.headers,
        })
      : { status: incoming.method === 'DELETE' ? 204 : 200, body: changed(path, body) };
    one.log.push({ method: incoming.method, path, body: body.toString('utf8'), read });
    const altered = one.mutate ? alter(answer, one.chance) : answer;
    if (read) one.told.push(altered.body.toString('latin1'));
    send(outgoing, altered);
  });
  server.on('error', () => {}).on('clientError', (_, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () => server.close().closeAllConnections(),
  };
}

function passOn({ origin, key }, { method, path, body, headers }) {
  return new Promise((resolve) => {
    const passed = {
      authorization: `Bearer ${key}`,
      'content-type': headers['content-type'] ?? 'application/json',
    };
    const outgoing = request(`${origin}${path}`, { method, headers: passed }, async (answer) => {
      const parts = [];
      for await (const part of answer) parts.push(part);
      resolve({ status: answer.statusCode, body: Buffer.concat(parts) });
    });
    outgoing.on('error', () => resolve({ status: 502, body: Buffer.from('{}') }));
    outgoing.end(body);
  });
}

/** What the service says to a change, in the shape of the operation. */
function changed(path, body) {
  if (/bulk_delete/.test(path)) {
    const { ids = [], distinct_ids: distinctIds = [] } = parse(body);
    const count = [ids, distinctIds].flat().length;
    return Buffer.from(
      JSON.stringify({
        persons_found: count,
        persons_deleted: count,
        events_queued_for_deletion: true,
        recordings_queued_for_deletion: false,
        deletion_errors: [],
      }),
    );
  }
  return Buffer.from('{"id":1,"success":true}');
}

function parse(body) {
  try {
    return Object(JSON.parse(body.toString('utf8')));
  } catch {
    return {};
  }
}

/** The answer as a broken, old or hostile service would give it. */
function alter(answer, chance) {
  const kind = chance.below(20);
  const { status, body } = answer;
  if (kind < 11) return { status, body: Buffer.from(mutateJson(body.toString('utf8'), chance)) };
  if (kind < 13) return { status, body: mutateBytes(body, chance) };
  if (kind === 13)
    return {
      status: chance.pick([
        200, 201, 204, 206, 301, 302, 400, 401, 403, 404, 405, 409, 418, 429, 500, 503, 599,
      ]),
      body,
      headers: {
        'retry-after': chance.pick(['0', '1', '-5', 'x', '1e9']),
        location: chance.pick(['/', 'http://127.0.0.1:1/', '::', '../x']),
      },
    };
  if (kind === 14)
    return {
      status,
      body: gzipSync(body).subarray(0, chance.often(0.5) ? undefined : 20),
      headers: { 'content-encoding': chance.pick(['gzip', 'deflate', 'br', 'gzip, gzip']) },
    };
  if (kind === 15) return { status, body: deflateSync(body), headers: { 'content-encoding': 'gzip' } };
  if (kind === 16) return { status, body, cutAt: chance.below(body.length + 1) };
  if (kind === 17)
    return {
      status,
      body: Buffer.concat([Buffer.from(chance.pick(['\ufeff', ' '.repeat(100_000), '\0', '/**/'])), body]),
    };
  if (kind === 18) return { status, body: Buffer.from(body.toString('utf8'), 'utf16le') };
  return {
    status,
    body: Buffer.from(
      body
        .toString('utf8')
        .replaceAll(
          /"next":(null|"[^"]*")/g,
          () =>
            `"next":"${chance.pick(['?limit=1&offset=1', '/', 'http://evil.example/', '/other/api/projects/2/persons/', '?offset=-1', ''])}"`,
        ),
    ),
  };
}

function send(outgoing, { status, body, headers = {}, cutAt }) {
  const whole = { 'content-type': 'application/json', ...headers };
  if (status === 204) return void outgoing.writeHead(204, headers).end();
  if (cutAt === undefined)
    return void outgoing.writeHead(status, { ...whole, 'content-length': body.length }).end(body);
  outgoing.writeHead(status, { ...whole, 'content-length': body.length + 1 });
  outgoing.write(body.subarray(0, cutAt), () => outgoing.destroy());
}
