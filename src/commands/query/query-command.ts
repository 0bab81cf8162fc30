import { platform } from '../../api/endpoints/platform.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { sqlQuery } from '../../queries/sql-query.ts';
import { pointingAt } from './pointing-at.ts';
import { printRows } from './print-rows.ts';
import { queryOptions } from './query-options.ts';
import { answerOf, checkWaiting, waitForQuery } from './wait-for-query.ts';

export const queryCommand = defineCommand({
  name: 'query',
  endpoints: [platform.query, platform.queryStatus],
  summary: 'Run SQL over persons and events',
  description:
    'The query is an argument, @file, or - for standard input. {name} in it stands for a --value.\nThe service answers 100 rows unless the query or --limit says more, 50,000 at most.',
  examples: [
    "query 'select event, count() from events group by event order by count() desc'",
    "query 'select id, properties.email from persons where properties.plan = {plan}' --value plan=pro --limit 1000 -o csv",
    'query @signups.sql --async --wait --wait-timeout 5min -o ndjson',
    'query - --limit 10 < signups.sql',
  ],
  arguments: { sql: { type: 'content', description: 'The query, @file, or -' } },
  omit: ['query', 'refresh', 'client_query_id'],
  options: queryOptions,
  async run({ sql, value, limit, async: later, wait, waitTimeout, name }, context) {
    checkWaiting({ later, wait, waitTimeout });
    const query = sqlQuery({ sql, values: value, limit });
    const client = await context.client();
    const refresh = later ? 'async' : undefined;
    const answer = answerOf(await pointingAt(sql, client.call(platform.query, { query, refresh, name })));
    const status = answer.query_status;
    if (!later || status?.complete !== false) return printRows(answer, { sql, limit }, context);
    if (wait)
      return printRows(
        await pointingAt(sql, waitForQuery(status, waitTimeout, context)),
        { sql, limit },
        context,
      );
    context.note(`The query runs; hogctl api GET query/${status.id}/ shows how far it is, and its result.`);
    return context.print({ id: status.id ?? null, complete: false });
  },
});
