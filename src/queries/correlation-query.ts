import { filled, type JsonObject } from '../json/kinds.ts';
import { funnelQuery } from './funnel-query.ts';
import type { Filters } from './series.ts';

/** A funnel's fields, with those that say what is correlated, as a FunnelCorrelationQuery. */
export function correlationQuery(filters: Filters): JsonObject {
  const {
    funnel_correlation_type = 'events',
    funnel_correlation_names,
    funnel_correlation_exclude_names,
    funnel_correlation_event_names,
    funnel_correlation_exclude_event_names,
    funnel_correlation_event_exclude_property_names,
    ...funnel
  } = filters;
  return filled({
    kind: 'FunnelCorrelationQuery',
    source: { kind: 'FunnelsActorsQuery', source: funnelQuery(funnel) },
    funnelCorrelationType: funnel_correlation_type,
    funnelCorrelationNames: funnel_correlation_names,
    funnelCorrelationExcludeNames: funnel_correlation_exclude_names,
    funnelCorrelationEventNames: funnel_correlation_event_names,
    funnelCorrelationExcludeEventNames: funnel_correlation_exclude_event_names,
    funnelCorrelationEventExcludePropertyNames: funnel_correlation_event_exclude_property_names,
  });
}
