import type { Options } from '../../cli/command/options.ts';
import { MOST_ROWS } from '../../queries/sql-query.ts';

/** The options of `query`. */
export const queryOptions = {
  value: {
    type: 'assignments',
    placeholder: 'name=value',
    description: 'The value of {name} in the query',
  },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: MOST_ROWS,
    description: 'Rows at most, up to 50,000; for a query without its own LIMIT',
  },
  async: { type: 'flag', description: 'Start the query, and print its id unless --wait is given' },
  wait: { type: 'flag', description: 'With --async: ask until it has ended' },
  waitTimeout: {
    type: 'duration',
    placeholder: 'time',
    description: 'With --wait: how long at most (10min)',
  },
} as const satisfies Options;
