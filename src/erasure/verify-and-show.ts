import type { Context } from '../cli/context.ts';
import { CliError, counted } from '../errors.ts';
import { refuseOtherProject } from './find-run.ts';
import { makeLookUp } from './resolve.ts';
import type { Run } from './run.ts';
import { printKnown } from './show-outcome.ts';
import { countAskable, readEventDeletions, type VerificationAnswer, verifyRun } from './verify.ts';

/** Asks whether anybody is left and whether events have gone, and shows it. Throws `check` where it does not hold. */
export async function verifyAndShow(run: Run, name: string, context: Context): Promise<void> {
  await refuseOtherProject(run, context);
  const { dialect } = await context.settings();
  const progress = context.progress({ label: 'ids asked about', total: run.plan.unique });
  const answer = await verifyRun(run, {
    lookUp: await makeLookUp(context),
    eventDeletions: dialect === 'live' ? await readEventDeletions(context) : undefined,
    onProgress: progress.update,
  }).finally(progress.end);
  const { people, events, open, ...counts } = answer;
  await printKnown(
    { run: run.id, ...counts, events, people: people.map((person) => ({ ...person })) },
    context,
  );
  const total = countAskable(run);
  if (answer.asked < total)
    context.warn(`warning: this was asked about ${answer.asked} of the ${total} ids of the run, those given`);
  if (open > 0)
    context.warn(
      `warning: ${counted(open, 'id')} of the run ${open === 1 ? 'is' : 'are'} not known to be done, so its ids stay in the record; hogctl runs resume ${name} sends what is left`,
    );
  if (!answer.holds) throw new CliError('check', sentence(answer), { hint: hintFor(answer, name) });
}

function sentence({ left, events, open }: VerificationAnswer): string {
  const waiting = events ? events.pending + events.unconfirmed : 0;
  const unresolved = events?.unresolved ?? 0;
  const parts = [
    open > 0 && waiting + unresolved + left === 0
      ? `the deletion of the events of ${counted(open, 'id')} is not known to have been asked for`
      : '',
    left > 0 ? `${counted(left, 'person')} still there` : '',
    waiting > 0 ? `the events of ${counted(waiting, 'person')} are not known to have gone` : '',
    unresolved > 0
      ? `whom ${counted(unresolved, 'id')} belonged to was not looked up before the deletion`
      : '',
  ];
  return parts.filter(Boolean).join(', and ');
}

function hintFor({ left, events }: VerificationAnswer, name: string): string {
  const isWaiting = left + (events?.pending ?? 0) + (events?.unconfirmed ?? 0) > 0;
  const parts = [
    isWaiting ? `the service may still be at work; hogctl runs verify ${name} asks again` : '',
    (events?.unresolved ?? 0) > 0
      ? 'those ids cannot be matched to the events that hogctl persons deletion-status shows by person uuid'
      : '',
  ];
  return parts.filter(Boolean).join('; ');
}
