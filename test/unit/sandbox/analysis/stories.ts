import type { Json, JsonObject } from '../../../../src/json/kinds.ts';
import {
  type AnalysisEvent,
  type AnalysisPerson,
  compareEvents,
  type Dataset,
  noNeeds,
  type ProjectSettings,
  type Surroundings,
} from '../../../../src/sandbox/analysis/dataset.ts';
import { compileFilters, eventOf } from '../../../../src/sandbox/analysis/filters/property-filter.ts';
import type { Actor } from '../../../../src/sandbox/analysis/selection.ts';

/** What one person did: `['signup', '10:00']`, or with properties `['signup', '10:00', { plan: 'pro' }]`. */
export type Deed = readonly [event: string, time: string, properties?: JsonObject];

/** What several persons did, each by name. Deeds without properties may be one text: `signup 10:00, pay 3 11:00`. */
export type Story = Readonly<Record<string, string | readonly Deed[]>>;

function deedsOf(told: string | readonly Deed[]): readonly Deed[] {
  if (typeof told !== 'string') return told;
  return told.split(', ').map((deed) => {
    const [event = '', ...time] = deed.split(' ');
    return [event, time.join(' ')];
  });
}

/** The first day of every story, a Thursday. */
const FIRST_DAY = '2024-02-01';

/** `10:00` is on the first day, `3 10:00` on the third, `3` the third at 00:00. All in UTC. */
function at(time: string): number {
  const [, day = '1', hour = '00', minute = '00', second = '00'] =
    /^(?:(\d+) ?)?(?:(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(time) ?? [];
  return Date.parse(`${FIRST_DAY}T${hour}:${minute}:${second}Z`) + (Number(day) - 1) * 86_400_000;
}

/** A dataset in which each name is a person with that distinct id, created with the first deed. */
export function tell(story: Story, properties: Readonly<Record<string, JsonObject>> = {}): Dataset {
  const told = Object.fromEntries(Object.entries(story).map(([name, deeds]) => [name, deedsOf(deeds)]));
  const persons: readonly ToldPerson[] = Object.entries(told).map(([name, deeds], index) => ({
    uuid: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
    distinct_ids: [name],
    properties: properties[name] ?? {},
    created_at: deeds[0] === undefined ? null : at(deeds[0][1]),
  }));
  const rows = Object.values(told).flatMap((deeds, person) =>
    deeds.map(([event, time, own = {}]) => ({ person, event, timestamp: at(time), properties: own })),
  );
  return datasetOfRows(persons, rows);
}

/** Noon of the tenth day, in UTC unless the project says otherwise. */
export function during(project: Partial<ToldProject> = {}): Surroundings {
  const whole = { timezone: 'UTC', ...project };
  return { project: whole, now: at('10 12:00'), needs: noNeeds(), isMember: membersIn(whole) };
}

/** A project with cohorts as content has them. */
export type ToldProject = Omit<ProjectSettings, 'cohorts'> & {
  readonly cohorts?: readonly {
    readonly id: number;
    readonly name: string;
    readonly distinct_ids?: readonly string[];
    readonly groups?: readonly { readonly properties: Json }[];
  }[];
};

/** Who is in the cohorts of a project; the sandbox asks its database. */
export function membersIn(project: ToldProject): Surroundings['isMember'] {
  return (person, id) => {
    const { distinct_ids: listed, groups = [] } = project.cohorts?.find((cohort) => cohort.id === id) ?? {};
    if (listed !== undefined) return idsOf(person).some((own) => listed.includes(own));
    const surroundings = { project, now: 0, needs: noNeeds(), isMember: () => false };
    return groups.some(
      ({ properties }) => compileFilters(properties, surroundings)?.(eventOf(person)) === true,
    );
  };
}

/** A person of a test has distinct ids, by which the test knows it. */
export type ToldPerson = AnalysisPerson & { readonly distinct_ids: readonly string[] };

export function idsOf(person: AnalysisPerson): readonly string[] {
  // Only persons that tests made are asked for their ids.
  return (person as ToldPerson).distinct_ids;
}

export const RANGE = { date_from: '2024-02-01', date_to: '2024-02-10' } as const;

/** The names behind a list of actors. */
export function namesOf(actors: readonly Actor[]): readonly string[] {
  return actors.map((actor) => (actor.kind === 'person' ? (idsOf(actor.person)[0] ?? '') : actor.key));
}

/** An event before it is tied to its person: `person` counts within the list of persons. */
type EventRow = Omit<AnalysisEvent, 'person' | 'order'> & { readonly person: number };

/** Makes a dataset of rows in any order; rows of one instant keep the order of the list. */
export function datasetOfRows(persons: readonly AnalysisPerson[], rows: readonly EventRow[]): Dataset {
  const groups: AnalysisEvent[][] = persons.map(() => []);
  rows.forEach((row, order) => {
    const person = persons[row.person];
    if (person !== undefined) groups[row.person]?.push({ ...row, person, order });
  });
  for (const group of groups) group.sort(compareEvents);
  return {
    *people() {
      for (const [index, person] of persons.entries()) {
        const events = groups[index] ?? [];
        if (events.length > 0) yield { person, events };
      }
    },
  };
}
