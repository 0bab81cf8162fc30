import type { Floors } from './floors.ts';

/** Who may import whom, as a picture that GitHub draws, with the arrows that no other way implies. */
export function floorsPicture({ folders, types = {}, late = {} }: Floors): string {
  const rooms = Object.keys(folders).filter(
    (room) => !room.includes('/') && !['main', 'program'].includes(room),
  );
  const below = (room: string) =>
    (folders[room] ?? []).filter((other) => other !== room && rooms.includes(other));
  const reach = (room: string, found = new Set<string>()): ReadonlySet<string> => {
    for (const other of below(room)) {
      if (found.has(other)) continue;
      found.add(other);
      reach(other, found);
    }
    return found;
  };
  const isBetween = (between: string, room: string, other: string) =>
    between !== other &&
    ![room, other].some((end) => below(end).includes(between) && below(between).includes(end)) &&
    reach(between).has(other);
  const direct = (room: string) =>
    below(room).filter((other) => !below(room).some((between) => isBetween(between, room, other)));
  const arrows = rooms.flatMap((room) => direct(room).map((other) => `  ${room} --> ${other}`));
  const dotted = [
    ...Object.entries(types).flatMap(([room, others]) =>
      others.map((other) => `  ${room} -. types .-> ${other}`),
    ),
    ...Object.entries(late).flatMap(([path, others]) =>
      others.map((other) => `  ${path.split('/')[1]} -. when needed .-> ${other}`),
    ),
  ];
  return [
    '# Who may import whom',
    '',
    'An arrow goes down to what a room of `src` may import. A room that two arrows reach has no arrow of its own. `main` may import everything, and all may import `errors`. `npm run generate` makes it from the table in `test/contract/floors.test.ts`.',
    '',
    '```mermaid',
    'graph TD',
    ...arrows,
    ...dotted,
    '```',
    '',
  ].join('\n');
}
