import type { Json } from '../../json/kinds.ts';
import type { Actor } from './actors.ts';
import { calculateCorrelation, correlationActors } from './correlation.ts';
import type { AnalysisInput } from './dataset.ts';
import type { ActorsRequest } from './definitions/actors.ts';
import type { AnalysisDefinition } from './definitions/definition.ts';
import { calculateFunnel, funnelActors } from './funnels/funnel.ts';
import { calculateLifecycle, lifecycleActors } from './lifecycle.ts';
import { calculateRetention, retentionActors } from './retention.ts';
import { calculateStickiness, stickinessActors } from './stickiness.ts';
import { calculateTrends, trendActors } from './trends/trends.ts';

/** Calculates any analysis, in the shape of the service's `result`. Throws a `Refusal` 400 if the service does. */
export function calculate(definition: AnalysisDefinition, input: AnalysisInput): Json {
  switch (definition.kind) {
    case 'funnel':
      return calculateFunnel(definition, input);
    case 'trends':
      return calculateTrends(definition, input);
    case 'lifecycle':
      return calculateLifecycle(definition, input);
    case 'stickiness':
      return calculateStickiness(definition, input);
    case 'retention':
      return calculateRetention(definition, input);
    case 'correlation':
      return calculateCorrelation(definition, input);
  }
}

/** All actors behind a number of an analysis, each once, in the order of the dataset. */
export function findActors(request: ActorsRequest, input: AnalysisInput): readonly Actor[] {
  if (isOf(request, 'funnel')) return funnelActors(request.of, request.wanted, input);
  if (isOf(request, 'trends')) return trendActors(request.of, request.wanted, input);
  if (isOf(request, 'lifecycle')) return lifecycleActors(request.of, request.wanted, input);
  if (isOf(request, 'stickiness')) return stickinessActors(request.of, request.wanted, input);
  if (isOf(request, 'retention')) return retentionActors(request.of, request.wanted, input);
  return correlationActors(request.of, request.wanted, input);
}

type Kind = ActorsRequest['of']['kind'];

type RequestOf<K extends Kind> = Extract<ActorsRequest, { readonly of: { readonly kind: K } }>;

function isOf<K extends Kind>(request: ActorsRequest, kind: K): request is RequestOf<K> {
  return request.of.kind === kind;
}
