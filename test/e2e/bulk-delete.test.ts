import { describe } from 'vitest';
import { golden } from '../support/golden.ts';
import { inlineRows, makeWorkbook } from '../support/workbook.ts';

const RUN = '20260302T120000Z';
let second = 0;
/** Each run begins in a second of its own, so that its id is known. */
const at = () => {
  const time = Date.parse('2026-03-02T12:00:00Z') + second * 1000;
  return () => time;
};
const next = () => {
  second += 1;
  return { now: at() };
};

describe('bulk deletion on the sandbox', () => {
  const { shows } = golden('bulk-delete');
  const ids = '--distinct-ids shopper-0001,shopper-0002,nobody';
  shows('plans in a dry run', `persons bulk-delete ${ids} --dry-run`, next());
  shows('plans in a dry run as json', `persons bulk-delete ${ids} --dry-run -o json`, next());
  shows('refuses without a terminal and without yes', `persons bulk-delete ${ids}`, next());
  shows('is cancelled by another number', `persons bulk-delete ${ids}`, { answers: ['3'], ...next() });
  shows('deletes when the number is typed', `persons bulk-delete ${ids} --delete-events`, {
    answers: ['2'],
    ...next(),
  });
  shows('lists the run', 'runs list', next());
  shows('shows the run', `runs show ${RUN.slice(0, 10)}`, next());
  shows('verifies that nobody is left', `runs verify ${RUN.slice(0, 10)}`, next());
  shows('tells what prune would do', 'runs prune --older-than 0d --dry-run', next());
  shows('asks about every run that owes', 'runs verify --due', next());
  shows('reports the evidence', `runs report ${RUN.slice(0, 10)}`, next());
  shows('reports the evidence as csv', `runs report ${RUN.slice(0, 10)} -o csv`, next());
  shows('checks the record', `runs check ${RUN.slice(0, 10)}`, next());
  shows('finds nobody', 'persons bulk-delete 999999 --yes --quiet', next());
  shows(
    'takes nobody for a success when told so',
    'persons bulk-delete 999999 --yes --ignore-missing -o json --quiet',
    next(),
  );
  shows('refuses what is no person id', 'persons bulk-delete 17 shopper-0003 --yes', next());
  shows('reads ids from standard input', 'persons bulk-delete --from - --as distinct-ids --yes', {
    stdin: '\ufeffdistinct_id\r\nshopper-0010\r\nshopper-0011\r\n\r\nshopper-0010\r\n',
    ...next(),
  });
  shows('wants to know what a file holds', 'persons bulk-delete --from - --yes', { stdin: 'a\n', ...next() });
  shows(
    'selects by property',
    'persons bulk-delete --property plan:exact=enterprise --property country:exact=NO --yes --max 20 -o json',
    next(),
  );
  shows(
    'selects nobody',
    'persons bulk-delete --property email:exact=nobody@example.org --yes --max 1',
    next(),
  );
  shows(
    'takes a selection of nobody for a success when told so',
    'persons bulk-delete --property email:exact=nobody@example.org --yes --max 1 --ignore-missing',
    next(),
  );
  shows('wants a bound for conditions', 'persons bulk-delete --property country:exact=DE --yes', next());
  shows('refuses a plan over the bound', 'persons bulk-delete --search wagner --yes --max 3', next());
  shows(
    'wants the project named for everybody',
    'persons bulk-delete --property email:is_set --yes --max 2000',
    next(),
  );
  shows(
    'refuses to keep persons where that is not known',
    'persons bulk-delete 20 --keep-person --delete-events --yes',
    next(),
  );
  shows('plans only', 'persons bulk-delete 21 22 --plan-only', next());
  const workbook = makeWorkbook({
    rows: inlineRows([
      ['Ticket', 'Customer ID'],
      ['R-1', 'shopper-0012'],
      ['R-2', 'Shopper-0013'],
    ]),
    sheets:
      '<sheets><sheet name="Requests" sheetId="1" r:id="rId1"/><sheet name="Done" sheetId="2" r:id="rId2"/></sheets>',
  });
  shows(
    'reads ids from a workbook',
    'persons bulk-delete --from - --as distinct-ids --column "Customer ID" --dry-run -o csv',
    { stdin: workbook, ...next() },
  );
  shows('shows whose addresses a file holds', 'persons bulk-delete --from - --as emails --dry-run -o csv', {
    stdin: 'email\nLUIS.Cohen@example.org\nnobody@example.org\ngreta.santos@example.org\n',
    ...next(),
  });
  shows(
    'deletes by address when the number of persons is typed',
    'persons bulk-delete --emails LUIS.Cohen@example.org,nobody@example.org',
    { answers: ['1'], ...next() },
  );
});
