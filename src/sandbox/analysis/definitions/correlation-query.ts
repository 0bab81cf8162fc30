import type { JsonObject } from '../../../json/kinds.ts';
import type { CorrelationDefinition } from '../correlation/correlation.ts';
import type { CorrelationSubject } from '../correlation/facts.ts';
import { readFunnelsQuery } from './query-nodes.ts';
import { readChoice, readObject, readTexts } from './reading.ts';

/** A correlation query stands over the actors of a funnel, or over the funnel itself. */
export function readCorrelationQuery(node: JsonObject): CorrelationDefinition {
  const source = readObject(node.source, 'source');
  const funnel = source.kind === 'FunnelsQuery' ? source : readObject(source.source, 'source');
  return { kind: 'correlation', funnel: readFunnelsQuery(funnel), subject: readSubject(node) };
}

function readSubject(node: JsonObject): CorrelationSubject {
  const kinds = ['events', 'properties', 'event_with_properties'] as const;
  const kind = readChoice(node.funnelCorrelationType, kinds, 'funnelCorrelationType');
  if (kind === 'events') return { kind, exceptEvents: readTexts(node.funnelCorrelationExcludeEventNames) };
  if (kind === 'properties') {
    const names = readTexts(node.funnelCorrelationNames);
    return {
      kind,
      names: names.length === 0 ? ['$all'] : names,
      exceptNames: readTexts(node.funnelCorrelationExcludeNames),
    };
  }
  return {
    kind,
    events: readTexts(node.funnelCorrelationEventNames),
    exceptProperties: readTexts(node.funnelCorrelationEventExcludePropertyNames),
  };
}
