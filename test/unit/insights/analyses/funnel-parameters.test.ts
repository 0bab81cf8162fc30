import { describe, expect, it } from 'vitest';
import type { StepWord } from '../../../../src/cli/command/values.ts';
import { CliError } from '../../../../src/errors.ts';
import { type FunnelFlags, funnelParameters } from '../../../../src/insights/analyses/funnel.ts';

const event = (name: string): StepWord => ({ option: 'event', event: name });
const where = (key: string, operator = 'exact', value: string | number = 'x'): StepWord => ({
  option: 'where',
  condition: { key, operator, value },
});
const signupPaid: StepWord = { option: 'events', events: ['signup', 'paid'] };

function refusalOf(flags: FunnelFlags): string {
  try {
    funnelParameters(flags);
  } catch (failure) {
    if (failure instanceof CliError && failure.kind === 'usage') return `${failure.message}; ${failure.hint}`;
    throw failure;
  }
  throw new Error('it was not refused');
}

describe('funnel parameters', () => {
  it('number the steps in the order they were typed', () => {
    expect(funnelParameters({ events: [signupPaid] })).toEqual({
      events: [
        { id: 'signup', type: 'events', order: 0 },
        { id: 'paid', type: 'events', order: 1 },
      ],
    });
  });

  it('give each condition to the step before it', () => {
    const words = [
      event('$pageview'),
      where('plan'),
      where('age', 'gte', 18),
      event('paid'),
      where('plan', 'is_not'),
    ];
    expect(funnelParameters({ event: words, where: words })).toEqual({
      events: [
        {
          id: '$pageview',
          type: 'events',
          order: 0,
          properties: [
            { key: 'plan', operator: 'exact', value: 'x', type: 'event' },
            { key: 'age', operator: 'gte', value: 18, type: 'event' },
          ],
        },
        {
          id: 'paid',
          type: 'events',
          order: 1,
          properties: [{ key: 'plan', operator: 'is_not', value: 'x', type: 'event' }],
        },
      ],
    });
  });

  it('mix events and actions by their order', () => {
    const words: StepWord[] = [event('a, b'), { option: 'actions', actions: [7] }, where('url'), event('c')];
    expect(funnelParameters({ actions: words })).toEqual({
      events: [
        { id: 'a, b', type: 'events', order: 0 },
        { id: 'c', type: 'events', order: 2 },
      ],
      actions: [
        {
          id: 7,
          type: 'actions',
          order: 1,
          properties: [{ key: 'url', operator: 'exact', value: 'x', type: 'event' }],
        },
      ],
    });
  });

  it('ask about the person where a condition says so', () => {
    const property = [{ key: 'person.properties.plan', operator: 'is_set', value: 'is_set' }];
    expect(funnelParameters({ events: [signupPaid], property }).properties).toEqual([
      { key: 'plan', operator: 'is_set', value: 'is_set', type: 'person' },
    ]);
  });

  it('exclude between all steps, or between two of them counted from 1', () => {
    const words: StepWord[] = [
      { option: 'events', events: ['a', 'b', 'c'] },
      { option: 'exclude', event: 'refund' },
      { option: 'exclude', event: 'chat' },
      { option: 'exclude-from', step: 2 },
      { option: 'exclude-to', step: 3 },
      where('topic'),
    ];
    expect(funnelParameters({ exclude: words }).exclusions).toEqual([
      { id: 'refund', type: 'events', funnel_from_step: 0, funnel_to_step: 2 },
      {
        id: 'chat',
        type: 'events',
        funnel_from_step: 1,
        funnel_to_step: 2,
        properties: [{ key: 'topic', operator: 'exact', value: 'x', type: 'event' }],
      },
    ]);
  });

  it('carry every option under the name of the service, and nothing else', () => {
    expect(
      funnelParameters({
        events: [signupPaid],
        filter_test_accounts: false,
        date_from: '-30d',
        date_to: '2026-01-05',
        breakdown: ['$browser'],
        breakdown_type: 'event',
        breakdown_limit: 5,
        window: { count: 14, unit: 'DAY' },
        viz: 'trends',
        orderType: 'strict',
        groupTypeIndex: 0,
      }),
    ).toEqual({
      events: [
        { id: 'signup', type: 'events', order: 0 },
        { id: 'paid', type: 'events', order: 1 },
      ],
      filter_test_accounts: false,
      date_from: '-30d',
      date_to: '2026-01-05',
      breakdown: '$browser',
      breakdown_type: 'event',
      breakdown_limit: 5,
      funnel_window_interval: 14,
      funnel_window_interval_type: 'DAY',
      funnel_viz_type: 'trends',
      funnel_order_type: 'strict',
      aggregation_group_type_index: 0,
    });
    expect(funnelParameters({ events: [signupPaid], windowDays: 3 }).funnel_window_days).toBe(3);
  });

  it.each([
    [['plan'], 'person', 'plan'],
    [['plan', 'a,b'], 'event', ['plan', 'a,b']],
    [['1,2', 'all'], 'cohort', [1, 2, 'all']],
  ] as const)('break %j down by %s', (breakdown, breakdown_type, sent) => {
    expect(funnelParameters({ events: [signupPaid], breakdown, breakdown_type }).breakdown).toEqual(sent);
  });

  it('are the body where one is given', () => {
    const body = { events: [{ id: 'a' }], layout: 'vertical' };
    expect(funnelParameters({ body })).toBe(body);
  });

  const conflicting: FunnelFlags = { events: [signupPaid], window: { count: 1, unit: 'DAY' }, windowDays: 1 };
  it.each([
    ['no options', {}, 'no event and no action was given'],
    ['dates alone', { date_from: '-7d' }, 'no event and no action was given'],
    ['a body without steps', { body: { events: [], date_from: '-7d' } }, 'no event and no action was given'],
    ['a body beside options', { body: { events: [{ id: 'a' }] }, viz: 'steps' }, '--body gives the whole'],
    [
      'a condition before any step',
      { where: [where('plan'), event('a')] },
      '--where needs an option before it',
    ],
    [
      'a condition after a list',
      { events: [signupPaid, where('plan')] },
      '--where needs an option before it',
    ],
    [
      'a range without exclusion',
      { excludeTo: [signupPaid, { option: 'exclude-to', step: 2 }] },
      '--exclude-to needs',
    ],
    ['two windows', conflicting, '--window and --window-days'],
    ['an empty breakdown', { events: [signupPaid], breakdown: [''] }, '--breakdown is empty'],
    [
      'a cohort by name',
      { events: [signupPaid], breakdown: ['vips'], breakdown_type: 'cohort' },
      'takes cohort ids, not "vips"',
    ],
  ] satisfies [string, FunnelFlags, string][])('refuse %s', (_, flags, words) => {
    expect(refusalOf(flags)).toContain(words);
  });

  it.each([
    [2, 2, 'ends at step 2, which is not after step 2'],
    [1, 3, 'ends at step 3 of 2'],
  ])('refuse an exclusion from step %d to step %d', (from, to, words) => {
    const range: StepWord[] = [
      { option: 'exclude', event: 'refund' },
      { option: 'exclude-from', step: from },
      { option: 'exclude-to', step: to },
    ];
    expect(refusalOf({ events: [signupPaid, ...range] })).toContain(words);
  });
});
