import { platform } from '../../api/endpoints/platform.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';

/** What the key in use may do, or nothing, with a note, where there is none or the service does not tell. */
export async function findRights(context: Context) {
  try {
    const { dialect } = await context.settings();
    const { scopes } = await (await context.client()).call(platform.ownKey, {});
    return scopes && { dialect, scopes };
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    const reason = failure.kind === 'not-found' ? 'the service does not tell' : failure.message;
    context.note(`What the key may run is not shown: ${reason}.`);
    return undefined;
  }
}
