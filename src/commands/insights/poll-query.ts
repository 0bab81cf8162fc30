import { platform } from '../../api/endpoints/platform.ts';
import type { QueryStatus } from '../../api/schemas.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';

/** `expired`: the service has forgotten the query. `closed`: this key may not ask. */
export type Polled =
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly status: QueryStatus }
  | { readonly state: 'expired' | 'closed' };

/** Asks once how far a query is. Throws where it failed, with the service's own words. */
export async function pollQuery(id: string, context: Context): Promise<Polled> {
  const client = await context.client();
  try {
    const { query_status: status } = await client.call(platform.queryStatus, { query_id: id });
    if (status.error === true) throw calculationFailed(status, {});
    return status.complete === true ? { state: 'done', status } : { state: 'running' };
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    if (failure.status === 403) return { state: 'closed' };
    if (failure.status === 404) return { state: 'expired' };
    const status = failedStatus(failure.answer);
    throw status === undefined ? failure : calculationFailed(status, failure);
  }
}

/** A failed calculation: `refused` where the service answers 400, since asking again changes nothing. */
function calculationFailed(
  { error_message: reason }: QueryStatus,
  { status, cause }: Pick<Partial<CliError>, 'status' | 'cause'>,
): CliError {
  const refused = status === 400;
  return new CliError(
    refused ? 'refused' : 'unavailable',
    `the calculation failed${reason ? `: ${reason}` : ''}`,
    {
      hint: refused ? 'Check the definition of the insight' : 'Try again later with --refresh',
      status,
      cause,
    },
  );
}

/** The status that an error's body holds. */
function failedStatus(answer: unknown): QueryStatus | undefined {
  if (typeof answer !== 'object' || answer === null || !('query_status' in answer)) return undefined;
  const { query_status: status } = answer;
  if (typeof status !== 'object' || status === null || !('error' in status)) return undefined;
  // The body of an error has no type of its own; its fields are read one by one.
  return status.error === true ? (status as QueryStatus) : undefined;
}
