import type { Options } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError } from '../errors.ts';
import { isList, isNumber, isObject, type Json, type JsonObject, ownValue } from '../json/kinds.ts';
import { toText } from '../json/text.ts';
import { askUntil, readWait } from '../semantics/query-status.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';

export const waitOption = {
  wait: { type: 'flag', description: 'Wait until the service shows the change' },
} as const satisfies Options;

/** Whether the person, as the service shows them, has a change. */
type IsShown = (person: Person) => boolean;

/**
 * What waits until the service shows a change that it accepted, if that was asked for; it throws `partial` once the time
 * is up. Throws a usage error for a limit without `--wait`.
 */
export function waiterForChange(wait: boolean | undefined, context: Context) {
  const atMost = readWait(wait, context.options);
  return async (id: string, isShown: IsShown): Promise<void> => {
    // A dry run sent nothing that could be waited for.
    if (atMost === undefined || context.dryRun) return;
    const client = await context.client();
    const ask = async () => isShown(await client.call(persons.get, { id })) || undefined;
    const progress = context.progress({ label: 'requests', waiting: `waiting for person ${id} to change` });
    const { now, wait: pause, signal } = context;
    if ((await askUntil({ ask, progress, atMost: atMost * 1000, now, wait: pause, signal })) === undefined)
      throw new CliError(
        'partial',
        `the service accepted the change, but does not show it after ${atMost} s`,
        {
          hint: `look again later with hogctl persons get ${id}, or wait longer with --wait-timeout`,
        },
      );
    context.report(`The service shows the change of person ${id}.`);
  };
}

/** Tells of a change of properties that the service accepted, and waits for it if that was asked for. */
export function tellerOfChange(wait: boolean | undefined, context: Context) {
  const waitFor = waiterForChange(wait, context);
  return async (id: string, change: string, isShown: IsShown): Promise<void> => {
    context.report(`Requested for person ${id}: ${change}. The service applies it a little later.`);
    await waitFor(id, isShown);
  };
}

/** Whether a person has all of these properties. */
export function hasProperties({ properties = {} }: Person, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(([key, value]) => isSame(ownValue(properties, key), value));
}

/** `1` and `1.0` are one number, and fields of an object have no order. */
function isSame(found: Json | undefined, wanted: Json): boolean {
  if (found === undefined) return false;
  if (isList(wanted))
    return (
      isList(found) &&
      found.length === wanted.length &&
      wanted.every((one, index) => isSame(found[index], one))
    );
  if (isObject(wanted))
    return (
      isObject(found) &&
      Object.keys(found).length === Object.keys(wanted).length &&
      Object.entries(wanted).every(([key, one]) => isSame(ownValue(found, key), one))
    );
  if (isNumber(wanted)) return isNumber(found) && Number(toText(found)) === Number(toText(wanted));
  return found === wanted;
}
