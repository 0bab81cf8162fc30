import type { Json, JsonObject } from '../../json/kinds.ts';

/** A person as the analyses see it. `created_at` is in milliseconds since 1970, null if it is not known. */
export type AnalysisPerson = {
  readonly uuid: string;
  readonly properties: JsonObject;
  readonly created_at: number | null;
};

/** An event with its person. `timestamp` is in milliseconds; `order` decides between events of one instant. */
export type AnalysisEvent = {
  readonly person: AnalysisPerson;
  readonly event: string;
  readonly timestamp: number;
  readonly properties: JsonObject;
  readonly order: number;
};

/** All events of one person, by time and then by `order`. */
type PersonEvents = { readonly person: AnalysisPerson; readonly events: readonly AnalysisEvent[] };

/** What is analysed. `people` may be walked more than once, and yields each person that has events once. */
export type Dataset = { readonly people: () => Iterable<PersonEvents> };

export function compareEvents(one: AnalysisEvent, other: AnalysisEvent): number {
  return one.timestamp - other.timestamp || one.order - other.order;
}

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

type GroupType = { readonly index: number; readonly name: string };

export type Group = { readonly type_index: number; readonly key: string; readonly properties: JsonObject };

/** What a project decides about its analyses. The time zone is an IANA name. Weeks start on Sunday (0) by default. */
export type ProjectSettings = {
  readonly timezone: string;
  readonly actions?: readonly Action[];
  readonly cohorts?: readonly { readonly id: number; readonly name: string }[];
  readonly group_types?: readonly GroupType[];
  readonly groups?: readonly Group[];
  readonly test_account_filters?: Json;
  readonly week_start_day?: number | null;
};

/**
 * What an analysis looks at. It says so while it is prepared: over no events at all, so that no others are read than
 * those it needs, and nothing else of them.
 */
export type Needs = {
  /** Events by name, unless any may count. */
  readonly names: Set<string>;
  anyEvent: boolean;
  readonly ofEvents: NeededProperties;
  readonly ofPersons: NeededProperties;
  /** The members of cohorts. */
  readonly cohorts: Set<number>;
};

/** Properties by name, unless all are looked at. */
export type NeededProperties = { readonly names: Set<string>; all: boolean };

export function noNeeds(): Needs {
  return {
    names: new Set(),
    anyEvent: false,
    ofEvents: { names: new Set(), all: false },
    ofPersons: { names: new Set(), all: false },
    cohorts: new Set(),
  };
}

/** Everything an analysis needs besides its definition and the events. `now` is in milliseconds. */
export type Surroundings = {
  readonly project: ProjectSettings;
  readonly now: number;
  readonly needs: Needs;
  readonly isMember: (person: AnalysisPerson, cohort: number) => boolean;
};

/** What an analysis is made of besides its definition. */
export type AnalysisInput = Surroundings & Dataset;
