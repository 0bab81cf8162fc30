import type { Context } from '../../cli/context.ts';

/** Removes what is kept of a project for completion. The key has gone by then, so a failure is a warning. */
export function forgetNames(project: { readonly host: string; readonly id: string }, context: Context): void {
  try {
    context.clearCompletionCache({ host: project.host, project: project.id });
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    context.warn(`warning: the names that are kept for completion could not be removed: ${reason}`);
  }
}
