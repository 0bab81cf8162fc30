import type { Context } from '../../cli/context.ts';
import { CliError, changed, usageError } from '../../errors.ts';
import { type LegalHold, legalHoldText } from '../../semantics/legal-hold.ts';
import { absolutePath } from '../../system/files.ts';
import type { Input } from '../input/given.ts';
import { readTogether } from '../input/problems.ts';
import { type ExceptionOptions, type ReadExceptions, readHeld } from './exceptions.ts';

type HoldOptions = Omit<ExceptionOptions, 'except' | 'as' | 'column' | 'encoding' | 'trim'> & {
  readonly except?: string | undefined;
  readonly noExcept?: boolean | undefined;
};

/** The legal hold to be stored with a project, once its file was read. Throws a usage error for one that cannot be used. */
export async function checkHold(options: HoldOptions, context: Context): Promise<LegalHold | undefined> {
  const { except, exceptAs, exceptColumn: column, exceptSheet: sheet, noExcept } = options;
  if (except === undefined) return undefined;
  if (noExcept) throw usageError('--except and --no-except cannot be used together', 'give one of them');
  if (exceptAs === undefined)
    throw usageError('--except needs --except-as', 'add --except-as emails, distinct-ids or ids');
  const hold: LegalHold = {
    file: absolutePath(except),
    as: exceptAs,
    ...(column === undefined ? {} : { column }),
    ...(sheet === undefined ? {} : { sheet }),
  };
  await readHold(hold, '', context);
  return hold;
}

/**
 * Reads the legal holds that are stored with the project of a deletion, all of them, and asks nothing. Throws a usage error
 * for one that is missing, empty or damaged. With `--no-except` they are left out, which is told.
 */
export async function readHolds(
  { noExcept }: Pick<Input, 'noExcept'>,
  context: Context,
): Promise<readonly ReadExceptions[]> {
  const { project } = await context.settings();
  const { name = project.id } = project;
  if (noExcept) {
    for (const hold of project.holds)
      context.warn(
        `warning: the legal hold of project ${name} is left out of this deletion: ${legalHoldText(hold)}`,
      );
    if (project.holds.length === 0)
      context.note(`No legal hold is stored with project ${name}, so --no-except changes nothing.`);
    return [];
  }
  return readTogether(project.holds.map((hold) => () => readHold(hold, ` of project ${name}`, context)));
}

async function readHold(hold: LegalHold, whose: string, context: Context): Promise<ReadExceptions> {
  const { file, as, column, sheet } = hold;
  try {
    const title = `Legal hold${whose}, from ${file}`;
    return await readHeld([file], { as, column, sheet, encoding: null, title }, context);
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'usage') throw error;
    const again = 'hogctl auth login stores another with --except, or none with --no-except';
    const hint = [error.hint, whose === '' ? undefined : again].filter(Boolean).join('; ');
    throw changed(error, { message: `the legal hold${whose} cannot be used: ${error.message}`, hint });
  }
}
