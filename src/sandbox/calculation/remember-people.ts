import type { Actor } from '../analysis/actors.ts';

export type Group = Extract<Actor, { kind: 'group' }>;

/** Everybody behind a number, in order: persons by UUID, and groups. */
export type Everybody = readonly (string | Group)[];

/** The list under a key, found by `work` where it is not known. */
export type FindPeople = (key: string, work: () => Promise<Everybody>) => Promise<Everybody>;

/** Lists of people that were found last, so that the next page of one needs no calculation. */
export type PeopleMemory = {
  /** For a look at the data of this moment: what is found there is not kept once something has changed. */
  readonly now: () => FindPeople;
  /** Forgets all: persons, events or the clock have changed. */
  readonly forget: () => void;
};

const MOST_LISTS = 4;

/** Starts without any. */
export function rememberPeople(): PeopleMemory {
  let lists = new Map<string, Everybody>();
  return {
    now: () => {
      const own = lists;
      return async (key, work) => {
        const known = own.get(key);
        if (known !== undefined) return known;
        const found = await work();
        own.set(key, found);
        const [oldest] = own.keys();
        if (own.size > MOST_LISTS && oldest !== undefined) own.delete(oldest);
        return found;
      };
    },
    forget: () => {
      lists = new Map();
    },
  };
}
