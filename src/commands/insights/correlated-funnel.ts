import type { OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { asObject, type JsonObject } from '../../json/kinds.ts';
import { type FunnelParameters, funnelParameters } from '../../queries/funnel-parameters.ts';

import { type funnelOptions, readFunnel } from './funnel-options.ts';

/** The funnel of a correlation, and the whole body where one was given: the funnel is its field `filters`. */
export type CorrelatedFunnel = { readonly filters: FunnelParameters; readonly body: JsonObject | undefined };

/** Throws a usage error where there are neither events nor actions. */
export function correlatedFunnel(
  flags: OptionsInput<typeof funnelOptions>,
  context: Context,
): CorrelatedFunnel {
  const { body, ...others } = flags;
  if (body === undefined) return { filters: readFunnel(flags, context), body };
  return { filters: funnelParameters({ ...others, body: asObject(body.filters) ?? {} }), body };
}
