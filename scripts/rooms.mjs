/** Beginnings of paths, as in `e2e/auth`. */
const e2e = (words) => words.split(' ').map((word) => `e2e/${word}`);

/**
 * Which tests show what each room of `src` does, by the beginnings of their paths: `npm run check` runs those of `unit`
 * and `e2e` if the room was changed, and says what else to run, since that needs a build or some minutes.
 */
export const rooms = {
  json: { tests: ['unit/json/', ...e2e('damaged-text deep-answers')] },
  system: {
    tests: ['unit/system/', ...e2e('endless- file-in-place')],
    also: 'npx vitest run test/smoke/pipes test/smoke/pager test/smoke/saving',
  },
  service: { tests: ['unit/http/wire', ...e2e('api endpoints persons.test insights.test')] },
  semantics: { tests: ['unit/semantics/', ...e2e('property-conditions times insights-figure')] },
  http: {
    tests: ['unit/http/', ...e2e('cases-network cases-answers trust long-')],
    also: 'npx vitest run test/smoke/network',
  },
  settings: {
    tests: ['unit/settings/', ...e2e('auth key-command projects cases-keys cases-stored-keys cases-hosts')],
  },
  print: {
    tests: [
      'unit/print/',
      ...e2e(
        'any-rows cases-keys cases-output deep-answers parquet projects saved-tables server-format tables-on-terminals whole-files',
      ),
    ],
    also: 'npx vitest run test/smoke/pipes test/smoke/terminals',
  },
  charts: {
    tests: [
      'unit/charts/',
      ...e2e('insights-charts insights-picture insights-lifecycle-drawing insights-sql-figures'),
    ],
  },
  erasure: {
    tests: [
      'unit/erasure/',
      ...e2e('erasure addresses bulk-delete runs several-projects selection legal-hold workbook exception'),
      ...e2e('suspicious lists-as report- export-conditions deadlines-by-line deletion-answers'),
      ...e2e('cases-deleting other-people'),
    ],
    also: 'npm run test:core, and npx vitest run test/smoke/erasure',
  },
  persons: {
    tests: [
      'unit/persons/',
      ...e2e('persons cohorts duplicates export cases-identifiers cases-lists cases-split selections many-'),
      ...e2e('access-request changes-that-show'),
    ],
  },
  insights: { tests: ['unit/insights/', ...e2e('insights query funnel counted waiting-progress')] },
  completion: {
    tests: ['unit/completion/', ...e2e('completion')],
    also: 'npx vitest run test/smoke/completion',
  },
  cli: {
    tests: [
      'unit/cli/',
      ...e2e(
        'api cases-controls ci-logs in-app long-reasons saved-tables server-format unused-options examples',
      ),
    ],
    also: 'npx vitest run test/smoke/exit-codes test/smoke/terminals test/matrix/input',
  },
  commands: {
    tests: ['unit/cli/command/topics', ...e2e('examples unused-options')],
    also: 'npx vitest run --project matrix',
  },
  sandbox: { tests: ['unit/sandbox/', ...e2e('sandbox')], also: 'npx vitest run test/smoke/sandbox' },
};
