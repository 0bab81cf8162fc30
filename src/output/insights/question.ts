import type { Json } from '../../json/kinds.ts';
import type { Question } from './answer.ts';
import { field, listField, numberOf, textField } from './read.ts';

/** The older form of a definition, `filters`, names the kinds in its own way. */
const legacyKinds: Readonly<Record<string, string>> = {
  TRENDS: 'TrendsQuery',
  FUNNELS: 'FunnelsQuery',
  RETENTION: 'RetentionQuery',
  PATHS: 'PathsQuery',
  STICKINESS: 'StickinessQuery',
  LIFECYCLE: 'LifecycleQuery',
};

/** Reads what was asked. Both query and filters may be filled; then filters hold only the display. */
export function readQuestion(query: Json | undefined, filters: Json | undefined): Question {
  const source = field(query, 'source') ?? query;
  const legacy = textField(filters, 'insight');
  const settings = field(source, 'trendsFilter');
  return {
    kind: textField(source, 'kind') ?? (legacy === undefined ? undefined : legacyKinds[legacy]),
    display: textField(settings, 'display') ?? textField(filters, 'display'),
    funnelVizType:
      textField(field(source, 'funnelsFilter'), 'funnelVizType') ?? textField(filters, 'funnel_viz_type'),
    optionalSteps: optionalSteps(source),
  };
}

function optionalSteps(source: Json | undefined): ReadonlySet<number> {
  const steps = listField(source, 'series').flatMap((step, index) => {
    const optional = field(step, 'optionalInFunnel');
    return optional === true || optional === 'true' ? [numberOf(field(step, 'order')) ?? index] : [];
  });
  return new Set(steps);
}
