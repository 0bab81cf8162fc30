import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanEnvironment, start, temporaryDirectory } from './built-program.ts';

/** What a job of a CI service runs: no terminal, every step must succeed, the first that does not ends it. */
const SCRIPT = `
set -euo pipefail

step() { echo "== $*" >&2; }

step rehearse an erasure
printf 'distinct_id\\nshopper-0001\\nshopper-0002\\n' > people.csv
erase=(persons bulk-delete --from people.csv --as distinct-ids --column distinct_id --delete-events)
hogctl "\${erase[@]}" --dry-run > plan.txt
hogctl "\${erase[@]}" --yes -o json > erased.json
if hogctl persons get --distinct-id shopper-0001 > gone.txt; then exit 1; else [ $? -eq 3 ]; fi
hogctl runs report last --save report.md

step count who is left
left=$(hogctl query 'select count() as n from persons' -o csv --no-headers)
[ "$left" -eq 998 ]
hogctl api GET insights/ -f limit=1 -o json --columns count > count.json

step keep the definitions of insights
hogctl insights pull insights > pulled.txt
hogctl insights push insights --yes > pushed.txt

step check an insight
hogctl insights check 1 --refresh --expect 'count >= 7' --expect 'min >= 0' --expect 'sum > mean' > held.txt
if hogctl query 'select event, n from events' > wrong.txt; then exit 1; else [ $? -eq 5 ]; fi

step check an insight that does not hold
hogctl insights check 1 --expect 'last >= 1000000' -o json > failed.json

step never reached
touch reached
`;

describe('a script of a CI job', { timeout: 120_000 }, () => {
  it.each(['specification', 'live'])(
    'rehearses an erasure and fails with 9 on a figure, against the %s dialect',
    async (dialect) => {
      const folder = temporaryDirectory();
      writeFileSync(join(folder, 'job.sh'), SCRIPT);
      const read = (name: string) => readFileSync(join(folder, name), 'utf8');
      const job = ['hogctl', 'sandbox', 'exec', '--dialect', dialect, '--', 'bash', 'job.sh'];
      const line = `cd ${JSON.stringify(folder)} && exec ${job.join(' ')}`;
      const { code, stdout, stderr } = await start(['bash', '-c', line], cleanEnvironment()).ended;

      expect(stderr).toContain('error: no person has the distinct id "shopper-0001"');
      expect(stderr).toContain('"message":"insight 1 (M49megqP): expected last >= 1000000 for');
      expect(stderr).toMatch(
        /== check an insight that does not hold\nNot counted, [^\n]*\n\{"error":.*"exit_code":9\}\}\nRuns on this sandbox are kept in [^\n]*\n$/,
      );
      expect([code, String(stdout)]).toEqual([9, '']);

      expect(readdirSync(folder)).not.toContain('reached');
      expect(JSON.parse(read('failed.json'))).toMatchObject([{ expected: 'last >= 1000000', holds: false }]);
      expect(read('held.txt').match(/true$/gm)).toHaveLength(3);
      expect(read('report.md')).not.toContain('shopper-0001');
      expect(readdirSync(join(folder, 'insights'))).toHaveLength(12);
      expect([read('pushed.txt'), read('gone.txt'), read('wrong.txt')]).toEqual(['', '', '']);
    },
  );
});
