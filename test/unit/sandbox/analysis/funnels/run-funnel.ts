import type { JsonObject } from '../../../../../src/json/kinds.ts';
import type { ProjectSettings } from '../../../../../src/sandbox/analysis/dataset.ts';
import { readLegacyFunnel } from '../../../../../src/sandbox/analysis/definitions/definition.ts';
import { calculate } from '../../../../../src/sandbox/calculation/question.ts';
import { during, RANGE, type Story, tell } from '../stories.ts';

export const THREE = { events: ['a', 'b', 'c'].map((id, order) => ({ id, order })), ...RANGE };
export const TWO = { events: ['a', 'b'].map((id, order) => ({ id, order })), ...RANGE };
export const EXCLUDED = { exclusions: [{ id: 'x', funnel_from_step: 0, funnel_to_step: 1 }] };

type Steps = readonly { readonly count: number; readonly average_conversion_time: number | null }[];

export function run(story: Story, body: JsonObject, project: Partial<ProjectSettings> = {}) {
  return calculate(readLegacyFunnel(body), { ...tell(story), ...during(project) });
}

export function counts(
  story: Story,
  body: JsonObject,
  project: Partial<ProjectSettings> = {},
): readonly number[] {
  // Without a breakdown the result is a list of steps.
  return (run(story, body, project) as Steps).map(({ count }) => count);
}

export function times(story: Story, body: JsonObject): readonly (number | null)[] {
  // Without a breakdown the result is a list of steps.
  return (run(story, body) as Steps).map((step) => step.average_conversion_time);
}
