import type { Json, JsonObject } from '../../../json/kinds.ts';
import type { Dataset } from '../dataset.ts';
import type { Surroundings } from '../project-settings.ts';
import { previousRange } from '../time/previous-range.ts';
import type { FunnelDefinition } from './funnel-definition.ts';
import { type FunnelPlan, planFunnel } from './funnel-plan.ts';
import { stepResult } from './step-result.ts';
import { timeToConvertResult } from './time-to-convert-result.ts';
import { trendResult } from './trend-result.ts';

/**
 * Calculates a funnel in the shape of the service: a list of steps, with a breakdown a list of lists; for trends a
 * list of series; for the time to convert one object. Throws a 400 where the service does.
 */
export function calculateFunnel(
  definition: FunnelDefinition,
  dataset: Dataset,
  surroundings: Surroundings,
): Json {
  const plan = planFunnel(definition, dataset, surroundings);
  if (definition.view === 'time_to_convert') return timeToConvertResult(plan);
  if (definition.compare === undefined) return resultOf(plan);
  const before = previousRange(plan.range, definition.dates, definition.compare, plan.calendar);
  const previous = planFunnel(definition, dataset, surroundings, before);
  return [...labelled(resultOf(plan), 'current'), ...labelled(resultOf(previous), 'previous')];
}

function resultOf(plan: FunnelPlan): readonly Json[] {
  return plan.definition.view === 'trends' ? trendResult(plan) : stepResult(plan);
}

function labelled(results: readonly Json[], label: string): readonly Json[] {
  return results.map((entry) => {
    if (Array.isArray(entry)) return labelled(entry, label);
    // Entries of a funnel that are no list are steps or series.
    return { ...(entry as JsonObject), compare_label: label };
  });
}
