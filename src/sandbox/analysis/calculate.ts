import type { Json } from '../../json/kinds.ts';
import { calculateCorrelation } from './correlation/correlation.ts';
import type { Dataset } from './dataset.ts';
import type { AnalysisDefinition } from './definitions/definition.ts';
import { calculateFunnel } from './funnels/funnel.ts';
import { calculateLifecycle } from './lifecycle.ts';
import type { Surroundings } from './project-settings.ts';
import { calculateRetention } from './retention.ts';
import { calculateStickiness } from './stickiness.ts';
import { calculateTrends } from './trends/trends.ts';

/** Calculates any analysis, in the shape of the service's `result`. Throws a refusal (400) where the service does. */
export function calculate(
  definition: AnalysisDefinition,
  dataset: Dataset,
  surroundings: Surroundings,
): Json {
  switch (definition.kind) {
    case 'funnel':
      return calculateFunnel(definition, dataset, surroundings);
    case 'trends':
      return calculateTrends(definition, dataset, surroundings);
    case 'lifecycle':
      return calculateLifecycle(definition, dataset, surroundings);
    case 'stickiness':
      return calculateStickiness(definition, dataset, surroundings);
    case 'retention':
      return calculateRetention(definition, dataset, surroundings);
    case 'correlation':
      return calculateCorrelation(definition, dataset, surroundings);
  }
}
