import type { Dialect } from '../../api/endpoint.ts';
import { platform } from '../../api/endpoints/platform.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';

export type KeyCheck = {
  readonly dialect: Dialect;
  readonly label?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly notes: readonly string[];
  /** The key does not work here. */
  readonly failure?: CliError;
};
type Project = {
  readonly id: string;
  readonly host: string;
  readonly key: string;
  readonly dialect?: Dialect;
};

/**
 * Asks the service what the key may do. A service that answers is a live one; one without that address is taken for one
 * of the specification.
 */
export async function checkKey(project: Project, context: Context): Promise<KeyCheck> {
  const client = await context.connect({
    project: { id: project.id },
    host: { address: project.host },
    key: project.key,
    dialect: project.dialect ?? 'live',
  });
  try {
    const { label, scopes, scoped_teams: reached } = await client.call(platform.ownKey, {});
    const notes = [...scopeNotes(scopes), ...reachNotes(reached, project.id)];
    return { dialect: project.dialect ?? 'live', label, scopes, notes };
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    const dialect = project.dialect ?? 'specification';
    if (failure.kind === 'not-found') {
      return { dialect, notes: ['The service does not tell which scopes the key has.'] };
    }
    return { dialect, notes: [], failure };
  }
}

function scopeNotes(scopes: readonly string[] | undefined): readonly string[] {
  return scopes
    ? [`The key has ${scopes.includes('*') ? 'all scopes' : `the scopes ${scopes.join(', ')}`}.`]
    : [];
}

/** A key may be narrowed to some projects; every other one is refused to it. */
function reachNotes(reached: readonly number[] | null | undefined, id: string): readonly string[] {
  if (!Array.isArray(reached) || reached.length === 0) return [];
  const projects = reached.map(String);
  return projects.includes(id)
    ? []
    : [`The key is for project ${projects.join(', ')} alone, so the service will refuse it project ${id}.`];
}
