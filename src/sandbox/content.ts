import { usageError } from '../errors.ts';
import { isExactNumber, isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { toText, writeJson } from '../json/write.ts';
import { type Moment, readMoment } from './operator.ts';
import { UUID } from './parameters.ts';
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
type NewDashboard = { readonly id: bigint; readonly name: string; readonly filters: JsonObject };

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

/**
 * Reads content in the form `{ project?, persons?, events? }`. Throws a usage error that names the first part that
 * does not fit.
 */
export function readContent(content: Json, now: Moment): Content {
  if (!isObject(content)) throw usageError('sandbox content must be an object', CONTENT_HINT);
  const { project = {}, persons = [], events = [] } = content;
  if (!isObject(project) || !isList(persons) || !isList(events)) {
    throw usageError('sandbox content has parts of the wrong shape', CONTENT_HINT);
  }
  return {
    project,
    persons: persons.map((person, index) => readPerson(person, `persons[${index}]`, now)),
    events: events.map((event, index) => readEvent(event, `events[${index}]`)),
    cohorts: readCohorts(project.cohorts ?? []),
    changes: [],
    insights: [],
    dashboards: readDashboards(project.dashboards ?? []),
  };
}

const CONTENT_HINT = 'it looks like {"project": {}, "persons": [], "events": []}';

/** Reads one person; without `created_at` it was created now. */
export function readPerson(value: Json, where: string, now: Moment): NewPerson {
  const person = asObject(value, where);
  const { distinct_ids: distinctIds, created_at: createdAt } = person;
  const ids = readIds(person, where);
  const isKnown = ids.id !== undefined || ids.uuid !== undefined;
  if (!isList(distinctIds) || (distinctIds.length === 0 && !isKnown)) {
    throw usageError(`${where} has no distinct_ids`, 'give a list of texts, or an empty one beside an id');
  }
  return {
    ...ids,
    distinctIds: distinctIds.map((distinctId) => readText(distinctId, `${where}.distinct_ids`)),
    properties: readProperties(person, where),
    createdAt:
      createdAt === undefined || createdAt === null ? now : readTime(createdAt, `${where}.created_at`),
    isIdentified: person.is_identified === true,
  };
}

/** An id is the number or the UUID, as the service has it in one place and in the other. */
function readIds({ id, uuid }: JsonObject, where: string): Pick<NewPerson, 'id' | 'uuid'> {
  const idAsUuid = typeof id === 'string' && UUID.test(id) ? id.toLowerCase() : undefined;
  const number = id === undefined || idAsUuid !== undefined ? undefined : readId(id, where);
  if (uuid === undefined) return { id: number, uuid: idAsUuid };
  if (typeof uuid !== 'string' || !UUID.test(uuid)) {
    throw usageError(`${where} has a uuid that is none: ${toText(uuid)}`);
  }
  if (idAsUuid !== undefined && idAsUuid !== uuid.toLowerCase()) {
    throw usageError(`${where} has two UUIDs: ${idAsUuid} and ${uuid}`);
  }
  return { id: number, uuid: uuid.toLowerCase() };
}

/** Reads one event. */
export function readEvent(value: Json, where: string): NewEvent {
  const event = asObject(value, where);
  return {
    event: readText(event.event ?? null, `${where}.event`),
    distinctId: readText(event.distinct_id ?? null, `${where}.distinct_id`),
    timestamp: readTime(event.timestamp ?? null, `${where}.timestamp`),
    properties: readProperties(event, where),
  };
}

function readCohorts(cohorts: Json): readonly NewCohort[] {
  if (!isList(cohorts)) throw usageError('project.cohorts is not a list');
  return cohorts.map((value, index) => {
    const where = `project.cohorts[${index}]`;
    const cohort = asObject(value, where);
    const { filters = propertiesOf(cohort.groups), distinct_ids: distinctIds = [] } = cohort;
    if (!isList(distinctIds) || !(filters === null || isList(filters))) {
      throw usageError(`${where} needs filters or distinct_ids`, 'both are lists');
    }
    if (isList(filters) && filters.some((filter) => isObject(filter) && filter.type === 'cohort')) {
      throw usageError(`${where} names another cohort`, 'repeat the filters of the other one');
    }
    return {
      id: readId(cohort.id ?? null, where),
      name: readText(cohort.name ?? null, `${where}.name`),
      definition: filters,
      distinctIds: distinctIds.map((distinctId) => readText(distinctId, `${where}.distinct_ids`)),
    };
  });
}

/** The older form of a cohort: a list with one group of filters. */
function propertiesOf(groups: Json | undefined): Json {
  const [group, ...others] = groups !== undefined && isList(groups) ? groups : [];
  return others.length === 0 && isObject(group) ? (group.properties ?? null) : null;
}

function readDashboards(dashboards: Json): readonly NewDashboard[] {
  if (!isList(dashboards)) throw usageError('project.dashboards is not a list');
  return dashboards.map((value, index) => {
    const where = `project.dashboards[${index}]`;
    const { id = null, name = null, filters = {} } = asObject(value, where);
    return {
      id: readId(id, where),
      name: readText(name, `${where}.name`),
      filters: asObject(filters, `${where}.filters`),
    };
  });
}

function asObject(value: Json, where: string): JsonObject {
  if (isObject(value)) return value;
  throw usageError(`${where} is not an object`);
}

function readText(value: Json, where: string): string {
  if (typeof value === 'string') return value;
  throw usageError(`${where} is not a text: ${writeJson(value)}`);
}

function readId(value: Json, where: string): bigint {
  const text = isExactNumber(value) ? value.value : String(value);
  if (!/^\d{1,18}$/.test(text))
    throw usageError(`${where} has an id that is neither a whole number nor a UUID: ${text}`);
  return BigInt(text);
}

function readTime(value: Json, where: string): Moment {
  const moment = typeof value === 'string' ? readMoment(value) : undefined;
  if (moment !== undefined) return moment;
  throw usageError(`${where} is not an ISO 8601 time: ${writeJson(value)}`);
}

function readProperties(value: JsonObject, where: string): string {
  const { properties = null } = value;
  if (properties === null) return '{}';
  if (!isObject(properties)) throw usageError(`${where}.properties is not an object`);
  return writeJson(properties);
}
