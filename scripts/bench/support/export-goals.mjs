// What reading whole lists is to reach. Speed counts where start-up no longer does, memory everywhere.
export const LIMIT = 'undici, thrown away';
export const NAIVE = 'page parse + csv-stringify';
export const CSV = 'csv';
export const TABLE = 'table';
export const SQL_CSV = 'sql csv';
export const SQL_NDJSON = 'sql ndjson';
export const CURL = 'curl + jq';

const SHARES = { csv: 0.12, ndjson: 0.28, json: 0.28 };
const OUTPUTS = Object.keys(SHARES);
const EXPORTS = [...OUTPUTS, SQL_CSV, SQL_NDJSON];
const PEAK = 110;

/** One line for each goal that these measurements tell of. */
export function exportGoals(measured) {
  const at = (name, rows) => measured.find((one) => one.name === name && one.rows === rows);
  const least = (what, value, bound) =>
    value === undefined ? [] : [{ what, goal: `>= ${bound}`, value: value.toFixed(3), met: value >= bound }];
  const most = (what, value, bound) =>
    value === undefined ? [] : [{ what, goal: `<= ${bound}`, value: value.toFixed(2), met: value <= bound }];
  const ratio = (name, field, [larger, smaller]) => {
    const [above, below] = [at(name, larger), at(name, smaller)];
    return above && below && above[field] / below[field];
  };
  return [
    ...OUTPUTS.flatMap((name) =>
      least(`${name}, 1,000,000 rows: share of the limit`, at(name, 1_000_000)?.share, SHARES[name]),
    ),
    ...[100_000, 1_000_000].flatMap((rows) =>
      least(`csv, ${rows.toLocaleString('en')} rows: x naive`, at(CSV, rows)?.overNaive, 1.5),
    ),
    ...least('csv, 100,000 rows: x curl + jq', at(CSV, 100_000)?.overCurl, 12),
    ...OUTPUTS.flatMap((name) =>
      most(
        `${name}: time from 100,000 to 1,000,000 rows`,
        ratio(name, 'seconds', [1_000_000, 100_000]),
        10.5,
      ),
    ),
    ...EXPORTS.flatMap((name) => most(`${name}: highest peak, MiB`, highest(measured, name), PEAK)),
    ...EXPORTS.flatMap((name) =>
      most(
        `${name}: peak from 1,000,000 to 3,000,000 rows`,
        ratio(name, 'peak', [3_000_000, 1_000_000]),
        1.1,
      ),
    ),
    ...most('table: time from 1,000 to 10,000 rows', ratio(TABLE, 'seconds', [10_000, 1000]), 10.5),
    ...most('table, 10,000 rows: time as that of csv', inTurn(at(TABLE, 10_000), at(CSV, 10_000)), 3),
  ];
}

function highest(measured, name) {
  const peaks = measured.filter((one) => one.name === name).map(({ peak }) => peak);
  return peaks.length === 0 ? undefined : Math.max(...peaks);
}

function inTurn(one, other) {
  return one && other && other.share / one.share;
}
