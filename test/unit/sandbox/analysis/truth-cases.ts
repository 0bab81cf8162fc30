import type { Json, JsonObject } from '../../../../src/json/kinds.ts';
import { type Dataset, noNeeds, type Surroundings } from '../../../../src/sandbox/analysis/dataset.ts';
import { datasetOfRows, membersIn, type ToldProject } from './stories.ts';

export type ExpectedStep = {
  readonly order: number;
  readonly count?: number;
  readonly name?: string;
  readonly average_conversion_time?: number | null;
  readonly median_conversion_time?: number | null;
};

export type ExpectedPersons = {
  readonly funnel_step?: number;
  readonly breakdown?: readonly string[];
  readonly entrance_period_start?: string;
  readonly drop_off?: boolean;
  readonly distinct_ids?: readonly string[];
  readonly distinct_ids_derived?: readonly string[];
  readonly count?: number;
  readonly pages?: readonly number[];
  readonly error?: { readonly status: number };
  readonly [field: string]: unknown;
};

type ExpectedSeries = {
  readonly at?: Readonly<Record<string, number>>;
  readonly count?: number;
  readonly days?: readonly string[];
  readonly data?: readonly number[];
  readonly compare_label?: string;
};

type ExpectedCorrelation = {
  readonly events: readonly (JsonObject & { readonly event: string; readonly odds_ratio: number })[];
  readonly order_asserted?: boolean;
  readonly skewed?: boolean;
  readonly persons?: readonly {
    readonly event: string;
    readonly converted: boolean;
    readonly count: number;
  }[];
};

export type Expectation = {
  readonly steps?: readonly ExpectedStep[];
  readonly steps_total?: number;
  readonly empty_or_zero?: boolean;
  readonly persons?: readonly ExpectedPersons[];
  readonly breakdowns?: readonly {
    readonly value: readonly string[];
    readonly steps: readonly ExpectedStep[];
  }[];
  readonly breakdowns_total?: number;
  readonly breakdown_order_asserted?: boolean;
  readonly breakdown_values?: readonly (readonly string[])[];
  readonly trend?: ExpectedTrend;
  readonly trend_breakdowns?: readonly (ExpectedTrend & { readonly value: readonly string[] })[];
  readonly time_to_convert?: {
    readonly bins: readonly (readonly [number, number])[];
    readonly average_conversion_time?: number;
    readonly median_conversion_time?: number;
  };
  readonly error?: {
    readonly status: number;
    readonly type?: string;
    readonly code?: string;
    readonly detail?: string;
  };
  readonly correlation?: ExpectedCorrelation;
  readonly lifecycle?: Readonly<Record<string, readonly (number | string)[]>>;
  readonly stickiness?: {
    readonly count: number;
    readonly at: Readonly<Record<string, number>>;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly series?: readonly ExpectedSeries[];
};

export type ExpectedTrend = {
  readonly periods?: number;
  readonly days?: readonly string[];
  readonly reached_from?: readonly (number | null)[];
  readonly reached_to?: readonly (number | null)[];
  readonly conversion_rate?: readonly (number | null)[];
};

export type TruthCase = {
  readonly id: string;
  readonly title: string;
  readonly now: string | null;
  readonly project: ToldProject;
  readonly request: JsonObject;
  readonly data: {
    readonly persons: readonly {
      distinct_ids: readonly string[];
      properties: JsonObject;
      created_at?: string;
    }[];
    readonly events: readonly {
      distinct_id: string;
      event: string;
      timestamp: string;
      properties?: JsonObject;
    }[];
  };
  readonly expect: Expectation;
};

/** Cases whose clock must not matter run at this one. */
const ANY_TIME = '2026-11-01T12:00:00Z';

export function datasetOf({ data }: TruthCase): Dataset {
  const persons = data.persons.map((person, index) => ({
    uuid: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
    distinct_ids: person.distinct_ids,
    properties: person.properties,
    created_at: person.created_at === undefined ? null : Date.parse(person.created_at),
  }));
  const rows = data.events.map(({ distinct_id, event, timestamp, properties = {} }) => ({
    person: persons.findIndex((person) => person.distinct_ids.includes(distinct_id)),
    event,
    timestamp: Date.parse(timestamp),
    properties,
  }));
  return datasetOfRows(persons, rows);
}

export function surroundingsOf({ now, project }: TruthCase): Surroundings {
  return { project, now: Date.parse(now ?? ANY_TIME), needs: noNeeds(), isMember: membersIn(project) };
}

/** The fields of a request that says what it is about in `query` or `body`, or directly. */
export function bodyOf({ request }: TruthCase): JsonObject {
  const { kind: _kind, endpoint: _endpoint, query, body, ...rest } = request;
  return { ...rest, ...asBody(query), ...asBody(body) };
}

function asBody(value: Json | undefined): JsonObject {
  // Both fields hold objects in every case.
  return (value ?? {}) as JsonObject;
}
