import type { JsonObject } from '../../../../../src/json/kinds.ts';
import { readLegacyTrends } from '../../../../../src/sandbox/analysis/definitions/definition.ts';
import { calculate } from '../../../../../src/sandbox/calculation/question.ts';
import { during, type Story, tell } from '../stories.ts';

export const THREE_DAYS = { date_from: '2024-02-01', date_to: '2024-02-03' };

export const story: Story = {
  ann: [
    ['view', '1 10:00', { price: 1, page: 'home', $session_id: 's1' }],
    ['view', '1 11:00', { price: 3, page: 'shop', $session_id: 's1' }],
    ['view', '3 10:00', { price: 10, page: 'home', $session_id: 's2' }],
    ['buy', '3 11:00'],
  ],
  bob: [
    ['view', '1 10:00', { price: 'free', page: 'home', $group_0: 'acme' }],
    ['view', '2 10:00', { price: 5 }],
  ],
};

export function series(body: JsonObject) {
  const whole = { events: [{ id: 'view' }], ...THREE_DAYS, ...body };
  // Trends answer a list of series.
  return calculate(readLegacyTrends(whole), { ...tell(story), ...during() }) as readonly (JsonObject & {
    data: readonly number[];
  })[];
}

export const dataOf = (body: JsonObject) => series(body).map(({ data }) => data);
