import { CliError } from '../../errors.ts';
import { placeIn } from '../../queries/sql-place.ts';

/** What comes of a query; where it is refused, the hint shows the place that the service's text names. */
export async function pointingAt<Answer>(sql: string, asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (failure) {
    if (!(failure instanceof CliError) || failure.kind !== 'refused') throw failure;
    const place = placeIn(sql, failure.message);
    const hint =
      place === undefined ? undefined : `line ${place.line}, column ${place.column}: ${place.text}`;
    throw new CliError('refused', failure.message, { ...failure, hint, cause: failure });
  }
}
