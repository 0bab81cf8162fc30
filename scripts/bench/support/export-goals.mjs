// What reading whole lists is to reach, beside programs that do the same work.
import { atLeast, atMost } from './goals.mjs';

export const OWN = "pages' own time";
export const PLAIN = 'plain script';
export const STREAM = 'plain script, csv-stringify as a stream';
export const CSV = 'csv';
export const EIGHT = 'csv, 8 columns';
export const NDJSON = 'ndjson';
export const JSON_LIST = 'json';
export const SQL = 'sql csv';
export const TABLE = 'table';
export const CURL = 'curl + jq';

/** Milliseconds that a page takes at a service of the usual speed. */
export const DELAY = 50;
const EXPORTS = [CSV, NDJSON, JSON_LIST, SQL];
/** The aim of 3 was set for eight columns of the rows, all of which the plain script writes. */
const PARSED = [
  [EIGHT, 3],
  [CSV, 1.8],
];
const PEAK = 150;
const [FEW, MANY] = [100_000, 1_000_000];

/** One line for each goal. */
export function exportGoals(measured) {
  const at = (name, { rows, delay = 0 }) =>
    measured.find(
      (one) => one.name === name && one.delay === delay && (rows === undefined || one.rows === rows),
    );
  const slow = { delay: DELAY };
  const few = { rows: FEW };
  return [
    ...EXPORTS.map((name) =>
      atMost(
        `export, ${name}, 1,000,000 rows, ${DELAY} ms a page: x ${OWN}`,
        over(at(name, slow), at(OWN, slow)),
        1.1,
      ),
    ),
    ...[FEW, MANY].flatMap((rows) =>
      PARSED.map(([name, goal]) =>
        atLeast(
          `export, ${name}, ${rows.toLocaleString('en')} rows: x ${PLAIN}`,
          over(at(PLAIN, { rows }), at(name, { rows })),
          goal,
        ),
      ),
    ),
    atLeast(`export, ${EIGHT}, 100,000 rows: x ${CURL}`, over(at(CURL, few), at(EIGHT, few)), 9),
    atMost(
      'export, csv: time from 100,000 to 1,000,000 rows',
      over(at(CSV, { rows: MANY }), at(CSV, few)),
      10.5,
    ),
    ...EXPORTS.map((name) => atMost(`export, ${name}: highest peak, MiB`, highest(measured, name), PEAK)),
    atMost('table, 10,000 rows: x csv', over(at(TABLE, { rows: 10_000 }), at(CSV, { rows: 10_000 })), 3),
  ];
}

/** The median over rounds, each divided by what ran in the same round. */
function over(one, other) {
  return one && other && one.ratioTo(other);
}

function highest(measured, name) {
  return Math.max(...measured.filter((one) => one.name === name).map(({ peak }) => peak));
}
