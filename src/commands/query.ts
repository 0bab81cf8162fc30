import { defineCommand } from '../cli/command/define-command.ts';
import { answerOf, checkWaiting, waitForQuery } from '../insights/query-status.ts';
import { pointingAt, printRows, printRunning, projectVariables, queryOptions } from '../insights/sql.ts';
import { platform } from '../service/platform.ts';
import { sqlQuery } from '../service/sql.ts';

export const queryCommand = defineCommand({
  name: 'query',
  endpoints: [platform.query, platform.queryStatus, platform.insightVariables],
  summary: 'Run SQL over persons and events',
  description:
    'The query is an argument, @file, or - for standard input. {name} in it stands for a --value,\n{variables.name} for a variable of the project, whose value --variable gives.\nThe service answers 100 rows unless the query or --limit says more, 50,000 at most.',
  examples: [
    "query 'select event, count() from events group by event order by count() desc'",
    "query 'select id, properties.email from persons where properties.plan = {plan}' --value plan=pro --limit 1000 -o csv",
    'query @signups.sql --async --wait --wait-timeout 5min -o ndjson',
    'query - --limit 10 < signups.sql',
  ],
  arguments: { sql: { type: 'content', description: 'The query, @file, or -' } },
  omit: ['query', 'refresh', 'client_query_id'],
  options: queryOptions,
  async run({ sql, value, variable, limit, async: later, wait, waitTimeout, ...named }, context) {
    checkWaiting({ later, wait, waitTimeout });
    const client = await context.client();
    const variables = await projectVariables(variable, client);
    const query = sqlQuery({ sql, values: value, variables, limit });
    const asked = client.call(platform.query, { query, refresh: later ? 'async' : undefined, ...named });
    const answer = answerOf(await pointingAt(sql, asked));
    const running = later && answer.query_status?.complete === false ? answer.query_status : undefined;
    if (running && !wait) return printRunning(running, context);
    const found = running ? await pointingAt(sql, waitForQuery(running, waitTimeout, context)) : answer;
    await printRows(found, { sql, limit }, context);
  },
});
