import { insights } from '../../api/endpoints/insights.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';

/** Asks for what the service documents to refuse, and says plainly what it answered. */
export async function hardDelete(id: string, context: Context): Promise<void> {
  const client = await context.client();
  try {
    await client.call(insights.delete, { id });
    context.report(`The service accepted the deletion of insight ${id}.`);
  } catch (failure) {
    if (!(failure instanceof CliError) || failure.status !== 405) throw failure;
    throw new CliError(
      'refused',
      `the service does not delete insights for good (405), so ${id} is unchanged`,
      {
        hint: `hogctl insights delete ${id} deletes it softly`,
        status: 405,
        code: failure.code,
        outcome: 'not-done',
        cause: failure,
      },
    );
  }
}
