import type { Options, OptionsInput } from '../../cli/command/options.ts';
import type { StepWord } from '../../cli/command/values.ts';
import { usageError } from '../../errors.ts';
import { asList, asObject, filled, type Json, type JsonObject } from '../../json/kinds.ts';
import type { PropertyFilter } from '../../semantics/person-conditions.ts';
import type { InputOf } from '../../service/endpoint.ts';
import type { persons } from '../../service/persons.ts';

/** The options that describe steps; their order on the command line counts. */
export const stepOptions = {
  event: { type: 'steps', placeholder: 'name', description: 'One event, whose name may contain commas' },
  events: { type: 'steps', placeholder: 'a,b,c', description: 'Events, in this order' },
  actions: { type: 'steps', placeholder: '1,2', description: 'Actions by id, in this order' },
  where: { type: 'steps', placeholder: 'expr', description: 'Condition on the event or action before it' },
} as const satisfies Options;

export const conditionOptions = {
  property: { type: 'properties', description: 'Condition on all: person.properties.plan=pro' },
  filter_test_accounts: { type: 'boolean', description: 'Leave out internal and test accounts' },
  date_from: { type: 'date', description: 'YYYY-MM-DD, -1m, mStart, yStart (default -7d)' },
  date_to: { type: 'date', description: 'End, in the same formats' },
} as const satisfies Options;

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
  breakdown_limit: { type: 'integer', minimum: 1, description: 'Number of breakdown values (default 10)' },
} as const satisfies Options;

type Lifecycle = InputOf<typeof persons.lifecycle>;

export type SeriesParameters = Pick<
  Lifecycle,
  'events' | 'actions' | 'properties' | 'filter_test_accounts' | 'date_from' | 'date_to' | 'interval'
>;

export type SeriesFlags = OptionsInput<typeof stepOptions & typeof conditionOptions> &
  Pick<SeriesParameters, 'interval'>;

