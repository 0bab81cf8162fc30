import { CliError } from '../errors.ts';
import { findKeyVariables } from '../settings/key-variables.ts';
import type { Context } from './context.ts';

/** What takes every real key out of a child's environment, said by name: the child works on a sandbox. */
export function withoutRealKeys(context: Context): Readonly<Record<string, undefined>> {
  const names = findKeyVariables(context.environment, storedKeys(context));
  if (names.length > 0) context.note(`Not passed on, since they hold a real key: ${names.join(', ')}.`);
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

function storedKeys(context: Context): readonly string[] {
  try {
    return context
      .projects()
      .list()
      .projects.flatMap(({ key }) => (key === undefined ? [] : [key]));
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    context.warn(
      `warning: stored keys are not known, so only names and forms tell a key: ${failure.message}`,
    );
    return [];
  }
}
