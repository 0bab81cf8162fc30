import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export type StubProxy = {
  /** Without credentials. */
  readonly origin: string;
  /** With credentials, where it wants some. */
  readonly url: string;
  /** `host:port` of each tunnel that was asked for, refused ones included. */
  readonly tunnels: readonly string[];
  /** Requests that came without a tunnel. */
  readonly plain: readonly string[];
  readonly close: () => Promise<void>;
};

export type StubProxyOptions = {
  readonly credentials?: { readonly user: string; readonly password: string };
  /** Answers every tunnel with this status. */
  readonly refuse?: number;
};

/** A CONNECT proxy on 127.0.0.1. Asks for credentials with 407 where it is given some. */
export async function startProxy(options: StubProxyOptions = {}): Promise<StubProxy> {
  const tunnels: string[] = [];
  const plain: string[] = [];
  const sockets = new Set<Duplex>();
  const { credentials } = options;
  const wanted =
    credentials && `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;
  const server = createServer((request, response) => {
    plain.push(request.url ?? '');
    response.writeHead(400).end();
  });
  const track = (socket: Duplex): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  server.on('connection', (socket: Socket) => track(socket));
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const target = request.url ?? '';
    tunnels.push(target);
    if (options.refuse !== undefined) return refuse(socket, options.refuse);
    if (wanted !== undefined && request.headers['proxy-authorization'] !== wanted) return refuse(socket, 407);
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
  const login = credentials
    ? `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`
    : '';
  return {
    origin: `http://127.0.0.1:${port}`,
    url: `http://${login}127.0.0.1:${port}`,
    tunnels,
    plain,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}
