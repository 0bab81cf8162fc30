import type { Dialect } from '../../api/endpoint.ts';
import type { Insight } from '../../api/schemas.ts';
import type { Json, JsonObject } from '../../json/kinds.ts';
import { toJsonInteger } from '../../json/parse.ts';
import type { StoredInsight } from '../store/insights.ts';

/** Everyone in the project can edit, and the operator may do everything: levels as the service numbers them. */
const RESTRICTION_LEVEL = 21;
const PRIVILEGE_LEVEL = 37;

const NO_RESULT = {
  last_refresh: null,
  cache_target_age: null,
  next_allowed_client_refresh: null,
  result: null,
  hasMore: null,
  columns: null,
  is_cached: false,
  query_status: null,
  hogql: null,
  types: null,
} as const;

/** An insight without its result, as lists and short lists show it. */
export function basicInsight({ id, shortId, document, tiles, lastViewedAt }: StoredInsight): Insight {
  return {
    id: toJsonInteger(id),
    short_id: shortId,
    name: document.name,
    derived_name: document.derived_name,
    filters: document.filters,
    query: document.query,
    order: document.order,
    deleted: document.deleted,
    dashboards: tiles.map(({ dashboardId }) => toJsonInteger(dashboardId)),
    dashboard_tiles: tiles.map((tile) => ({
      id: toJsonInteger(tile.id),
      dashboard_id: toJsonInteger(tile.dashboardId),
      deleted: false,
    })),
    description: document.description,
    tags: document.tags,
    favorited: document.favorited,
    saved: document.saved,
    created_at: document.created_at,
    created_by: document.created_by,
    updated_at: document.updated_at,
    last_modified_at: document.last_modified_at,
    last_modified_by: document.last_modified_by,
    last_viewed_at: lastViewedAt,
    last_refresh: null,
    user_access_level: 'editor',
  };
}

/** A whole insight with the result it has; nulls where it has none. */
export function fullInsight(
  insight: StoredInsight,
  {
    result,
    timezone,
    dialect,
  }: {
    readonly result: JsonObject | undefined;
    readonly timezone: Json;
    readonly dialect: Dialect;
  },
): Insight {
  return {
    ...basicInsight(insight),
    ...NO_RESULT,
    ...result,
    is_sample: insight.document.is_sample,
    effective_restriction_level: RESTRICTION_LEVEL,
    effective_privilege_level: PRIVILEGE_LEVEL,
    timezone,
    ...(dialect === 'live' ? { resolved_date_range: null, alerts: [] } : {}),
  };
}
