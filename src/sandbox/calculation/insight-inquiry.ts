import { isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import type { StoredInsight } from '../store/insights.ts';
import type { Inquiry } from './ask.ts';
import { readFilterQuestion, readQuestion } from './question.ts';

const FRAMES = ['InsightVizNode', 'DataVisualizationNode', 'DataTableNode'];

/**
 * What an insight asks, narrowed by the filters of a dashboard: its query, or else its old filters. Undefined for an
 * insight that has neither.
 */
export function inquiryOf(
  { document: { query, filters } }: StoredInsight,
  dashboard: JsonObject = {},
): Pick<Inquiry, 'about' | 'read'> | undefined {
  if (isObject(query)) {
    const about = narrowQuery(query, dashboard);
    return { about, read: () => readQuestion(about) };
  }
  if (!isObject(filters) || Object.keys(filters).length === 0) return undefined;
  const about = { ...filters, ...datesOf(dashboard), ...propertiesOf(filters.properties, dashboard) };
  return { about: { filters: about }, read: () => readFilterQuestion(about) };
}

function narrowQuery(node: JsonObject, dashboard: JsonObject): JsonObject {
  const { source, kind } = node;
  if (FRAMES.includes(String(kind)) && isObject(source)) {
    return { ...node, source: narrowQuery(source, dashboard) };
  }
  // SQL says itself what it is about.
  if (kind === 'HogQLQuery') return node;
  const dates = datesOf(dashboard);
  const range = isObject(node.dateRange) ? node.dateRange : {};
  return {
    ...node,
    ...(Object.keys(dates).length === 0 ? {} : { dateRange: { ...range, ...dates } }),
    ...propertiesOf(node.properties, dashboard),
  };
}

/** A dashboard's dates replace those of an insight, both of them together. */
function datesOf({ date_from: from = null, date_to: to = null }: JsonObject): JsonObject {
  return from === null && to === null ? {} : { date_from: from, date_to: to };
}

/** A dashboard's filters hold besides those of an insight. */
function propertiesOf(own: Json | undefined, { properties: added = null }: JsonObject): JsonObject {
  if (added === null || (isList(added) && added.length === 0)) return {};
  return { properties: own === undefined || own === null ? added : [own, added] };
}
