import type { Actor } from './actors.ts';
import { correlationActors } from './correlation/correlation-actors.ts';
import type { Dataset } from './dataset.ts';
import type { ActorsRequest } from './definitions/actors-request.ts';
import { funnelActors } from './funnels/funnel-actors.ts';
import { lifecycleActors } from './lifecycle.ts';
import type { Surroundings } from './project-settings.ts';
import { retentionActors } from './retention.ts';
import { stickinessActors } from './stickiness.ts';
import { trendActors } from './trends/trend-actors.ts';

/** Everybody behind a number of an analysis, each once, in the order of the dataset. */
export function findActors(
  request: ActorsRequest,
  dataset: Dataset,
  surroundings: Surroundings,
): readonly Actor[] {
  if (isOf(request, 'funnel')) return funnelActors(request.of, request.wanted, dataset, surroundings);
  if (isOf(request, 'trends')) return trendActors(request.of, request.wanted, dataset, surroundings);
  if (isOf(request, 'lifecycle')) return lifecycleActors(request.of, request.wanted, dataset, surroundings);
  if (isOf(request, 'stickiness')) return stickinessActors(request.of, request.wanted, dataset, surroundings);
  if (isOf(request, 'retention')) return retentionActors(request.of, request.wanted, dataset, surroundings);
  return correlationActors(request.of, request.wanted, dataset, surroundings);
}

type Kind = ActorsRequest['of']['kind'];
type RequestOf<K extends Kind> = Extract<ActorsRequest, { readonly of: { readonly kind: K } }>;

function isOf<K extends Kind>(request: ActorsRequest, kind: K): request is RequestOf<K> {
  return request.of.kind === kind;
}
