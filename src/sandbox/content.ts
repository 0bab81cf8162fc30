import type { Json, JsonObject } from '../json/kinds.ts';
import type { Moment } from './clock.ts';
import type { InsightDocument } from './store/insights.ts';

export type NewPerson = {
  /** Given numbers are kept; without one the next free number is taken. */
  readonly id?: bigint | undefined;
  readonly uuid?: string | undefined;
  readonly distinctIds: readonly string[];
  /** JSON text, so that numbers keep their digits. */
  readonly properties: string;
  readonly createdAt: Moment;
  readonly isIdentified: boolean;
};

export type NewEvent = {
  readonly event: string;
  readonly distinctId: string;
  readonly timestamp: Moment;
  /** JSON text. */
  readonly properties: string;
};

export type NewCohort = {
  readonly id: bigint;
  readonly name: string;
  /** Filters of persons, or null for a list of persons. */
  readonly definition: Json;
  /** Whom a cohort without filters lists. */
  readonly distinctIds: readonly string[];
};

export type NewInsight = { readonly document: InsightDocument; readonly dashboards: readonly bigint[] };

/** `filters` narrow every insight that is shown on it: `date_from`, `date_to` and `properties`. */
export type NewDashboard = { readonly id: bigint; readonly name: string; readonly filters: JsonObject };

/** Properties that were set at some moment after a person was created. */
export type NewChange = { readonly distinctId: string; readonly set: JsonObject; readonly at: Moment };

/** What a sandbox is filled with. */
export type Content = {
  readonly project: JsonObject;
  readonly persons: readonly NewPerson[];
  readonly events: readonly NewEvent[];
  readonly cohorts: readonly NewCohort[];
  readonly changes: readonly NewChange[];
  readonly insights: readonly NewInsight[];
  readonly dashboards: readonly NewDashboard[];
};

export const NOTHING: Content = {
  project: {},
  persons: [],
  events: [],
  cohorts: [],
  changes: [],
  insights: [],
  dashboards: [],
};
