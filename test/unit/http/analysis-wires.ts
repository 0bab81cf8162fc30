import { persons } from '../../../src/service/persons.ts';
import { type Case, STEPS, STEPS_TEXT, wire } from './wire-case.ts';

export const analysisWires: readonly Case[] = [
  wire(
    persons.funnelGet,
    { events: STEPS, date_from: '-7d', funnel_step: -2 },
    {
      id: 'P13',
      both: [`GET /api/projects/7/persons/funnel/?events=${STEPS_TEXT}&date_from=-7d&funnel_step=-2`, ''],
    },
  ),
  wire(
    persons.funnel,
    { events: STEPS, filter_test_accounts: false, funnel_step: 1, limit: 20 },
    {
      id: 'P14',
      both: [
        'POST /api/projects/7/persons/funnel/',
        '{"events":[{"id":"sign up"},{"id":"pay"}],"filter_test_accounts":false,"funnel_step":1,"limit":20}',
      ],
    },
  ),
  wire(
    persons.funnelCorrelationGet,
    { events: STEPS, funnel_correlation_person_converted: true },
    {
      id: 'P15',
      both: [
        `GET /api/projects/7/persons/funnel/correlation/?events=${STEPS_TEXT}&funnel_correlation_person_converted=true`,
        '',
      ],
    },
  ),
  wire(
    persons.funnelCorrelation,
    { events: STEPS, funnel_window_interval: 14, funnel_window_interval_type: 'DAY' },
    {
      id: 'P16',
      both: [
        'POST /api/projects/7/persons/funnel/correlation/',
        '{"events":[{"id":"sign up"},{"id":"pay"}],"funnel_window_interval":14,"funnel_window_interval_type":"DAY"}',
      ],
    },
  ),
  wire(
    persons.lifecycle,
    { events: STEPS, target_date: '2026-01-02', lifecycle_type: 'dormant' },
    {
      id: 'P17',
      both: [
        `GET /api/projects/7/persons/lifecycle/?events=${STEPS_TEXT}&target_date=2026-01-02&lifecycle_type=dormant`,
        '',
      ],
    },
  ),
  wire(
    persons.stickiness,
    { events: STEPS, interval: 'week', stickiness_days: 3, offset: 100 },
    {
      id: 'P18',
      both: [
        `GET /api/projects/7/persons/stickiness/?events=${STEPS_TEXT}&interval=week&stickiness_days=3&offset=100`,
        '',
      ],
    },
  ),
  wire(
    persons.trends,
    { date_from: '2026-01-01', date_to: '2026-01-02', entity_id: '$pageview', entity_type: 'events' },
    {
      id: 'P19',
      both: [
        'GET /api/projects/7/persons/trends/?date_from=2026-01-01&date_to=2026-01-02&entity_id=%24pageview&entity_type=events',
        '',
      ],
    },
  ),
];
