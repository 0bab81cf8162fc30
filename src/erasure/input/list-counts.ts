import { counted } from '../../errors.ts';
import type { Listed } from './given.ts';

/** What became of each line of a list when it was planned; a line that repeats another one is counted as that only. */
export type ListCounts = {
  readonly lines: number;
  readonly found: number;
  readonly nobody: number;
  /** Only SQL shows somebody behind them. */
  readonly doubtful: number;
  readonly excepted: number;
  readonly odd: number;
  readonly repeats: number;
  /** They stood on the command line. */
  readonly areArguments?: true;
};

/** Counts the lines as they were read, by what was found since for each different id or address. */
export function countLines(read: readonly Listed[], planned: readonly Listed[]): ListCounts {
  const sum = (count: (one: Listed) => number, lists: readonly Listed[]) =>
    lists.reduce((total, one) => total + count(one), 0);
  const odd = sum(({ list }) => (list.lines ?? []).filter(({ reason }) => reason !== undefined).length, read);
  const good = sum(({ list }) => list.asked, read);
  const different = sum(({ list }) => list.ids.length, read);
  const counts = planned.map(({ list, resolution }) =>
    list.areAddresses ? countAddresses(list) : countIds(list, resolution),
  );
  const all = (key: 'found' | 'nobody' | 'doubtful' | 'excepted') =>
    counts.reduce((total, one) => total + one[key], 0);
  return {
    lines: good + odd,
    found: all('found'),
    nobody: all('nobody'),
    doubtful: all('doubtful'),
    excepted: all('excepted'),
    odd,
    repeats: good - different,
    ...(areArguments(read) && { areArguments: true }),
  };
}

function countIds(list: Listed['list'], resolution: Listed['resolution']) {
  const { found = 0, nobody = 0, inDoubt: doubtful = 0 } = resolution ?? {};
  return { found, nobody: nobody - doubtful, doubtful, excepted: list.excepted ?? 0 };
}

/** An address with several persons is excepted only if each of them is. */
function countAddresses({ lines = [] }: Listed['list']) {
  const states = new Map<string, 'found' | 'nobody' | 'in doubt' | 'excepted'>();
  for (const { address, excepted } of lines) {
    if (address === undefined || states.get(address.given) === 'found') continue;
    const state = address.outcome === 'several' ? 'found' : address.outcome;
    states.set(address.given, excepted === undefined ? state : 'excepted');
  }
  const count = (state: string) => [...states.values()].filter((one) => one === state).length;
  return {
    found: count('found'),
    nobody: count('nobody'),
    doubtful: count('in doubt'),
    excepted: count('excepted'),
  };
}

function areArguments(read: readonly Listed[]): boolean {
  return read.every(
    ({ list: { lines = [] } }) => lines.length > 0 && lines.every(({ line }) => line === null),
  );
}

/** "1040 lines: 612 with a person, 28 excepted, 365 nobody, 35 odd"; with `persons` how many they are. */
export function listText(counts: ListCounts, persons?: number): string {
  const { lines, found, excepted, nobody, doubtful, odd, repeats } = counts;
  const parts = [
    [found, persons === undefined ? `${found} with a person` : counted(persons, 'person', 'persons')],
    [excepted, `${excepted} excepted`],
    [nobody, `${nobody} nobody`],
    [doubtful, `${doubtful} in doubt`],
    [odd, `${odd} odd`],
    [repeats, counted(repeats, 'repeat')],
  ] as const;
  const told = parts.flatMap(([count, text]) => (count === 0 ? [] : text));
  return `${counted(lines, counts.areArguments ? 'argument' : 'line')}: ${told.join(', ')}`;
}
