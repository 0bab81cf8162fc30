import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export type StubProxy = {
  /** Without credentials. */
  readonly origin: string;
  /** With credentials, where it wants some. */
  readonly url: string;
  /** `host:port` of each tunnel that was asked for, refused ones included. */
  readonly tunnels: readonly string[];
  /** The addresses of requests that came without a tunnel. */
  readonly plain: readonly string[];
  readonly close: () => Promise<void>;
};

export type StubProxyOptions = {
  readonly credentials?: { readonly user: string; readonly password: string };
  /** The schemes of the logins that it offers. */
  readonly schemes?: readonly string[];
  /** Answers tunnels with this status, and plain requests with a page of it unless `tunnelsOnly`. */
  readonly refuse?: number;
  /** How many of them are refused; all unless said otherwise. */
  readonly times?: number;
  /** Carries plain requests even though it refuses tunnels. */
  readonly tunnelsOnly?: true;
  /** Writes this in place of an answer to CONNECT, and closes. */
  readonly raw?: string;
  /** Speaks https with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string };
};

/** A proxy on 127.0.0.1 for tunnels and plain requests. Asks for credentials with 407 where it is given some. */
export async function startProxy(options: StubProxyOptions = {}): Promise<StubProxy> {
  const tunnels: string[] = [];
  const plain: string[] = [];
  const sockets = new Set<Duplex>();
  const { credentials, refuse = 0, times = Number.POSITIVE_INFINITY } = options;
  const login = Buffer.from(`${credentials?.user}:${credentials?.password}`).toString('base64');
  const isUnknown = (request: IncomingMessage): boolean =>
    credentials !== undefined && request.headers['proxy-authorization'] !== `Basic ${login}`;
  const asked = (options.schemes ?? ['Basic']).map((scheme) => `${scheme} realm="proxy"`);
  const track = (socket: Duplex): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    plain.push(request.url ?? '');
    if (isUnknown(request)) response.writeHead(407, { 'proxy-authenticate': asked }).end();
    else if (refuse > 0 && !options.tunnelsOnly)
      response.writeHead(refuse, { 'content-type': 'text/html' }).end('<title>Denied</title>');
    else carry(request, response);
  };
  const server = options.tls ? createSecureServer(options.tls, listener) : createServer(listener);
  server.on('connection', (socket: Socket) => track(socket));
  server.on('tlsClientError', () => undefined);
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const target = request.url ?? '';
    tunnels.push(target);
    if (options.raw !== undefined) return void socket.end(options.raw);
    if (refuse > 0 && tunnels.length <= times) return answer(socket, refuse, asked);
    if (isUnknown(request)) return answer(socket, 407, asked);
    const onward = connect(Number(target.slice(target.lastIndexOf(':') + 1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    track(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server always has an address of this type.
  const { port } = server.address() as AddressInfo;
  const scheme = options.tls ? 'https' : 'http';
  const shown = credentials
    ? `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`
    : '';
  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    url: `${scheme}://${shown}127.0.0.1:${port}`,
    tunnels,
    plain,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function answer(socket: Duplex, status: number, schemes: readonly string[]): void {
  const login = status === 407 ? schemes.map((scheme) => `proxy-authenticate: ${scheme}\r\n`).join('') : '';
  socket.end(`HTTP/1.1 ${status} Refused\r\n${login}content-length: 0\r\nconnection: close\r\n\r\n`);
}

/** Asks the service on this computer, whatever name the address has. */
function carry(request: IncomingMessage, response: ServerResponse): void {
  const { port, pathname, search } = new URL(request.url ?? '');
  const { method } = request;
  const { 'proxy-authorization': _, ...headers } = request.headers;
  const onward = send(
    { port, path: `${pathname}${search}`, method, headers, host: '127.0.0.1' },
    (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    },
  );
  onward.on('error', () => response.writeHead(503).end());
  request.pipe(onward);
}
