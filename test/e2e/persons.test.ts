import { describe } from 'vitest';
import { golden } from '../support/golden.ts';

const wide = { terminal: { columns: 100 } };

const dialects = { persons: 'specification', 'persons-live': 'live' } as const;

describe.each(Object.entries(dialects))('%s on the sandbox in the %s dialect', (folder, dialect) => {
  const { shows } = golden(folder, { dialect });
  shows('lists people on a terminal', 'persons list --limit 4', wide);
  shows('lists people through a pipe', 'persons list --limit 4');
  shows('lists people as csv', 'persons list --limit 3 -o csv');
  shows('lists people as tsv', 'persons list --limit 3 -o tsv --columns id,properties.plan');
  shows('lists people as json', 'persons list --limit 2 -o json');
  shows('lists people as ndjson', 'persons list --limit 2 -o ndjson');
  shows('says so when nobody matches', 'persons list --email nobody@example.org', wide);
  shows(
    'finds by property',
    'persons list --property plan=enterprise --property rating:gte=5 --limit 3 --columns id,name,properties.rating',
  );
  shows('shows a person', 'persons get 1', wide);
  shows('shows a person by email as json', 'persons get --email ana.berg@example.org -o json');
  shows('shows a person as csv', 'persons get --distinct-id shopper-0001 -o csv');
  shows('misses a person', 'persons get --distinct-id nobody');
  shows('misses an id', 'persons get 999999 -o json');
  shows('refuses a distinct id in place of an id', 'persons get shopper-0001');
  shows('sets properties', 'persons update 2 --set plan=pro --set age=30 --set zip=02134');
  shows('sets one property', 'persons set 2 vip true');
  shows('sets one property as text', 'persons set 2 vip true --string');
  shows('sets one property as json', `persons set 2 address --json '{"city":"Oslo"}'`);
  shows(
    'shows what was set',
    'persons get 2 -o json --columns properties.plan,properties.age,properties.zip,properties.vip,properties.address',
  );
  shows('deletes a property', 'persons unset 2 vip');
  shows('prints an update in a dry run', 'persons update 2 --set plan=pro --dry-run');
  shows('shows the activity of a person', 'persons activity 2 --limit 3');
  shows(
    'shows all activity',
    'persons activity --limit 3 -o json --columns user.email,activity,item_id,detail',
  );
  shows('lists the cohorts of a person', 'persons cohorts 2');
  shows('splits a person', 'persons split --distinct-id shopper-0613 --main shopper-0613 --yes');
  shows('asks before deleting when there is a terminal', 'persons delete 3', { answers: ['n'] });
  shows('deletes after a yes', 'persons delete 3', { answers: ['y'] });
  shows('misses a person who is gone', 'persons delete 3 --yes');
  shows('takes a person who is gone for a success when told so', 'persons delete 3 --yes --ignore-missing');
  shows('refuses to delete without a terminal and without yes', 'persons delete 4');
  shows('queues the events of a deleted person', 'persons delete 4 --delete-events --yes');
  shows('prints a deletion in a dry run', 'persons delete 5 --delete-events --dry-run');
});
