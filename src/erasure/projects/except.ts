import type { Context } from '../../cli/context.ts';
import { counted } from '../../errors.ts';
import type { Spared } from '../people/exceptions.ts';
import { countExcepted } from '../record/batches.ts';
import type { Run } from '../record/open.ts';

/**
 * Writes down whom exceptions protect by now, if the record does not know it. The core lets nobody be sent who has one of
 * these ids; whoever was planned stays owed, and is told.
 */
export function exceptMore(run: Run, { spared }: Spared, { warn }: Pick<Context, 'warn'>): void {
  const known = run.core().spared;
  const all = new Set(spared.map(({ kind, id }) => run.memberOf(kind, id)));
  const members = [...all].filter((member) => !known.has(member));
  if (members.length > 0) run.append({ type: 'excepted', members });
  tellExcepted(countExcepted(run), { warn });
}

export function tellExcepted(count: number, { warn }: Pick<Context, 'warn'>): void {
  if (count > 0)
    warn(
      `warning: ${counted(count, 'person of this run is', 'persons of this run are')} now excepted: not sent, and still owed`,
    );
}
