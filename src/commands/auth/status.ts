import { checkKey, keyRight } from '../../cli/auth.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { legalHoldText } from '../../semantics/legal-hold.ts';
import { insights } from '../../service/insights.ts';
import { persons } from '../../service/persons.ts';
import { maskKey } from '../../system/redactor.ts';

export const showStatus = defineCommand({
  name: 'status',
  summary: 'Show the project, host and key in use, their sources, and what the key may do',
  examples: ['auth status', 'auth status --project shop -o json'],
  async run(_input, context) {
    const settings = await context.settings();
    const { project, host, dialect, provenance, key = context.projects.key } = settings;
    const found = await checkKey({ id: project.id, host: host.address, key, dialect }, context);
    const rows = [...Object.values(persons), ...Object.values(insights)];
    const { scopes } = found;
    const refused = scopes ? rows.filter((row) => keyRight(row, scopes, dialect) === 'no') : [];
    found.notes.forEach(context.note);
    await context.print({
      project: project.id,
      project_from: provenance.project,
      name: project.name ?? null,
      protected: project.protected,
      ...(project.holds.length > 0 && { except: project.holds.map(legalHoldText) }),
      host: host.address,
      host_from: provenance.host,
      key: settings.key === undefined ? null : maskKey(settings.key),
      key_from: provenance.key,
      key_label: found.label ?? settings.keyLabel ?? null,
      dialect,
      dialect_from: provenance.dialect,
      scopes: scopes ?? null,
      refused_operations: scopes ? refused.map(({ id }) => id) : null,
    });
    if (found.failure) throw found.failure;
    if (refused.length > 0)
      context.note(`The key cannot run ${refused.length} operations; hogctl endpoints lists them.`);
  },
});
