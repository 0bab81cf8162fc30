import { isList } from '../../json/kinds.ts';
import type { CohortSettings, ProjectSettings, Surroundings } from '../analysis/project-settings.ts';
import { selectCohorts } from '../store/cohorts.ts';
import { integerOf, type Readable, textOf } from '../store/open-store.ts';
import { readState } from '../store/state.ts';

/** The project and the clock as analyses take them. */
export async function readSurroundings(readable: Readable): Promise<Surroundings> {
  const { project, now } = await readState(readable);
  // What a project says beyond name and cohorts is the analyses' own form, checked where it is used.
  const settings = project as Partial<ProjectSettings>;
  const timezone = typeof project.timezone === 'string' ? project.timezone : 'UTC';
  return {
    project: { ...settings, timezone, cohorts: await readCohorts(readable) },
    now: Number(now / 1000n),
  };
}

async function readCohorts(readable: Readable): Promise<readonly CohortSettings[]> {
  const cohorts = await selectCohorts(readable);
  const listed = cohorts.some(({ definition }) => !isList(definition))
    ? await readMembers(readable)
    : new Map();
  return cohorts.map(({ id, name, definition }) => {
    const settings = { id: Number(id), name };
    if (isList(definition)) return { ...settings, groups: [{ properties: definition }] };
    return { ...settings, is_static: true, person_uuids: listed.get(id) ?? [] };
  });
}

async function readMembers(readable: Readable): Promise<ReadonlyMap<bigint, readonly string[]>> {
  const rows = await readable.rows(
    `select c.cohort_id, p.uuid from store.cohort_persons c join store.persons p on p.id = c.person_id`,
  );
  const members = new Map<bigint, string[]>();
  for (const row of rows) {
    const id = integerOf(row, 'cohort_id');
    const others = members.get(id);
    if (others === undefined) members.set(id, [textOf(row, 'uuid')]);
    else others.push(textOf(row, 'uuid'));
  }
  return members;
}
