import { defineCommand } from '../../cli/command/define-command.ts';
import { openSandbox, sandboxEnvironment, sandboxOptions } from './open-sandbox.ts';

export const startSandboxCommand = defineCommand({
  name: 'start',
  summary: 'Start the sandbox on this computer, until Ctrl-C',
  description: 'It listens on this computer only. Paste the lines it prints into another shell.',
  examples: ['sandbox start', 'sandbox start --dialect live --port 8123', 'sandbox start --file shop.duckdb'],
  options: {
    ...sandboxOptions,
    port: { type: 'integer', minimum: 0, maximum: 65_535, description: 'Port (default any free port)' },
  },
  async run(input, context) {
    // DuckDB makes files beside the one that was named, and runs no children here.
    context.system.keepFilesPrivate();
    const sandbox = await openSandbox(input, context);
    try {
      const environment = sandboxEnvironment(sandbox, input.dialect);
      if (context.options.output === undefined) {
        const lines = Object.entries(environment).map(([name, value]) => `export ${name}=${value}\n`);
        await context.output.raw(lines.join(''));
      } else {
        await context.print(environment);
      }
      context.note(`The sandbox runs at ${sandbox.origin}; Ctrl-C stops it.`);
      await new Promise<void>((resolve) => {
        if (context.signal.aborted) resolve();
        context.signal.addEventListener('abort', () => resolve(), { once: true });
      });
    } finally {
      await sandbox.stop();
    }
  },
});
