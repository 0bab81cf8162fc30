import type { Json } from '../../../json/kinds.ts';
import { invalidRequest } from '../../refusal.ts';
import type { Breakdown } from '../breakdown.ts';
import type { Entity } from '../filters/entity.ts';
import type { Selection } from '../selection.ts';
import type { Comparison } from '../time/date-range.ts';

/** An event that excludes between two steps, both counted from 0. */
export type Exclusion = { readonly entity: Entity; readonly fromStep: number; readonly toStep: number };

/** Which of a person's values of a breakdown counts. `step` counts from 0. */
export type Attribution =
  | { readonly kind: 'first_touch' | 'last_touch' | 'all_events' }
  | { readonly kind: 'step'; readonly step: number };

/** A funnel, whichever of the request forms it came in. Steps count from 0, the window is in seconds. */
export type FunnelDefinition = Selection & {
  readonly kind: 'funnel';
  readonly steps: readonly Entity[];
  readonly exclusions: readonly Exclusion[];
  readonly order: 'ordered' | 'strict' | 'unordered';
  readonly view: 'steps' | 'trends' | 'time_to_convert';
  readonly windowSeconds: number;
  readonly breakdown?: Breakdown | undefined;
  readonly attribution: Attribution;
  readonly fromStep?: number | undefined;
  readonly toStep?: number | undefined;
  readonly binCount?: number | undefined;
  readonly compare?: Comparison | undefined;
};

const MOST_STEPS = 32;

/** Throws a 400 for a funnel that the service refuses. */
export function checkFunnel(funnel: FunnelDefinition): void {
  const count = funnel.steps.length;
  if (count < 2) {
    throw invalidRequest('Funnels require at least two steps.', 'funnels_require_at_least_two_steps');
  }
  if (count > MOST_STEPS) {
    throw invalidRequest(`Funnels support up to ${MOST_STEPS} steps.`, 'funnel_max_steps_exceeded');
  }
  for (const exclusion of funnel.exclusions) checkExclusion(exclusion, funnel);
  checkStepRange(funnel);
  const { attribution } = funnel;
  if (attribution.kind === 'step' && !(attribution.step >= 0 && attribution.step < count)) {
    throw invalidRequest('The step that decides the breakdown value is not a step of the funnel.');
  }
}

function checkExclusion({ entity, fromStep, toStep }: Exclusion, { steps, order }: FunnelDefinition): void {
  if (!(fromStep >= 0 && toStep > fromStep)) {
    throw invalidRequest('Exclusion event range is invalid. End of range should be greater than start.');
  }
  if (toStep >= steps.length) {
    throw invalidRequest('Exclusion event range is invalid. End of range is greater than number of steps.');
  }
  if (steps.some((step) => includes(step, entity))) {
    throw invalidRequest("Exclusion steps cannot contain an event that's part of funnel steps.");
  }
  if (order === 'unordered' && (fromStep !== 0 || toStep !== steps.length - 1)) {
    throw invalidRequest('Partial Exclusions not allowed in unordered funnels');
  }
}

/** Whether every event that is excluded would also be this step: the same event, with no filter of the step's own. */
function includes(step: Entity, excluded: Entity): boolean {
  if (step.type !== excluded.type || step.id !== excluded.id) return false;
  const filters = listOf(excluded.properties).map((filter) => JSON.stringify(filter));
  return listOf(step.properties).every((filter) => filters.includes(JSON.stringify(filter)));
}

function listOf(properties: Json | undefined): readonly Json[] {
  if (Array.isArray(properties)) return properties;
  const isEmpty = properties === undefined || properties === null || JSON.stringify(properties) === '{}';
  return isEmpty ? [] : [properties];
}

function checkStepRange({ fromStep = 0, toStep, steps }: FunnelDefinition): void {
  const last = steps.length - 1;
  const end = toStep ?? last;
  if (!(fromStep >= 0 && end > fromStep && end <= last)) {
    throw invalidRequest('Funnel step range is invalid: the end has to be a later step than the start.');
  }
}