/** The fields of an analysis; what was not given is absent. Throws a usage error without events and actions. */
export function seriesParameters(flags: SeriesFlags): SeriesParameters {
  const { events, actions } = readSteps(flags);
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

/** What the options that describe steps say, each under its own name; all of them hold the same words. */
type StepFlags = {
  readonly [Name in 'event' | 'events' | 'actions' | 'where' | 'exclude' | 'excludeFrom' | 'excludeTo']?:
    | readonly StepWord[]
    | undefined;
};

type Steps = {
  readonly events?: readonly JsonObject[];
  readonly actions?: readonly JsonObject[];
  readonly exclusions?: readonly JsonObject[];
};

/** What was named; `properties` are the conditions on it. */
type Entity = {
  readonly type: 'events' | 'actions';
  readonly id: string | number;
  readonly properties: JsonObject[];
};

type Exclusion = Entity & { from?: number; to?: number };

/** Throws a usage error for a word in the wrong place, and without events and actions. */
export function readSteps(flags: StepFlags): Steps {
  const { event, events, actions, where, exclude, excludeFrom, excludeTo } = flags;
  const words = event ?? events ?? actions ?? where ?? exclude ?? excludeFrom ?? excludeTo ?? [];
  const entities: Entity[] = [];
  const exclusions: Exclusion[] = [];
  // What a condition is about; undefined after a list, and before everything.
  let named: Entity | undefined;
  const add = (type: Entity['type'], ids: readonly (string | number)[]) => {
    const added = ids.map((id): Entity => ({ type, id, properties: [] }));
    entities.push(...added);
    named = added.length === 1 ? added[0] : undefined;
  };
  for (const word of words) {
    if (word.option === 'event') add('events', [word.event]);
    else if (word.option === 'events') add('events', word.events);
    else if (word.option === 'actions') add('actions', word.actions);
    else if (word.option === 'where') {
      if (named === undefined) throw misplaced('--where', '--event, one action or --exclude');
      named.properties.push(propertyFilter(word.condition));
    } else if (word.option === 'exclude') {
      const exclusion: Exclusion = { type: 'events', id: word.event, properties: [] };
      exclusions.push(exclusion);
      named = exclusion;
    } else {
      const exclusion = exclusions.at(-1);
      if (exclusion === undefined) throw misplaced(`--${word.option}`, '--exclude');
      exclusion[word.option === 'exclude-from' ? 'from' : 'to'] = word.step;
    }
  }
  return toSteps(entities, exclusions);
}

function toSteps(entities: readonly Entity[], exclusions: readonly Exclusion[]): Steps {
  const ordered = entities.map(({ type, id, properties }, order) =>
    filled({ id, type, order, properties: unlessEmpty(properties) }),
  );
  const steps = {
    events: unlessEmpty(ordered.filter(({ type }) => type === 'events')),
    actions: unlessEmpty(ordered.filter(({ type }) => type === 'actions')),
    exclusions: unlessEmpty(exclusions.map((exclusion) => exclusionFilter(exclusion, entities.length))),
  };
  requireSteps(steps);
  // Only lists of objects were put in.
  return filled(steps) as Steps;
}

function unlessEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Throws a usage error without an event or an action: the service needs one of them. */
export function requireSteps({ events, actions }: Filters): void {
  if ([events, actions].some((list) => (asList(list) ?? []).length > 0)) return;
  throw usageError('no event and no action was given', 'give the steps with --events a,b or --actions 1,2');
}

function misplaced(flag: string, owner: string) {
  return usageError(`${flag} needs an option before it`, `write it after ${owner}`);
}

/** The service counts the steps of an exclusion from 0; without a range it is the whole funnel. */
function exclusionFilter({ id, properties, from = 1, to }: Exclusion, last: number): JsonObject {
  const end = to ?? last;
  if (end <= from) {
    throw usageError(
      `the exclusion of "${id}" ends at step ${end}, which is not after step ${from}`,
      'give two steps with --exclude-from and --exclude-to, from 1',
    );
  }
  if (end > last) throw usageError(`the exclusion of "${id}" ends at step ${end} of ${last}`);
  return filled({
    id,
    type: 'events',
    funnel_from_step: from - 1,
    funnel_to_step: end - 1,
    properties: unlessEmpty(properties),
  });
}

/** How SQL names the properties of the person who did an event. */
const PERSON = 'person.properties.';

/** A property filter of an analysis: about the event, or with `person.properties.plan` about its person. */
export function propertyFilter({ key, operator, value }: PropertyFilter): JsonObject {
  const ofPerson = key.startsWith(PERSON) && key.length > PERSON.length;
  return filled({
    key: ofPerson ? key.slice(PERSON.length) : key,
    operator,
    value,
    type: ofPerson ? 'person' : 'event',
  });
}

export type Filters = { readonly [name: string]: Json | undefined };

export const seriesFields = [
  'events',
  'actions',
  'properties',
  'filter_test_accounts',
  'date_from',
  'date_to',
] as const;

export function entitiesOf({ events, actions }: Filters): readonly JsonObject[] {
  const entities = [
    ...objects(events).map((entity): JsonObject => ({ ...entity, type: 'events' })),
    ...objects(actions).map((entity): JsonObject => ({ ...entity, type: 'actions' })),
  ];
  return entities
    .map((entity, at) => ({ entity, order: typeof entity.order === 'number' ? entity.order : at }))
    .toSorted((left, right) => left.order - right.order)
    .map(({ entity }) => entity);
}

/** An event or action as a node of a query; an event with the `id` null is any event. */
export function entityNode({ type, id = null, ...entity }: JsonObject): JsonObject {
  const { name, custom_name, properties, math, math_property } = entity;
  const details = filled({ name, custom_name, properties: properties ?? undefined, math, math_property });
  if (type !== 'actions') return { kind: 'EventsNode', event: id, ...details };
  return {
    kind: 'ActionsNode',
    id: typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id,
    ...details,
  };
}

/** The objects of a list; older filters may hold a bare event name or action id in place of an object. */
export function objects(value: Json | undefined): readonly JsonObject[] {
  return (asList(value) ?? []).map((item) => asObject(item) ?? { id: item });
}

export function insightFields(filters: Filters): JsonObject {
  const { date_from, date_to, properties, filter_test_accounts, interval } = filters;
  const dates = filled({ date_from, date_to });
  return filled({
    series: entitiesOf(filters).map(entityNode),
    properties: properties ?? undefined,
    filterTestAccounts: filter_test_accounts,
    dateRange: Object.keys(dates).length === 0 ? undefined : dates,
    interval,
  });
}

/** The fields of these names as a query spells them, such as `funnelVizType`. */
export function queryFields(filters: Filters, names: readonly string[]): JsonObject {
  const spelt = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return filled(Object.fromEntries(names.map((name) => [spelt(name), filters[name]])));
}

export function breakdownFilter(filters: Filters): JsonObject | undefined {
  const { breakdown, breakdown_type, breakdown_limit } = filters;
  return breakdown === undefined ? undefined : filled({ breakdown, breakdown_type, breakdown_limit });
}
