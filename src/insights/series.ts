import type { Options, OptionsInput } from '../cli/command/options.ts';
import { usageError } from '../errors.ts';
import { asList, asObject, filled, type Json, type JsonObject } from '../json/kinds.ts';
import type { InputOf } from '../service/endpoint.ts';
import type { persons } from '../service/persons.ts';
import { propertyFilter, readSteps, wordsOf } from './steps.ts';

/** The options that describe steps; their order on the command line counts. */
export const stepOptions = {
  event: {
    type: 'steps',
    placeholder: 'name',
    description: 'One event, whose name may contain commas',
  },
  events: { type: 'steps', placeholder: 'a,b,c', description: 'Events, in this order' },
  actions: { type: 'steps', placeholder: '1,2', description: 'Actions by id, in this order' },
  where: {
    type: 'steps',
    placeholder: 'expr',
    description: 'Condition on the event or action before it',
  },
} as const satisfies Options;

/** What analyses filter by, beyond their steps. */
export const conditionOptions = {
  property: {
    type: 'properties',
    description: 'Condition on all: person.properties.plan=pro',
  },
  filter_test_accounts: { type: 'boolean', description: 'Leave out internal and test accounts' },
  date_from: {
    type: 'date',
    description: 'YYYY-MM-DD, -1m, mStart, yStart (default -7d)',
  },
  date_to: { type: 'date', description: 'End, in the same formats' },
} as const satisfies Options;

/** What analyses are broken down by. */
export const breakdownOptions = {
  breakdown: {
    type: 'repeated',
    placeholder: 'key',
    description: 'Property key, or cohort ids, to break down by',
  },
  breakdown_type: {
    type: 'text',
    placeholder: 'type',
    choices: ['event', 'person', 'cohort', 'group', 'session', 'hogql'],
    description: 'event, person, cohort, group, session, hogql',
  },
  breakdown_limit: {
    type: 'integer',
    minimum: 1,
    description: 'Number of breakdown values (default 10)',
  },
} as const satisfies Options;

/** What analyses from options share with each other, beyond what a funnel has. */
export const intervalOption = {
  interval: {
    type: 'text',
    choices: ['hour', 'day', 'week', 'month'],
    description: 'Length of an interval (service default day)',
  },
} as const satisfies Options;

/** What is to hold of figures. */
export const expectOptions = {
  expect: {
    type: 'repeated',
    placeholder: 'expectation',
    description: "Must hold: 'last >= 100'",
  },
  maxDrop: {
    type: 'text',
    placeholder: 'percent',
    description: 'How much the last figure may drop: 20%',
  },
  maxLag: {
    type: 'duration',
    description: 'How old the newest interval may be: 2d',
  },
  unfinished: { type: 'flag', description: 'Also count the interval that is not over' },
} as const satisfies Options;

export type ExpectInput = OptionsInput<typeof expectOptions>;

/** One property key, several of them, or cohort ids. Throws a usage error for a cohort that is none. */
export function readBreakdown(texts: readonly string[], type: string | undefined): Json {
  if (texts.includes('')) throw usageError('--breakdown is empty', 'quote names that begin with $');
  if (type === 'cohort') return texts.flatMap((text) => text.split(',')).map(cohortId);
  return texts.length === 1 ? (texts[0] ?? '') : texts;
}

function cohortId(text: string): Json {
  if (text === 'all') return text;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usageError(`--breakdown of cohorts takes cohort ids, not "${text}"`);
}

type Lifecycle = InputOf<typeof persons.lifecycle>;

/** The fields that all analyses share, by the service's names. */
export type SeriesParameters = Pick<
  Lifecycle,
  'events' | 'actions' | 'properties' | 'filter_test_accounts' | 'date_from' | 'date_to' | 'interval'
>;

export type SeriesFlags = OptionsInput<typeof stepOptions & typeof conditionOptions> &
  Pick<SeriesParameters, 'interval'>;

/** The fields of an analysis; what was not given is absent. Throws a usage error without events and actions. */
export function seriesParameters(flags: SeriesFlags): SeriesParameters {
  const { events, actions } = readSteps(wordsOf(flags));
  const fields = filled({
    events,
    actions,
    properties: flags.property?.map(propertyFilter),
    filter_test_accounts: flags.filter_test_accounts,
    date_from: flags.date_from,
    date_to: flags.date_to,
    interval: flags.interval,
  });
  // Each field above is named after, and typed as, the row's parameter of that name.
  return fields as SeriesParameters;
}

/** Events and actions that are counted in this way; nothing if none is named. */
export function countedBy(
  how: { readonly math?: string | undefined; readonly math_property?: string | undefined },
  { events, actions }: SeriesParameters,
): Pick<SeriesParameters, 'events' | 'actions'> {
  if (how.math === undefined) return {};
  const counted = (list: Json | undefined) =>
    asList(list)?.map((entity) => ({ ...asObject(entity), ...filled(how) }));
  return filled({ events: counted(events), actions: counted(actions) });
}

/** One series of an analysis as older filters name it. `index` counts from 0, as a query does. */
export type SeriesEntity = {
  readonly index: number;
  readonly entity_id: string;
  readonly entity_type: 'events' | 'actions';
};

/** The series that was asked for, counted from 1; the only one without a number. Throws a usage error otherwise. */
export function chooseSeries(
  { events, actions }: SeriesParameters,
  series: number | undefined,
): SeriesEntity {
  const entities = entitiesOf({ events, actions });
  if (series === undefined && entities.length > 1) {
    throw usageError(`one of ${entities.length} series must be chosen`, 'choose one with --series, from 1');
  }
  const index = (series ?? 1) - 1;
  const entity = entities[index];
  if (entity === undefined) throw usageError(`series ${series} does not exist: there are ${entities.length}`);
  return {
    index,
    entity_id: String(entity.id),
    entity_type: entity.type === 'actions' ? 'actions' : 'events',
  };
}

/** The entities that `readSteps` made, in their order: each has id, type and order. */
export function entitiesOf({ events, actions }: Pick<SeriesParameters, 'events' | 'actions'>) {
  return [events, actions]
    .flatMap((list) => asList(list) ?? [])
    .map((entity): JsonObject => asObject(entity) ?? {})
    .toSorted((left, right) => Number(left.order) - Number(right.order));
}
