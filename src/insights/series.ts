import { usageError } from '../errors.ts';
import { asObject, filled, type Json, type JsonObject } from '../json/kinds.ts';
import type { InputOf } from '../service/endpoint.ts';
import type { persons } from '../service/persons.ts';
import { requireSteps } from './funnel.ts';
import { type Condition, propertyFilter, readSteps, type StepFlags, wordsOf } from './steps.ts';

type Lifecycle = InputOf<typeof persons.lifecycle>;

/** The fields that lifecycle, stickiness and trends share, by the service's names. */
export type SeriesParameters = Pick<
  Lifecycle,
  'events' | 'actions' | 'properties' | 'filter_test_accounts' | 'date_from' | 'date_to' | 'interval'
>;

export type SeriesFlags = Pick<StepFlags, 'event' | 'events' | 'actions' | 'where'> &
  Pick<SeriesParameters, 'filter_test_accounts' | 'date_from' | 'date_to' | 'interval'> & {
    readonly property?: readonly Condition[] | undefined;
  };

/** The fields of an analysis; what was not given is absent. Throws a usage error without events and actions. */
export function seriesParameters(flags: SeriesFlags): SeriesParameters {
  const { events, actions } = readSteps(wordsOf(flags));
  requireSteps({ events: events ?? [], actions: actions ?? [] });
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
  const entities = [events, actions].flatMap(entitiesOf).toSorted((left, right) => left.order - right.order);
  if (series === undefined && entities.length > 1) {
    throw usageError(`there are ${entities.length} series`, 'name one with --series, the first being 1');
  }
  const index = (series ?? 1) - 1;
  const entity = entities[index];
  if (entity === undefined) throw usageError(`there is no series ${series} among ${entities.length}`);
  return { index, entity_id: entity.id, entity_type: entity.type };
}

type Entity = { readonly id: string; readonly type: 'events' | 'actions'; readonly order: number };

/** The entities that `readSteps` made: each has id, type and order. */
function entitiesOf(list: Json | undefined): readonly Entity[] {
  return (Array.isArray(list) ? list : []).flatMap((item: Json) => {
    const { id, type, order }: JsonObject = asObject(item) ?? {};
    return [
      { id: String(id), type: type === 'actions' ? 'actions' : 'events', order: Number(order) } as const,
    ];
  });
}
