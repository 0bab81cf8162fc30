import type { Insight } from '../../api/schemas.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import type { Heading } from '../../output/pictures/svg-picture.ts';
import { idText } from '../id-text.ts';
import type { Nothing } from './print-figures.ts';
import { describeInsight } from './say-insight.ts';

/** Says on stderr which insight a table is of, since its figures don't tell. */
export function sayTitle(insight: Insight, context: Context): void {
  if ((context.options.output ?? 'table') !== 'table') return;
  const name = nameOf(insight);
  context.note(`${name === undefined ? '' : `${name}, `}${originOf(insight)}`);
}

/** The same above a picture, and whether its figures are old ones: a file is read without what stood on stderr. */
export function pictureHeading(insight: Insight): Heading {
  const notes = [deletedNote(insight), runningNote(insight, undefined)];
  return {
    title: nameOf(insight) ?? 'Insight',
    lines: [originOf(insight), ...notes.filter((note) => note !== undefined)],
  };
}

function nameOf(insight: Insight): string | undefined {
  const name = insight.name || insight.derived_name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Which insight, and of when its figures are. */
function originOf(insight: Insight): string {
  const when = insight.last_refresh ? `, calculated ${insight.last_refresh}` : '';
  return `${describeInsight(insight)}${when}`;
}

function deletedNote(insight: Insight): string | undefined {
  return insight.deleted === true ? `${describeInsight(insight)} is deleted` : undefined;
}

function runningNote(insight: Insight, nothing: Nothing | undefined): string | undefined {
  const { complete, id } = insight.query_status ?? {};
  if (complete !== false) return undefined;
  const query = id === undefined ? '' : ` as query ${id}`;
  const figures = nothing
    ? 'there is no result yet'
    : `the figures are those of ${insight.last_refresh ?? 'before'}`;
  return `${describeInsight(insight)} is still being calculated${query}; ${figures}`;
}

/**
 * Says on stderr why an insight has no figures, and when those it has are old ones. Throws where the calculation
 * failed: the service answers 200 all the same.
 */
export function sayState(insight: Insight, nothing: Nothing | undefined, context: Context): void {
  const { error, error_message: reason } = insight.query_status ?? {};
  const name = describeInsight(insight);
  if (error === true) {
    throw new CliError('unavailable', `the calculation of ${name} failed${reason ? `: ${reason}` : ''}`, {
      hint: 'try again later with --refresh',
    });
  }
  const deleted = deletedNote(insight);
  if (deleted !== undefined) {
    context.warn(`warning: ${deleted}; hogctl insights restore ${idText(insight.id)} brings it back`);
  }
  const running = runningNote(insight, nothing);
  if (running !== undefined) {
    context.warn(`warning: ${running}`);
    return;
  }
  if (nothing !== undefined) {
    context.warn(`warning: ${name} has no cached result; --refresh calculates one`);
  }
}
