import { commandsByRow, findRights, keyRight, neededScopes } from '../cli/auth.ts';
import { defineCommand } from '../cli/command/define-command.ts';
import type { Endpoint } from '../service/endpoint.ts';
import { insights } from '../service/insights.ts';
import { persons } from '../service/persons.ts';

export const listEndpoints = defineCommand({
  name: 'endpoints',
  summary: 'List all operations and their commands, and what the key may run',
  description: 'Without a project and key, it does not show what the key may run.',
  examples: ['endpoints', 'endpoints -o json', 'endpoints --columns spec_id,command,allowed'],
  paged: true,
  async run(_input, context) {
    const commands = await commandsByRow(context.groups);
    const rights = await findRights(context);
    const rows = [...Object.values(persons), ...Object.values(insights)].map((row: Endpoint) => ({
      spec_id: row.id,
      method: row.method,
      path: row.path,
      scope: neededScopes(row, rights?.dialect ?? 'specification').join(' '),
      command: commands.get(row.id) ?? null,
      allowed: rights ? keyRight(row, rights.scopes, rights.dialect) : null,
    }));
    await context.print(rows, [
      { key: 'spec_id', kind: 'id' },
      { key: 'method', kind: 'id' },
      { key: 'path' },
      { key: 'scope', minor: true },
      { key: 'command', prominent: true },
      ...(rights ? [{ key: 'allowed' }] : []),
    ]);
  },
});
