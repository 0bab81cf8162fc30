import { platform } from '../api/endpoints/platform.ts';
import type { QueryStatus } from '../api/schemas.ts';
import type { Context } from '../cli/context.ts';
import { CliError } from '../errors.ts';

/** `forgotten`: the service knows the query no more. `closed`: this key may not ask. `cause` is the answer that said so. */
export type QueryState =
  | { readonly state: 'running'; readonly status: QueryStatus }
  | { readonly state: 'done'; readonly status: QueryStatus }
  | { readonly state: 'failed'; readonly status: QueryStatus; readonly cause?: CliError }
  | { readonly state: 'forgotten' | 'closed'; readonly cause: CliError };

/** Asks once how far a query is. A failed one is told by a 200, and by a 400 or 500 with its status in the body. */
export async function askQuery(id: string, context: Context): Promise<QueryState> {
  const client = await context.client();
  try {
    const { query_status: status } = await client.call(platform.queryStatus, {
      query_id: id,
      show_progress: true,
    });
    if (status.error === true) return { state: 'failed', status };
    return status.complete === false ? { state: 'running', status } : { state: 'done', status };
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    const status = failedStatus(failure.answer);
    if (status !== undefined) return { state: 'failed', status, cause: failure };
    if (failure.status === 403) return { state: 'closed', cause: failure };
    if (failure.status === 404) return { state: 'forgotten', cause: failure };
    throw failure;
  }
}

/** What the service says of a failure, as the end of a sentence. */
export function reasonOf({ error_message: message }: QueryStatus): string {
  return typeof message === 'string' && message !== '' ? `: ${message}` : '';
}

function failedStatus(answer: unknown): QueryStatus | undefined {
  if (typeof answer !== 'object' || answer === null || !('query_status' in answer)) return undefined;
  const { query_status: status } = answer;
  if (typeof status !== 'object' || status === null || !('error' in status)) return undefined;
  // The body of an error has no type of its own; its fields are read one by one.
  return status.error === true ? (status as QueryStatus) : undefined;
}
