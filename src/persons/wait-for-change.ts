import { isDeepStrictEqual } from 'node:util';
import type { Options } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError } from '../errors.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { toJsonText } from '../json/text.ts';
import { askUntil } from '../semantics/query-status.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';

export const waitOption = {
  wait: { type: 'flag', description: 'Wait until the service shows the change' },
} as const satisfies Options;

type Change = {
  readonly id: string;
  /** Seconds, as `readWait` has them; nothing if nobody waits. */
  readonly atMost: number | undefined;
  /** Whether the person, as the service shows them, has the change. */
  readonly isShown: (person: Person) => boolean;
};

/** Asks for a person until the service shows a change that it accepted. Throws `partial` once the time is up. */
export async function waitForChange({ id, atMost, isShown }: Change, context: Context): Promise<void> {
  // A dry run sent nothing that could be waited for.
  if (atMost === undefined || context.dryRun) return;
  const client = await context.client();
  const ask = async () => isShown(await client.call(persons.get, { id })) || undefined;
  const progress = context.progress({ label: 'requests', waiting: `waiting for the change of person ${id}` });
  const { now, wait, signal } = context;
  if ((await askUntil({ ask, progress, atMost: atMost * 1000, now, wait, signal })) === undefined)
    throw new CliError('partial', `the service accepted the change, and does not show it after ${atMost} s`, {
      hint: `look again later with hogctl persons get ${id}, or wait longer with --wait-timeout`,
    });
  context.report(`The service shows the change of person ${id}.`);
}

/** Whether a person has all of these properties, `1` and `1.0` being one number. */
export function hasProperties({ properties }: Person, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    const found = properties?.[key];
    return found !== undefined && isDeepStrictEqual(plain(found), plain(value));
  });
}

function plain(value: Json): unknown {
  return JSON.parse(toJsonText(value));
}
