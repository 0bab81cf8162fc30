import type { Json, JsonObject } from '../../json/kinds.ts';

/** One way to match an action; an action matches when one of its steps does. */
export type ActionStep = {
  readonly event?: string | null;
  readonly properties?: Json;
  readonly url?: string | null;
  readonly url_matching?: string | null;
  readonly selector?: string | null;
  readonly tag_name?: string | null;
  readonly text?: string | null;
  readonly href?: string | null;
};

export type Action = { readonly id: number; readonly name: string; readonly steps: readonly ActionStep[] };

/**
 * A cohort is a list of persons (`distinct_ids` or `person_uuids`), or the persons that match one of `groups`, or
 * `filters.properties`.
 */
export type CohortSettings = {
  readonly id: number;
  readonly name: string;
  readonly is_static?: boolean;
  readonly distinct_ids?: readonly string[];
  readonly person_uuids?: readonly string[];
  readonly groups?: readonly { readonly properties?: Json }[];
  readonly filters?: { readonly properties?: Json };
};

type GroupType = { readonly index: number; readonly name: string };
export type Group = { readonly type_index: number; readonly key: string; readonly properties: JsonObject };

/** What a project decides about its analyses. The time zone is an IANA name. Weeks start on Sunday (0) by default. */
export type ProjectSettings = {
  readonly timezone: string;
  readonly actions?: readonly Action[];
  readonly cohorts?: readonly CohortSettings[];
  readonly group_types?: readonly GroupType[];
  readonly groups?: readonly Group[];
  readonly test_account_filters?: Json;
  readonly week_start_day?: number | null;
};

/** Everything an analysis needs besides its definition and the events. `now` is in milliseconds. */
export type Surroundings = { readonly project: ProjectSettings; readonly now: number };
