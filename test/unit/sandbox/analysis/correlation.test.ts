import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/json/kinds.ts';
import {
  readActorsQuery,
  readCorrelationPersons,
} from '../../../../src/sandbox/analysis/definitions/actors.ts';
import {
  readLegacyCorrelation,
  readQueryDefinition,
} from '../../../../src/sandbox/analysis/definitions/definition.ts';
import { calculate } from '../../../../src/sandbox/calculation/question.ts';
import { during, namesOf, RANGE, type Story, tell } from './stories.ts';

const FUNNEL = {
  events: ['a', 'b'].map((id, order) => ({ id, order })),
  ...RANGE,
  funnel_window_interval: 2,
};

const story: Story = {
  ann: [
    ['early', '1 09:00'],
    ['a', '1 10:00'],
    ['help', '1 11:00', { topic: 'price' }],
    ['b', '1 12:00'],
    ['late', '1 13:00'],
  ],
  bob: [
    ['a', '1 10:00'],
    ['help', '1 11:00', { topic: 'price' }],
    ['b', '1 12:00'],
  ],
  cat: [
    ['a', '1 10:00'],
    ['help', '1 11:00', { topic: 'other' }],
    ['error', '1 12:00'],
    ['late', '4 10:00'],
  ],
  dan: 'a 1 10:00, error 1 12:00',
};
const people = { ann: { plan: 'pro' }, bob: { plan: 'pro' }, cat: { plan: 'free' }, dan: {} };

function run(body: JsonObject) {
  // A correlation answers an object with a list of events.
  const { events, skewed } = calculate(readLegacyCorrelation({ ...FUNNEL, ...body }), {
    ...tell(story, people),
    ...during(),
  }) as {
    events: readonly {
      event: { event: string };
      success_count: number;
      failure_count: number;
      odds_ratio: number;
    }[];
    skewed: boolean;
  };
  return {
    skewed,
    rows: events.map((row) => [row.event.event, row.success_count, row.failure_count, row.odds_ratio]),
  };
}

describe('a correlation', () => {
  it('counts persons by what they did between entering and leaving the funnel', () => {
    expect(run({})).toEqual({
      skewed: false,
      rows: [
        ['help', 2, 1, 3],
        ['error', 0, 2, expect.closeTo(1 / 9, 9)],
      ],
    });
  });

  it('answers events in the shape of the service', () => {
    const answer = calculate(readLegacyCorrelation(FUNNEL), { ...tell(story), ...during() });
    expect(answer).toMatchObject({
      events: [
        { event: { event: 'help', properties: {}, elements: [] }, correlation_type: 'success' },
        { event: { event: 'error', properties: {}, elements: [] }, correlation_type: 'failure' },
      ],
    });
  });

  it('leaves out events that are named', () => {
    expect(run({ funnel_correlation_exclude_event_names: ['help'] }).rows).toHaveLength(1);
  });

  it('looks at properties of the persons', () => {
    const expected = [
      ['plan::pro', 2, 0, 9],
      ['plan::free', 0, 1, expect.closeTo(1 / 3, 9)],
    ];
    expect(run({ funnel_correlation_type: 'properties', funnel_correlation_names: ['plan'] }).rows).toEqual(
      expected,
    );
    const all = { funnel_correlation_type: 'properties', funnel_correlation_names: ['$all'] };
    expect(run(all).rows).toEqual(expected);
    expect(run({ ...all, funnel_correlation_exclude_names: ['plan'] }).rows).toEqual([]);
  });

  it.each([
    ['properties', 'funnel_correlation_names', 'funnelCorrelationNames'],
    ['event_with_properties', 'funnel_correlation_event_names', 'funnelCorrelationEventNames'],
  ])('of %s refuses to run without its names', (type, attr, field) => {
    const refusal = (name: string) => expect.objectContaining({ status: 400, attr: name });
    expect(() => run({ funnel_correlation_type: type })).toThrow(refusal(attr));
    expect(() => run({ funnel_correlation_type: type, [attr]: [] })).toThrow(refusal(attr));
    const source = { kind: 'FunnelsQuery', series: [] };
    const query = { kind: 'FunnelCorrelationQuery', funnelCorrelationType: type, source };
    expect(() => readQueryDefinition(query)).toThrow(refusal(field));
  });

  it('leaves out properties of events that fewer than three persons had', () => {
    const body = {
      funnel_correlation_type: 'event_with_properties',
      funnel_correlation_event_names: ['help'],
    };
    expect(run(body).rows).toEqual([]);
  });

  it('is empty where nobody failed', () => {
    const answer = calculate(readLegacyCorrelation(FUNNEL), {
      ...tell({ ann: story.ann ?? [] }),
      ...during(),
    });
    expect(answer).toEqual({ events: [], skewed: false });
  });

  it('says when far more failed than converted', () => {
    const many = Object.fromEntries(
      Array.from({ length: 11 }, (_, index) => [`p${index}`, [['a', '1']] as const]),
    );
    const answer = calculate(readLegacyCorrelation(FUNNEL), {
      ...tell({ ...many, bob: story.bob ?? [] }),
      ...during(),
    });
    expect(answer).toMatchObject({ skewed: true });
  });

  it('is read from a query', () => {
    const series = [
      { kind: 'EventsNode', event: 'a' },
      { kind: 'EventsNode', event: 'b' },
    ];
    const funnelsFilter = { funnelWindowInterval: 2, funnelWindowIntervalUnit: 'day' };
    const funnel = { kind: 'FunnelsQuery', series, funnelsFilter, dateRange: RANGE };
    const source = { kind: 'FunnelsActorsQuery', source: funnel };
    const query = { kind: 'FunnelCorrelationQuery', funnelCorrelationType: 'events', source };
    const expected = calculate(readLegacyCorrelation(FUNNEL), { ...tell(story), ...during() });
    expect(calculate(readQueryDefinition(query), { ...tell(story), ...during() })).toEqual(expected);
    const actors = {
      kind: 'FunnelCorrelationActorsQuery',
      source: query,
      funnelCorrelationPersonConverted: false,
      funnelCorrelationPersonEntity: { kind: 'EventsNode', event: 'error' },
    };
    expect(namesOf(readActorsQuery({ source: actors }).find({ ...tell(story), ...during() }))).toEqual([
      'cat',
      'dan',
    ]);
  });
});

describe('the persons of a correlation', () => {
  const find = (body: JsonObject) =>
    namesOf(readCorrelationPersons({ ...FUNNEL, ...body }).find({ ...tell(story, people), ...during() }));
  const help = { funnel_correlation_person_entity: { id: 'help', type: 'events' } };

  it('did the event on the way, and converted or not', () => {
    expect(find(help)).toEqual(['ann', 'bob', 'cat']);
    expect(find({ ...help, funnel_correlation_person_converted: 'true' })).toEqual(['ann', 'bob']);
    expect(find({ ...help, funnel_correlation_person_converted: false })).toEqual(['cat']);
  });

  it('have the property', () => {
    const values = [{ key: 'plan', value: 'pro', type: 'person', operator: 'exact' }];
    expect(find({ funnel_correlation_property_values: values })).toEqual(['ann', 'bob']);
  });

  it('cannot be listed without either', () => {
    expect(() => find({})).toThrow(expect.objectContaining({ status: 400 }));
  });
});
