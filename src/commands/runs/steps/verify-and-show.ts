import type { Context } from '../../../cli/context.ts';
import { counted } from '../../../cli/counted.ts';
import type { Run } from '../../../erasure/run.ts';
import { type VerificationAnswer, verifyRun } from '../../../erasure/verify-run.ts';
import { CliError } from '../../../errors.ts';
import { findEventDeletions } from './find-event-deletions.ts';
import { makeLookUp } from './look-up.ts';
import { refuseOtherProject } from './refuse-other-project.ts';

/** Asks whether anybody is left and whether events have gone, and shows it. Throws `check` where it does not hold. */
export async function verifyAndShow(run: Run, name: string, context: Context): Promise<void> {
  await refuseOtherProject(run, context);
  const { dialect } = await context.settings();
  const answer = await verifyRun(run, {
    lookUp: await makeLookUp(context),
    findEventDeletions: dialect === 'live' ? await findEventDeletions(context) : undefined,
  });
  const { people, events, ...counts } = answer;
  await context.print({ run: run.id, ...counts, events, people: people.map((person) => ({ ...person })) });
  if (!answer.holds)
    throw new CliError('check', sentence(answer), {
      hint: `the service may still be at work; hogctl runs verify ${name} asks again`,
    });
}

function sentence({ left, events }: VerificationAnswer): string {
  const waiting = events ? events.pending + events.unconfirmed + events.unresolved : 0;
  const parts = [
    left > 0 ? `${counted(left, 'person')} still there` : '',
    waiting > 0 ? `the events of ${counted(waiting, 'person')} are not known to have gone` : '',
  ];
  return parts.filter(Boolean).join(', and ');
}
