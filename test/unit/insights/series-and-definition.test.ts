import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { StepWord } from '../../../src/cli/command/values.ts';
import { chooseSeries } from '../../../src/insights/analyses/people.ts';
import { seriesParameters } from '../../../src/insights/analyses/steps.ts';
import { readDefinition } from '../../../src/insights/answers/query-node.ts';
import { toJsonText } from '../../../src/json/text.ts';

const words: StepWord[] = [
  { option: 'event', event: 'signup' },
  { option: 'actions', actions: [7] },
];

describe('the parameters of a series', () => {
  it('hold what was given under the names of the service', () => {
    const property = [{ key: 'plan', operator: 'exact', value: 'pro' }];
    expect(seriesParameters({ event: words, property, date_from: '-7d', interval: 'week' })).toEqual({
      events: [{ id: 'signup', type: 'events', order: 0 }],
      actions: [{ id: 7, type: 'actions', order: 1 }],
      properties: [{ key: 'plan', operator: 'exact', value: 'pro', type: 'event' }],
      date_from: '-7d',
      interval: 'week',
    });
  });

  it('need an event or an action', () => {
    expect(() => seriesParameters({ date_from: '-7d' })).toThrow('no event and no action was given');
  });

  it('name one series, counted from 1', () => {
    const parameters = seriesParameters({ event: words });
    expect(chooseSeries(parameters, 1)).toEqual({ index: 0, entity_id: 'signup', entity_type: 'events' });
    expect(chooseSeries(parameters, 2)).toEqual({ index: 1, entity_id: '7', entity_type: 'actions' });
    expect(() => chooseSeries(parameters, undefined)).toThrow('one of 2 series must be chosen');
    expect(() => chooseSeries(parameters, 3)).toThrow('series 3 does not exist: there are 2');
  });

  it('need no number where there is one series', () => {
    const parameters = seriesParameters({ events: [{ option: 'events', events: ['paid'] }] });
    expect(chooseSeries(parameters, undefined)).toEqual({
      index: 0,
      entity_id: 'paid',
      entity_type: 'events',
    });
  });
});

describe('the definition of an insight', () => {
  const node = { kind: 'InsightVizNode', source: { kind: 'TrendsQuery' } };

  it('is a node, or a string that holds one', () => {
    expect(readDefinition(node)).toEqual(node);
    expect(readDefinition(JSON.stringify(node))).toEqual(node);
  });

  it('keeps the digits of numbers in a string', () => {
    const text = '{"kind":"X","n":12345678901234567890}';
    expect(toJsonText(readDefinition(text))).toBe(text);
  });

  it.each([
    ['null', null],
    ['an empty object', {}],
    ['a list', [node]],
    ['a number', 5],
    ['an exact number', new LosslessNumber('12345678901234567890')],
    ['a string that holds null', 'null'],
    ['a string that holds half a node', '{"kind": "Insight'],
  ])('is never %s', (_, given) => {
    expect(() => readDefinition(given as never)).toThrow(/--query is/);
  });
});
