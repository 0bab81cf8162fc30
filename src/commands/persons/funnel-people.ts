import { usageError } from '../../errors.ts';
import { filled, type Json, type JsonObject } from '../../json/kinds.ts';
import type { FunnelParameters } from '../../queries/funnel-parameters.ts';

/** The service's number of a funnel step: from 1 for those who reached it, negative for those who dropped out before. */
export function funnelStep(flags: {
  readonly step?: number | undefined;
  readonly dropped?: boolean | undefined;
}): number | undefined {
  const { step, dropped } = flags;
  if (!dropped) return step;
  if (step === undefined) throw usageError('--dropped needs the step', 'name it with --step');
  if (step === 1) throw usageError('nobody drops out before the first step', 'the second is --step 2');
  return -step;
}

type Place = { readonly limit?: number | undefined; readonly offset?: number | undefined };

/** Which people of which funnel, from which row on; `body` is what `--body` gave. */
type Wish<Who> = Place & {
  readonly funnel: FunnelParameters;
  readonly who: Who;
  readonly body: JsonObject | undefined;
};

export type PeopleRequest<Who> = {
  readonly input: FunnelParameters & Who & Place;
  /** The whole body, where one was given. */
  readonly body: JsonObject | undefined;
  /** Everything but the place in the list. */
  readonly filters: { readonly [name: string]: Json | undefined };
};

/** One list of people as it is asked for. The options of place and people count before the body's own fields. */
export function peopleRequest<Who extends { readonly [name: string]: Json | undefined }>(
  wish: Wish<Who>,
): PeopleRequest<Who> {
  const { funnel, who, body } = wish;
  const limit = wish.limit ?? wholeNumber(body, 'limit');
  const offset = wish.offset ?? wholeNumber(body, 'offset');
  const input = { ...funnel, ...who, limit, offset };
  const { limit: _limit, offset: _offset, ...filters } = filled({ ...funnel, ...filled(who) });
  return { input, filters, body: body && filled({ ...filters, offset }) };
}

function wholeNumber(body: JsonObject | undefined, name: string): number | undefined {
  const value = body?.[name];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw usageError(`${name} in --body is not a whole number`);
}
