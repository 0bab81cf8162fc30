import { startOf } from '../../../service/calendar.ts';
import { invalidRequest } from '../../refusal.ts';
import type { Actor } from '../actors.ts';
import { type BreakdownKey, keyOfTexts } from '../breakdown.ts';
import type { AnalysisInput } from '../dataset.ts';
import { periodsOf, readDate } from '../time/date-range.ts';
import { reachedSteps } from './funnel.ts';
import type { FunnelDefinition } from './funnel-definition.ts';
import { entriesOf, type FunnelPlan, periodEntriesOf, planFunnel } from './funnel-entries.ts';

/**
 * Which actors of a funnel: `step` n reached step n (counted from 1), -n reached the step before and no further. Of
 * a trend those who entered in a period and converted, or dropped. `breakdown` names one value by its texts, or a
 * cohort by its id.
 */
export type FunnelActorsSelection = {
  readonly breakdown?: readonly string[] | undefined;
} & (
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'period'; readonly entrancePeriodStart: string; readonly dropOff: boolean }
);

/** The actors behind a number of a funnel, each once. Throws a 400 for a step that cannot be asked about. */
export function funnelActors(
  funnel: FunnelDefinition,
  selection: FunnelActorsSelection,
  input: AnalysisInput,
): readonly Actor[] {
  if (selection.kind === 'step') checkStep(selection.step, funnel);
  const plan = planFunnel(funnel, input);
  const isWanted = keyTest(selection.breakdown, funnel);
  const found = selection.kind === 'step' ? stepActors(plan, selection.step) : periodActors(plan, selection);
  const actors = new Set<Actor>();
  for (const { actor, key } of found) if (isWanted(key)) actors.add(actor);
  return [...actors];
}

function checkStep(step: number, { steps }: FunnelDefinition): void {
  const fault = { attr: 'funnel_step' };
  if (step === 0) throw invalidRequest('Funnel steps count from 1, there is no step 0.', fault);
  if (step === -1) {
    throw invalidRequest('People cannot drop off before the first step: drop-off begins at -2.', fault);
  }
  if (!Number.isInteger(step) || Math.abs(step) > steps.length) {
    throw invalidRequest(`The funnel has ${steps.length} steps, there is no step ${step}.`, fault);
  }
}

function keyTest(
  texts: readonly string[] | undefined,
  { breakdown }: FunnelDefinition,
): (key: BreakdownKey) => boolean {
  if (texts === undefined || breakdown === undefined) return () => true;
  const wanted = breakdown.kind === 'cohorts' ? texts[0] : keyOfTexts(texts);
  return (key) => key === wanted;
}

type Found = { readonly actor: Actor; readonly key: BreakdownKey };

function* stepActors(plan: FunnelPlan, step: number): Generator<Found> {
  for (const { actor, key, attempt } of entriesOf(plan).entries) {
    if (step > 0 ? attempt.step >= step : attempt.step === -step - 1) yield { actor, key };
  }
}

type PeriodSelection = Extract<FunnelActorsSelection, { kind: 'period' }>;

function* periodActors(
  plan: FunnelPlan,
  { entrancePeriodStart, dropOff }: PeriodSelection,
): Generator<Found> {
  const { interval } = plan.definition;
  const periods = periodsOf(plan.range, interval, plan.calendar);
  const { instant } = readDate(entrancePeriodStart, { ...plan.calendar, now: plan.input.now });
  const wanted = periods.starts.indexOf(startOf(interval, instant, plan.calendar));
  for (const { actor, key, attempt, period } of periodEntriesOf(plan, periods).entries) {
    const { from, to } = reachedSteps(attempt.step, plan);
    if (period === wanted && (dropOff ? from && !to : to)) yield { actor, key };
  }
}
