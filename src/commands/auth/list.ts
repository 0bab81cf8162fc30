import { defineCommand } from '../../cli/command/define-command.ts';
import { keySourceText } from '../../cli/context/create-context.ts';
import { legalHoldText } from '../../semantics/legal-hold.ts';

export const listLogins = defineCommand({
  name: 'list',
  summary: 'List the stored projects, without their keys',
  examples: ['auth list', 'auth list -o json'],
  paged: true,
  async run(_input, context) {
    const stored = context.projects.stored().list();
    for (const warning of stored.warnings) context.warn(`warning: ${warning}`);
    // Protection belongs to host and project, under whichever name it was asked for.
    const isProtected = (id: string, host: string) =>
      stored.projects.some((one) => one.protected && one.id === id && one.host === host);
    const rows = stored.projects.map(({ key: _key, keyCommand, label, dialect, except, ...project }) => ({
      ...project,
      protected: isProtected(project.id, project.host),
      default: project.name === stored.default,
      key_from: keySourceText(keyCommand, context.system.platform),
      label: label ?? null,
      dialect: dialect ?? null,
      ...(except === undefined ? {} : { except: legalHoldText(except) }),
    }));
    await context.print(rows, [
      { key: 'name' },
      { key: 'id', kind: 'id' },
      { key: 'host' },
      { key: 'default' },
      { key: 'protected' },
      { key: 'key_from' },
      { key: 'label' },
      ...(rows.some(({ except }) => except !== undefined) ? [{ key: 'except' }] : []),
    ]);
    if (rows.length === 0) context.note('store one with hogctl auth login');
  },
});
