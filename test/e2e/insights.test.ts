import { describe } from 'vitest';
import { golden } from '../support/golden.ts';

const steps =
  '--events product_viewed,added_to_basket,order_completed --date-from 2026-06-01 --date-to 2026-06-14';
const query = `'{"kind":"InsightVizNode","source":{"kind":"TrendsQuery","series":[{"kind":"EventsNode","event":"order_completed"}],"dateRange":{"date_from":"-7d"}}}'`;

for (const dialect of ['specification', 'live'] as const) {
  describe(`insights on the sandbox in the ${dialect} dialect`, () => {
    const { shows } = golden(`insights-${dialect}`, { dialect });
    shows('lists insights', 'insights list --limit 3', { terminal: { columns: 100 } });
    shows('lists insights on a narrow terminal', 'insights list --limit 3', { terminal: { columns: 80 } });
    shows('lists insights as csv', 'insights list --limit 2 -o csv --columns id,short_id,name,tags');
    shows('finds one by short id', 'insights list --short-id M49megqP -o ndjson --columns id,name');
    shows('says that nothing is calculated yet', 'insights get 1');
    shows('calculates a trend', 'insights get 1 --refresh -o csv --no-chart');
    shows(
      'shows a trend by short id as json',
      'insights get M49megqP -o json --columns id,short_id,result.0.count',
    );
    shows('calculates a funnel insight', 'insights get 4 --refresh --no-chart');
    shows('calculates a funnel with a breakdown', 'insights get 5 --refresh -o csv');
    shows('calculates a time to convert', 'insights get 6 --refresh --no-chart');
    shows('calculates retention', 'insights get 8 --refresh -o csv');
    shows('calculates a lifecycle', 'insights get 9 --refresh -o csv');
    shows('calculates stickiness', 'insights get 10 --refresh -o csv');
    shows('calculates sql', 'insights get 12 --refresh --no-chart');
    shows('waits for the background', 'insights get 2 --refresh async --wait -o csv');
    shows('ends with 9 without a result', 'insights get 3 --require-result');
    shows(
      'creates an insight',
      `insights create --name Week --tags shop --query ${query} -o json --columns id,name,saved,tags`,
    );
    shows(
      'changes its name and tags',
      'insights update 13 --name Weekly --add-tag weekly -o json --columns id,name,tags',
    );
    shows('wants tags cleared by name', 'insights update 13 --tags ""');
    shows('deletes it softly', 'insights delete 13 --yes');
    shows('restores it', 'insights restore 13 -o json --columns id,name,deleted');
    shows('is refused a hard deletion', 'insights delete 13 --hard --yes');
    shows('shows how it is shared', 'insights sharing 1 --columns enabled,access_token');
    shows('shows access controls', 'insights access-controls 1 -o json');
    shows('shows global access controls', 'insights global-access-controls 1');
    shows('shows the activity of one', 'insights activity 13 --limit 2 --columns activity,item_id');
    shows('shows the activity of all', 'insights activity --limit 2 -o csv --columns activity,item_id');
    shows('records a view', 'insights viewed 1 2');
    shows('shows the last viewed', 'insights last-viewed --columns id,name');
    shows('misses an insight', 'insights get 999');
    shows('cancels what is not there', 'insights cancel 0192f0c1-7a30-7000-8000-000000000001');
    shows('calculates a funnel from options', `insights funnel ${steps}`, { terminal: { columns: 80 } });
    shows('calculates a funnel as json', `insights funnel ${steps} -o json`);
    shows('calculates a funnel by get', `insights funnel ${steps} --get -o csv`);
    shows('refuses a funnel without steps', 'insights funnel --date-from -7d');
    shows('calculates what goes with conversion', `insights funnel-correlation ${steps} -o csv`);
    shows(
      'lists who dropped out of a funnel',
      `persons funnel ${steps} --step 2 --dropped --limit 2 -o csv --columns id,name`,
    );
    shows('lists who converted', `persons funnel ${steps} --step 3 --limit 2 --get -o csv --columns id,name`);
    shows(
      'lists who is behind a correlation',
      `persons funnel-correlation ${steps} --entity support_contacted --converted --limit 2 -o csv --columns id,name`,
    );
    shows(
      'lists who is behind a lifecycle day',
      'persons lifecycle --events product_viewed --date-from 2026-06-01 --date-to 2026-06-14 --day 2026-06-10 --status returning --limit 2 -o csv --columns id,name',
    );
    shows(
      'lists who sticks',
      'persons stickiness --events order_completed --date-from 2026-06-01 --date-to 2026-06-14 --days 3 --limit 2 -o csv --columns id,name',
    );
    shows(
      'lists who is behind a trend',
      'persons trends --events order_completed --day 2026-06-10 --limit 2 -o csv --columns id,name',
    );
    shows(
      'shows the timeline of a person',
      'persons timeline 1 --date-from 2026-06-01 --date-to 2026-06-14 -o json',
    );
    shows('shows event deletions', 'persons deletion-status');
    shows('lets a distinct id be used again', 'persons reset-distinct-id shopper-0001');
  });
}
