import { defineCommand } from '../cli/command/define-command.ts';
import { helpText } from '../cli/command/help-text.ts';
import { askSql, queryOptions } from '../insights/query.ts';
import { platform } from '../service/platform.ts';

export const queryCommand = defineCommand({
  name: 'query',
  endpoints: [platform.query, platform.queryStatus, platform.insightVariables],
  summary: 'Run SQL over persons and events',
  description: helpText('commands/query'),
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
