import type { RunPlan } from '../../src/erasure/record/open.ts';
import type { JsonObject } from '../../src/json/kinds.ts';

type Holds = (value: unknown) => boolean;

const isCount: Holds = (value) => Number.isInteger(value) && Number(value) >= 0;
const isPace: Holds = (value) => typeof value === 'number' && value > 0;
const isFlag: Holds = (value) => typeof value === 'boolean';
const text =
  (form: RegExp): Holds =>
  (value) =>
    typeof value === 'string' && form.test(value);
const isTime = text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
const isDay = text(/^\d{4}-\d\d-\d\d$/);
const isDigest = text(/^[\da-f]{64}$/);
const isRunName = text(/^\d{8}T\d{6}Z-[\da-z]+$/);
const isNameOfSettings = text(/^[^@]+$/);
const all =
  (parts: Readonly<Record<string, Holds>>): Holds =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([key, part]) => parts[key]?.(part) === true);
const each =
  (holds: Holds): Holds =>
  (value) =>
    Array.isArray(value) && value.every(holds);
const isPlace = all({ id: isNameOfSettings, name: isNameOfSettings, host: isNameOfSettings });

/**
 * What each key of a plan may hold: counts, times, names of settings and files, and digests under the check key. A text
 * that came from a list or a condition names people, and stands in no plan.
 */
const planKeys: { readonly [Key in keyof Required<RunPlan>]: Holds } = {
  format: (value) => value === 1,
  run: isRunName,
  createdAt: isTime,
  project: isPlace,
  host: isNameOfSettings,
  flags: all({ deleteEvents: isFlag, deleteRecordings: isFlag, keepPerson: isFlag }),
  asked: isCount,
  unique: isCount,
  repeats: isCount,
  given: each(all({ kind: text(/^(?:ids|distinct-ids)$/), count: isCount })),
  resolved: all({ found: isCount, nobody: isCount, persons: isCount }),
  leftOut: isCount,
  batchSize: isCount,
  calls: isCount,
  rate: isPace,
  concurrency: isCount,
  lookUps: isCount,
  seconds: isCount,
  serviceTime: isTime,
  lookedUpAt: isTime,
  excepted: isCount,
  exceptions: isCount,
  exceptionsFrom: each(isNameOfSettings),
  cohorts: each((value) => /^cohort \d+(?:, calculated [\dT:.Z+-]+)?$/.test(String(value))),
  oddIds: isCount,
  byAddresses: (value) => value === true,
  lookUp: all({ isByMany: isFlag, list: isFlag, sql: (value) => value === null || isFlag(value) }),
  lines: all({ all: isCount, excepted: isCount, odd: isCount }),
  received: isDay,
  deadline: isDay,
  byLine: (value) => value === true,
  list: all({
    lines: isCount,
    found: isCount,
    nobody: isCount,
    doubtful: isCount,
    excepted: isCount,
    odd: isCount,
    repeats: isCount,
    areArguments: isFlag,
  }),
  request: text(/^[\w-]+$/),
  projects: each(isPlace),
  ignoreMissing: isFlag,
  keyFingerprint: text(/^[\da-f]+$/),
  members: all({ count: isCount, sha256: isDigest, mark: text(/^[\da-f]+$/) }),
};

/** The keys of a plan that hold what they may not, or that nothing is known of. */
export function faultsOfPlan(plan: JsonObject): readonly string[] {
  const known: Readonly<Record<string, Holds | undefined>> = planKeys;
  return Object.entries(plan).flatMap(([key, value]) => (known[key]?.(value) === true ? [] : [key]));
}
