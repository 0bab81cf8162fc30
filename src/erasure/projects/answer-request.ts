import { join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import type { CliError } from '../../errors.ts';
import { runsDirectory } from '../record/directory.ts';
import { tryRead } from '../record/open.ts';
import { type Answers, answersOf, unanswered } from '../report/answers.ts';
import { notInRun, type ReceiptInput, writeReceipt } from '../report/receipt.ts';
import type { Request } from './request.ts';

type How = {
  readonly isVerified?: boolean;
  /** By run, what was answered while its record still had ids. */
  readonly known?: ReadonlyMap<string, Answers>;
};

/**
 * Answers a list from the records of all runs of a request, in one receipt. Returns what is wrong with the list, if none
 * of them knows all of it.
 */
export async function answerRequest(
  { runs }: Request,
  answered: ReceiptInput,
  { isVerified = false, known }: How,
  context: Context,
): Promise<CliError | undefined> {
  const answers = runs.map(({ run = '', project, id, host }) => {
    const path = join(runsDirectory(context.stateDirectory()), run);
    const read = () =>
      tryRead(path, context, (record) =>
        answersOf(answered, { run: record, place: { id, host }, project }, context),
      );
    return known?.get(run) ?? (run === '' ? undefined : read()) ?? unanswered(answered, project);
  });
  return notInRun(await writeReceipt(answered, answers, context, { isVerified }));
}
