import { checkKey, loginOptions, prepareLogin } from '../../cli/auth.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { holdOptions } from '../../erasure/options.ts';
import { legalHoldText } from '../../semantics/legal-hold.ts';

export const login = defineCommand({
  name: 'login',
  summary: 'Store the key of a project on this computer',
  description: helpText('commands/auth/login'),
  examples: [
    'auth login --host eu --project 12345 --name shop',
    "auth login --host eu --project 12345 --name shop --key-command 'pass show posthog'",
    'auth login --host https://posthog.example.org --project 1 --name shop --protected --key-stdin < key.txt',
    'auth login --name shop --except hold.csv --except-as emails',
  ],
  options: { ...loginOptions, ...holdOptions },
  async run(input, context) {
    const { checkHold } = await import('../../erasure/people/holds.ts');
    const hold = await checkHold(input, context);
    const { project, key } = await prepareLogin({ ...input, hold }, context);
    const { dialect, label, notes, failure } = await checkKey({ ...project, key, isNew: true }, context);
    if (failure) throw failure;
    notes.forEach(context.note);
    const stored = { ...project, dialect: project.dialect ?? dialect, ...(label ? { label } : {}) };
    const { isNew, isDefault } = await context.projects.stored().login(stored);
    const verb = isNew ? 'Stored' : 'Replaced';
    const suffix = `${stored.protected ? ', protected' : ''}${isDefault ? ', the default project' : ''}`;
    context.report(`${verb} ${stored.name} (${stored.id}) at ${stored.host}${suffix}.`);
    if (stored.except) context.report(`Its legal hold is ${legalHoldText(stored.except)}.`);
  },
});
