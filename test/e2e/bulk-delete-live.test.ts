import { describe } from 'vitest';
import { golden } from '../support/golden.ts';

const time = Date.parse('2026-06-18T12:00:00Z');
const at = (second: number) => ({ now: () => time + second * 1000 });

describe('bulk deletion on the sandbox in the live dialect', () => {
  const { shows } = golden('bulk-delete-live', { dialect: 'live' });
  shows(
    'looks up whom the ids belong to',
    'persons bulk-delete --distinct-ids shopper-0001,nobody --dry-run',
    at(0),
  );
  shows('looks integers up one by one', 'persons bulk-delete 7 999999 --dry-run -o json', at(1));
  shows(
    'queues the deletion and that of the events',
    'persons bulk-delete --distinct-ids shopper-0001,shopper-0002,nobody --delete-events --yes',
    at(2),
  );
  shows('tells the outcome per id', 'runs report 20260618T120002Z -o csv', at(3));
  shows('verifies that events are pending', 'runs verify 20260618T120002Z -o json', at(4));
  shows('moves the clock past Sunday', 'sandbox advance --to 2026-06-22T00:00:00Z', at(5));
  shows('verifies that events have gone', 'runs verify 20260618T120002Z -o json', at(6));
  shows('deletes one person', 'persons delete 8 --yes', at(7));
  shows('misses one person', 'persons delete 999999 --yes', at(8));
  shows('keeps the persons', 'persons bulk-delete 9 --keep-person --delete-events --yes -o json', at(9));
  shows('keeps one person', 'persons delete 10 --keep-person --delete-events --yes', at(10));
});
