import type { RunRecord } from '../record/open.ts';
import type { Call } from '../record/state.ts';
import { describeCall } from './json.ts';

export const callHead = [
  'Batch',
  'Call',
  'Persons',
  'State',
  'Found',
  'Deleted',
  'Queued',
  'Errors',
  'Ended at',
];

/** A page shows up to so many calls one by one. */
const MOST_CALLS = 50;

/** Calls in a row that ended alike without an error are one row if there are many; JSON has each of them. */
export function callRows({ state }: RunRecord): readonly (readonly string[])[] {
  const { calls } = state();
  if (calls.length <= MOST_CALLS) return calls.map((call) => toRow([call]));
  const groups: Call[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    const isAlike =
      first !== undefined && isPlain(first) && isPlain(call) && describeCall(first) === describeCall(call);
    if (last !== undefined && isAlike) last.push(call);
    else groups.push([call]);
  }
  return groups.map(toRow);
}

function isPlain({ answer }: Call): boolean {
  return answer !== undefined && answer.errors.length === 0;
}

function toRow(calls: readonly Call[]): readonly string[] {
  const [first] = calls;
  const last = calls.at(-1);
  if (first === undefined || last === undefined) return [];
  const total = (count: (call: Call) => number | undefined) => {
    const counts = calls.map(count);
    return counts.every((one) => one === undefined)
      ? ''
      : String(counts.reduce<number>((sum, one = 0) => sum + one, 0));
  };
  const isOne = calls.length === 1;
  return [
    isOne ? String(first.batch) : `${first.batch} to ${last.batch}`,
    isOne ? String(first.call + 1) : `${calls.length} calls`,
    total(({ count }) => count),
    describeCall(first),
    total(({ answer }) => answer?.found),
    total(({ answer }) => answer?.deleted),
    total(({ answer }) => answer?.queued),
    total(({ answer }) => answer?.errors.length),
    last.endedAt ?? '',
  ];
}
