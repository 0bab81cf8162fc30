import { describe } from 'vitest';
import { golden } from '../support/golden.ts';

const erase = 'persons bulk-delete --new-run --distinct-ids';
const rates =
  "query 'select event, count() / 7 as mean_of_the_days from events group by event order by event limit 3'";

describe('tables on a terminal', () => {
  const { shows } = golden('tables-on-terminals');

  shows(
    'begins a run',
    `${erase} shopper-0001,shopper-0002 --delete-events --received 2026-01-20 --yes --max 2`,
  );
  shows('plans a run', `${erase} shopper-0003 --plan-only --received 2026-02-10`);
  shows('calls a plan not begun', 'runs show last --columns figure,count');

  for (const columns of [80, 120]) {
    const terminal = { terminal: { columns } };
    shows(`lists runs on ${columns} columns`, 'runs list', terminal);
    shows(`lists deadlines on ${columns} columns`, 'runs list --due', terminal);
    shows(`lists insights on ${columns} columns`, 'insights list --limit 5', terminal);
    shows(`rounds figures on ${columns} columns`, rates, terminal);
  }
  shows('rounds no figure in a pipe', rates);
  shows('keeps a column in a pipe that is the same in all rows', 'runs list --due');
});
