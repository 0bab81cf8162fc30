import { defineCommand } from '../../cli/command/define-command.ts';
import { CliError, usageError } from '../../errors.ts';
import { askFor, readKey } from './ask-login.ts';
import { checkKey } from './check-key.ts';

export const login = defineCommand({
  name: 'login',
  endpoints: [],
  summary: 'Store the key of a project on this computer',
  description:
    'The key is read from the terminal, from standard input with --key-stdin, or from HOGCTL_API_KEY; never from an\noption. It is sent to this host only.',
  examples: [
    'auth login --host eu --project 12345 --name shop',
    'auth login --host https://posthog.example.org --project 1 --name shop --protected --key-stdin < key.txt',
  ],
  options: {
    name: { type: 'text', placeholder: 'name', description: 'What to call the project here (project-<id>)' },
    protected: { type: 'flag', description: 'Destructive commands want its name typed' },
    keyStdin: { type: 'flag', description: 'Read the key from standard input' },
    dialect: {
      type: 'text',
      choices: ['specification', 'live'],
      description: 'Form of the requests, where it is not found out',
    },
  },
  async run({ name, protected: isProtected = false, keyStdin, dialect }, context) {
    const host = context.options.host ?? (await askFor('Host (us, eu or an address): ', '--host', context));
    const id = context.options.project ?? (await askFor('Project id: ', '--project', context));
    const { key, keySource } = await readKey({ keyStdin }, context);
    const store = context.projects();
    const { project, warnings } = store.prepare({
      name: name ?? `project-${id}`,
      host,
      id,
      key,
      keySource,
      protected: isProtected,
      dialect,
    });
    for (const warning of warnings) context.warn(`warning: ${warning}`);
    const found = await checkKey(project, context);
    if (found.failure) throw rejected(found.failure);
    found.notes.forEach(context.note);
    const stored = {
      ...project,
      dialect: project.dialect ?? found.dialect,
      ...(found.label ? { label: found.label } : {}),
    };
    if (context.dryRun)
      throw usageError('--dry-run has nothing to print here: login changes this computer only');
    const { outcome, isDefault } = await store.login(stored);
    const verb = outcome === 'added' ? 'Stored' : 'Replaced';
    context.report(
      `${verb} ${stored.name} (${stored.id}) at ${stored.host}${isDefault ? ', the default project' : ''}.`,
    );
  },
});

function rejected(failure: CliError): CliError {
  return new CliError(failure.kind, failure.message, {
    ...failure,
    hint: failure.hint ?? 'nothing was stored',
    cause: failure,
  });
}
