import type { InputOf } from '../../api/endpoint.ts';
import type { persons } from '../../api/endpoints/persons.ts';
import { usageError } from '../../errors.ts';
import { asList, asObject, filled } from '../../json/kinds.ts';
import type { TrendPoint } from '../../queries/actors-query.ts';
import { readBreakdown } from '../../queries/funnel-parameters.ts';
import { chooseSeries, type SeriesFlags, seriesParameters } from '../../queries/series-parameters.ts';

type TrendFields = InputOf<typeof persons.trends>;

type TrendFlags = SeriesFlags &
  Pick<TrendFields, 'breakdown_type' | 'breakdown_value' | 'display'> & {
    readonly breakdown?: readonly string[] | undefined;
    readonly math?: string | undefined;
    readonly day?: string | undefined;
    readonly series?: number | undefined;
  };

/**
 * The people behind one point of a trend: fields by the service's names, and the same point as a query has it. One day
 * is a range that begins and ends with it. Throws a usage error for a series or day that is not clear.
 */
export function trendPeople(flags: TrendFlags): { readonly fields: TrendFields; readonly point: TrendPoint } {
  const { breakdown, math, day, series, ...others } = flags;
  if (day !== undefined && (others.date_from !== undefined || others.date_to !== undefined)) {
    throw usageError('--day is a range by itself', 'leave out --date-from and --date-to');
  }
  const dates = day === undefined ? {} : { date_from: day, date_to: day };
  const parameters = seriesParameters({ ...others, ...dates });
  const { index, entity_id, entity_type } = chooseSeries(parameters, series);
  const fields = filled({
    ...parameters,
    ...(math !== undefined && countedBy(math, parameters)),
    entity_id,
    entity_type,
    entity_math: math,
    breakdown: breakdown && readBreakdown(breakdown, others.breakdown_type),
    breakdown_type: others.breakdown_type,
    breakdown_value: others.breakdown_value,
    display: others.display,
  });
  // Each field above is named after, and typed as, the row's parameter of that name.
  return { fields: fields as TrendFields, point: { series: index, day } };
}

/** Events and actions that are counted in this way. */
function countedBy(math: string, { events, actions }: Pick<TrendFields, 'events' | 'actions'>) {
  const counted = (list: TrendFields['events']) =>
    asList(list)?.map((entity) => ({ ...asObject(entity), math }));
  return { events: counted(events), actions: counted(actions) };
}
