import type { Insight } from '../../api/schemas.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import { idText } from '../id-text.ts';
import type { Nothing } from './print-figures.ts';
import { describeInsight } from './say-insight.ts';

/** Says on stderr which insight a table is of, since its figures don't tell. */
export function sayTitle(insight: Insight, context: Context): void {
  if ((context.options.output ?? 'table') !== 'table') return;
  const name = insight.name || insight.derived_name;
  const when = insight.last_refresh ? `, calculated ${insight.last_refresh}` : '';
  context.note(`${typeof name === 'string' ? `${name}, ` : ''}${describeInsight(insight)}${when}`);
}

/**
 * Says on stderr why an insight has no figures, and when those it has are old ones. Throws where the calculation
 * failed: the service answers 200 all the same.
 */
export function sayState(insight: Insight, nothing: Nothing | undefined, context: Context): void {
  const { complete, error, error_message: reason, id } = insight.query_status ?? {};
  const name = describeInsight(insight);
  if (error === true) {
    throw new CliError('unavailable', `the calculation of ${name} failed${reason ? `: ${reason}` : ''}`, {
      hint: 'try again later with --refresh',
    });
  }
  if (insight.deleted === true) {
    context.warn(`warning: ${name} is deleted; hogctl insights restore ${idText(insight.id)} brings it back`);
  }
  if (complete === false) {
    const query = id === undefined ? '' : ` as query ${id}`;
    const figures = nothing
      ? 'there is no result yet'
      : `the figures are those of ${insight.last_refresh ?? 'before'}`;
    context.warn(`warning: ${name} is still being calculated${query}; ${figures}`);
    return;
  }
  if (nothing !== undefined) {
    context.warn(`warning: ${name} has no cached result; --refresh calculates one`);
  }
}
