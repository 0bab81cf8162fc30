import { defineCommand } from '../cli/command/define-command.ts';
import { askSql, queryOptions } from '../insights/query.ts';
import { platform } from '../service/platform.ts';

export const queryCommand = defineCommand({
  name: 'query',
  endpoints: [platform.query, platform.queryStatus, platform.insightVariables],
  summary: 'Run SQL over persons and events',
  description:
    'The query is an argument, @file, or - for standard input. --value gives a value to {name} in it, and --variable to\n{variables.name}, a variable of the project.\nThe service answers 100 rows unless the query or --limit asks for more, up to 50,000.\nWith a personal API key it refuses OFFSET: go on by a condition, as in WHERE id > {last} ORDER BY id.',
  examples: [
    "query 'select event, count() from events group by event order by count() desc'",
    "query 'select id, properties.email from persons where properties.plan = {plan}' --value plan=pro --limit 1000 -o csv",
    "query 'select toDate(timestamp) as day, count() from events group by day order by day' --chart",
    'query @signups.sql --async --wait --wait-timeout 5min -o ndjson',
    'query @signups.sql --check',
  ],
  arguments: {
    sql: {
      type: 'content',
      optional: true,
      description: 'The query, @file, or -; with --tables the name of a table',
    },
  },
  omit: ['query', 'refresh', 'client_query_id'],
  options: queryOptions,
  saves: ['parquet'],
  run: (input, context) => askSql(input, context),
});
