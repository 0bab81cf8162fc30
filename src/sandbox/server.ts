import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { CliError } from '../errors.ts';
import { answerRequest, type Service } from './answer-request.ts';

export type RunningServer = { readonly origin: string; readonly stop: () => Promise<void> };

const LONGEST_FAREWELL = 1000;

/**
 * Serves on a loopback address; port 0 takes a free one. `stop` lets running requests end, within a second.
 * Throws a `CliError` for a port that is taken.
 */
export async function serve(
  service: Service,
  place: { readonly host: string; readonly port: number },
): Promise<RunningServer> {
  const running = new Set<Promise<void>>();
  let origin = '';
  const server = createServer((request, response) => {
    const exchange = respond(service, { request, response, origin });
    running.add(exchange);
    exchange.finally(() => running.delete(exchange));
  });
  const port = await listen(server, place);
  origin = `http://${place.host.includes(':') ? `[${place.host}]` : place.host}:${port}`;
  return {
    origin,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const farewell = setTimeout(() => server.closeAllConnections(), LONGEST_FAREWELL);
      await Promise.all(running);
      server.closeIdleConnections();
      await closed;
      clearTimeout(farewell);
    },
  };
}

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly origin: string;
};

async function respond(service: Service, { request, response, origin }: Exchange): Promise<void> {
  const { status, headers, text } = await answerRequest(service, request, origin);
  // The caller is gone, and nothing would ever tell that the answer arrived.
  if (response.closed || response.destroyed) return;
  const length = Buffer.byteLength(text);
  // The date of an answer is by the sandbox's clock, never by this computer's.
  response.sendDate = false;
  // 204 has no body and no length of one.
  response.writeHead(status, status === 204 ? headers : { ...headers, 'content-length': length });
  await new Promise<void>((resolve) => {
    response.once('close', resolve).end(text);
  });
}

function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(
        new CliError('usage', `cannot listen on ${host}:${port}: ${cause.message}`, {
          hint: 'choose another --port, or leave it out to get a free one',
          cause,
        }),
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
