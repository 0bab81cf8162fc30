import { apiOptions, curlText, isRead, makeRequest, printAnswer, printPages } from '../cli/api.ts';
import { defineCommand } from '../cli/command/define-command.ts';
import { helpText } from '../cli/command/help-text.ts';

export const apiCommand = defineCommand({
  name: 'api',
  summary: 'Send a request to any path of the service',
  description: helpText('commands/api'),
  examples: [
    'api GET persons/ -f search=example.org -f limit=5',
    'api GET insights/ --paginate',
    'api PATCH insights/9/ -f name="Weekly checkout" -f tags[]=weekly --project shop --yes',
    'api POST query/ --input query.json --yes --project shop',
    'api GET /api/users/@me/ --include',
    'api DELETE persons/42/ --curl',
  ],
  arguments: {
    method: { type: 'text', description: 'GET, HEAD, POST, PUT, PATCH or DELETE' },
    path: { type: 'text', description: 'Path, with a query string if needed' },
  },
  options: apiOptions,
  ownRows: false,
  async run({ method, path, field, input, paginate, include, curl }, context) {
    const request = await makeRequest({ method, path, field, input, paginate, include }, context);
    const question = { action: `send ${request.method} ${path}` };
    if (!isRead(request) && !curl) context.terminal.requireConsent(question);
    const client = await context.client();
    const described = client.api.describe(request);
    if (curl) return context.output.raw(`${curlText(described, request.body)}\n`);
    if (paginate) return printPages(client.api.pages(request), context);
    if (!isRead(request)) await context.confirm(question);
    const answer = await client.api.raw(request);
    if (answer !== undefined)
      await printAnswer(answer, { include: include ?? false, isRead: isRead(request) }, context);
  },
});
