import type { Endpoint, InputOf } from '../api/endpoint.ts';
import type { Client, Description } from '../client/client.ts';
import type { Json } from '../json/kinds.ts';

/** Free requests with these methods change nothing. */
const READS: readonly string[] = ['GET', 'HEAD'];
/** The service refuses a format that the request does not accept. */
const ANY_FORMAT = { accept: '*/*' };

/** Ends a command whose whole answer has been printed. */
export class Finished extends Error {
  override readonly name = 'Finished';
}

export type Interception = {
  readonly dryRun: boolean;
  readonly serverFormat: 'csv' | 'json' | undefined;
  /** The rows that the command stands for; lookups on its way are not passed through. */
  readonly rows: readonly Endpoint[];
  keep(request: Description): void;
  passOn(bytes: Uint8Array): Promise<void>;
};

/**
 * The client of a command under `--dry-run` (writes are kept for printing and not sent) and `--server-format` (the
 * service's own answer to the command's row is passed through).
 */
export function interceptClient(client: Client, interception: Interception): Client {
  const { dryRun, serverFormat, rows } = interception;
  if (!dryRun && serverFormat === undefined) return client;
  const isPassed = (row: Endpoint) =>
    serverFormat !== undefined && row.effect === 'read' && rows.includes(row);
  const passOn = async <Row extends Endpoint>(
    row: Row,
    input: InputOf<Row>,
    body: Json | undefined,
  ): Promise<never> => {
    const answer = await client.raw(row, input, { body, query: { format: String(serverFormat) } });
    await interception.passOn(answer.bytes);
    throw new Finished();
  };
  return {
    ...client,
    call: async (row, input, additions) => {
      if (isPassed(row)) return passOn(row, input, additions?.body);
      if (!dryRun || row.effect === 'read') return client.call(row, input, additions);
      interception.keep(client.describe(row, input, additions));
      // Rows that are kept back may answer without a body, so a command copes with no answer.
      return undefined as Awaited<ReturnType<typeof client.call<typeof row>>>;
    },
    pages: async function* (row, input, additions) {
      if (isPassed(row)) await passOn(row, input, additions?.body);
      yield* client.pages(row, input, additions);
    },
    api: {
      ...client.api,
      raw: async (request, additions) => {
        const isRead = READS.includes(request.method.toUpperCase());
        if (isRead && serverFormat !== undefined) {
          const query = { ...request.query, format: serverFormat };
          return client.api.raw({ ...request, query, headers: ANY_FORMAT }, additions);
        }
        if (isRead || !dryRun) return client.api.raw(request, additions);
        interception.keep(client.api.describe(request));
        // As above: a request that is kept back has no answer, and its command copes with that.
        return undefined as unknown as Awaited<ReturnType<typeof client.api.raw>>;
      },
    },
  };
}
