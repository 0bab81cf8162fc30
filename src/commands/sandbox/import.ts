import { defineCommand } from '../../cli/command/define-command.ts';
import { usageError } from '../../errors.ts';
import { platform } from '../../service/platform.ts';

export const importIntoSandbox = defineCommand({
  name: 'import',
  endpoints: [platform.sandboxImport],
  summary: 'Load persons and events from files into the running sandbox',
  description:
    'Files of persons are those that persons export and persons list --all write, in any format but table.',
  examples: ['sandbox import --persons people.ndjson', 'sandbox import --events events.parquet'],
  async run({ persons, events }, context) {
    if (persons === undefined && events === undefined) {
      throw usageError('there is nothing to import', 'give --persons, --events or both');
    }
    const client = await context.client();
    // The sandbox reads the files, and it may have been started in another directory.
    const files = {
      persons: persons && context.files.absolutePath(persons),
      events: events && context.files.absolutePath(events),
    };
    await context.print(await client.call(platform.sandboxImport, files));
  },
});
