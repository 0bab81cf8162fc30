/** Single facts about the core that are no matter of worlds: each throws if the core answers otherwise. */
import type * as Core from '../../../../src/erasure/core.ts';
import type { Batch, Fact, Person, Run, Sighting, Tally } from '../../../../src/erasure/facts.ts';

type Probe = { readonly name: string; readonly isSo: (core: typeof Core) => boolean };

const born = { at: 1_250, unit: 1 };
export const ann: Person = { uuid: 'U:ann', born, ids: ['ann'] };
export const bea: Person = { uuid: 'U:bea', born, ids: ['bea'] };

export function list(...persons: readonly Person[]): Sighting {
  const found = persons.flatMap((person) => person.ids.map((id) => ({ id, person })));
  return { store: 'list', asked: found.map(({ id }) => id), controls: [true], found, time: 2_000 };
}

export function begun(core: typeof Core, options: Run['options'] = {}, lines = 2): Run {
  return { options, lines, stores: ['list'], ...core.exceptionsOf({ ids: [], sightings: [] }) };
}

export function planned(core: typeof Core, run: Run, ...persons: readonly Person[]): Batch {
  const sighting = list(...persons);
  return core.apply(run, undefined, { type: 'planned', ids: sighting.asked, sightings: [sighting] });
}

function isRefused(core: typeof Core, act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch (error) {
    return error instanceof core.Contradiction;
  }
}

/** Whether somebody may be sent whom a later look shows with this date. */
function isSendable(core: typeof Core, date: Person['born'], before: Person = ann): boolean {
  const batch = planned(core, begun(core), before);
  const run = core.agree(begun(core), 1, [batch]);
  const facts: readonly Fact[] = [
    { type: 'aged', by: 'session' },
    { type: 'saw', sighting: list({ ...before, born: date }) },
  ];
  const after = facts.reduce<Batch>((state, fact) => core.apply(run, state, fact), batch);
  return core.toSend(run, after).length === 1;
}

const exit = (core: typeof Core, tally: Tally, options: Run['options'] = {}) =>
  core.exitOf(begun(core, options), tally);

const many = Array.from({ length: 201 }, (_, at) => ({ ...ann, uuid: `U:${at}`, ids: [`id-${at}`] }));

export const probes: readonly Probe[] = [
  {
    name: 'dates are compared to the coarser of two precisions',
    isSo: (core) =>
      isSendable(core, { at: 1_000, unit: 1_000 }) && !isSendable(core, { at: 2_000, unit: 1_000 }),
  },
  { name: 'and no coarser', isSo: (core) => !isSendable(core, { at: 1_251, unit: 1 }) },
  {
    name: 'a person without a date in a later answer is not sent',
    isSo: (core) => !isSendable(core, undefined),
  },
  {
    name: 'a person is in one batch, and in the number that somebody agreed to',
    isSo: (core) => {
      const run = begun(core);
      const twice = [planned(core, run, ann), planned(core, run, ann)];
      const both = [planned(core, run, ann), planned(core, run, bea)];
      const isOther = isRefused(core, () => core.agree(run, 1, both));
      return (
        isRefused(core, () => core.agree(run, 1, twice)) && isOther && core.agree(run, 2, both).agreed === 2
      );
    },
  },
  {
    name: 'at most 200 requests lie between two controls',
    isSo: (core) => {
      const sightings = [{ ...list(...many), controls: [true, true] }];
      const plan = { type: 'planned', ids: ['id-0'], sightings } as const;
      return isRefused(core, () => core.apply(begun(core), undefined, plan));
    },
  },
  {
    name: 'an answer is about the ids that were asked about, and shows one person who has each',
    isSo: (core) => {
      const both = { ...bea, ids: ['ann', 'bea'] };
      const isTaken = (...found: Sighting['found']) => {
        const sightings = [{ ...list(ann), found }];
        const plan = { type: 'planned', ids: ['ann'], sightings } as const;
        return !isRefused(core, () => core.apply(begun(core), undefined, plan));
      };
      return (
        isTaken({ id: 'ann', person: both }) &&
        !isTaken({ id: 'ann', person: bea }) &&
        !isTaken({ id: 'bea', person: both }) &&
        !isTaken({ id: 'ann', person: ann }, { id: 'ann', person: both })
      );
    },
  },
  {
    name: 'a plan is made of answers that count',
    isSo: (core) => {
      const nobody = { ...list(ann), found: [], controls: [false] };
      const plan = { type: 'planned', ids: ['ann'], sightings: [nobody] } as const;
      return isRefused(core, () => core.apply(begun(core), undefined, plan));
    },
  },
  {
    name: 'a store that joins is one of the run',
    isSo: (core) => core.withStore(begun(core), 'sql').stores.join() === 'list,sql',
  },
  {
    name: 'each line needs a verdict',
    isSo: (core) =>
      isRefused(core, () => core.exitOf(begun(core), { told: 1 })) &&
      isRefused(core, () => core.prove(begun(core), { gone: 1 })),
  },
  {
    name: 'what is owed is not proven, odd lines are not owed',
    isSo: (core) =>
      isRefused(core, () => core.prove(begun(core), { gone: 1, told: 1 })) &&
      core.prove(begun(core), { gone: 1, odd: 1 }).stores.length === 1,
  },
  {
    name: 'a deletion ends with 0 if each line is told, accepted or settled',
    isSo: (core) =>
      exit(core, { told: 1, accepted: 1 }) === 0 &&
      exit(core, { told: 1, nobody: 1 }) === 0 &&
      exit(core, { 'rest waiting': 2 }, { events: true }) === 0 &&
      exit(core, { told: 1, unknown: 1 }) === 8 &&
      exit(core, { told: 1, odd: 1 }) === 8 &&
      exit(core, { 'not agreed': 2 }) === 8,
  },
  {
    name: 'with 3 if nobody was found at all, and with 8 if the events of nobody stay',
    isSo: (core) =>
      exit(core, { nobody: 2 }) === 3 &&
      core.exitOf({ ...begun(core), lines: 0 }, {}) === 3 &&
      exit(core, { nobody: 2 }, { events: true }) === 3 &&
      exit(core, { told: 1, nobody: 1 }, { events: true }) === 8,
  },
  {
    name: 'with 0 in place of both if missing ids are ignored, and of nothing else',
    isSo: (core) =>
      exit(core, { nobody: 2 }, { ignoreMissing: true }) === 0 &&
      exit(core, { told: 1, nobody: 1 }, { events: true, ignoreMissing: true }) === 0 &&
      exit(core, { nobody: 1, odd: 1 }, { ignoreMissing: true }) === 8 &&
      exit(core, { told: 1, doubtful: 1 }, { ignoreMissing: true }) === 8,
  },
  {
    name: 'a request over several projects finds nobody only if none of them does',
    isSo: (core) =>
      core.exitOfRequest([3, 3]) === 3 &&
      core.exitOfRequest([3, 0]) === 0 &&
      core.exitOfRequest([3, 0, 8]) === 8,
  },
  {
    name: 'a line over several projects has the verdict of least knowledge',
    isSo: (core) => core.verdictOfLine(['nobody', 'told', 'gone']) === 'told',
  },
];
