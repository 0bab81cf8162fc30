// What reading whole lists is to reach, beside programs that do the same work.
export const OWN = "pages' own time";
export const PLAIN = 'plain script';
export const CSV = 'csv';
export const NDJSON = 'ndjson';
export const JSON_LIST = 'json';
export const SQL = 'sql csv';
export const TABLE = 'table';
export const CURL = 'curl + jq';

/** Milliseconds that a page takes at a service of the usual speed. */
export const DELAY = 50;
const EXPORTS = [CSV, NDJSON, JSON_LIST, SQL];
const PEAK = 150;
const [FEW, MANY] = [100_000, 1_000_000];

/** One line for each goal that these measurements tell of. */
export function exportGoals(measured) {
  const at = (name, { rows, delay = 0 }) =>
    measured.find(
      (one) => one.name === name && one.delay === delay && (rows === undefined || one.rows === rows),
    );
  const goal = (what, value, { most, least }) => {
    if (value === undefined) return [];
    const met = most === undefined ? value >= least : value <= most;
    return [{ what, goal: most === undefined ? `>= ${least}` : `<= ${most}`, value: value.toFixed(2), met }];
  };
  const slow = { delay: DELAY };
  return [
    ...EXPORTS.flatMap((name) =>
      goal(`${name}, ${DELAY} ms a page: x ${OWN}`, over(at(name, slow), at(OWN, slow)), { most: 1.1 }),
    ),
    ...[FEW, MANY].flatMap((rows) =>
      goal(
        `csv, ${rows.toLocaleString('en')} rows: x ${PLAIN}`,
        over(at(PLAIN, { rows }), at(CSV, { rows })),
        {
          least: 3,
        },
      ),
    ),
    ...goal(`csv, 100,000 rows: x ${CURL}`, over(at(CURL, { rows: FEW }), at(CSV, { rows: FEW })), {
      least: 9,
    }),
    ...goal(
      'csv: time from 100,000 to 1,000,000 rows',
      over(at(CSV, { rows: MANY }), at(CSV, { rows: FEW })),
      {
        most: 10.5,
      },
    ),
    ...EXPORTS.flatMap((name) => goal(`${name}: highest peak, MiB`, highest(measured, name), { most: PEAK })),
    ...goal('table, 10,000 rows: x csv', over(at(TABLE, { rows: 10_000 }), at(CSV, { rows: 10_000 })), {
      most: 3,
    }),
  ];
}

/** The median over rounds, each divided by what ran in the same round. */
function over(one, other) {
  return one && other && one.ratioTo(other);
}

function highest(measured, name) {
  const peaks = measured.filter((one) => one.name === name).map(({ peak }) => peak);
  return peaks.length === 0 ? undefined : Math.max(...peaks);
}
