import { posix } from 'node:path';
import { type SourceImport, scanSource } from './source-scan.ts';

export type Floors = {
  /**
   * Which folders a folder may import; `*` stands for all. Its own files and `errors.ts` are always open. A folder whose
   * rooms are listed, as `insights/checks`, may import those that it names, and each room what it names.
   */
  readonly folders: { readonly [folder: string]: readonly string[] };
  /** Of which folders a folder may import only types, beyond that. */
  readonly types: { readonly [folder: string]: readonly string[] };
  /** Rooms of a folder, topmost first, as starts of what follows its path; none imports a room above it. */
  readonly ladders: { readonly [path: string]: readonly string[] };
  /** The most files side by side in one folder. */
  readonly most: { readonly files: number; readonly except: readonly string[] };
  /** Which folder may import another one late, with `import()`, beyond that. */
  readonly late: { readonly [path: string]: readonly string[] };
  /** Which path may import which file outside src. */
  readonly outside: { readonly [path: string]: readonly string[] };
  /** Which paths may name a package or a module of Node; what is not listed nobody may name. */
  readonly packages: { readonly [name: string]: readonly string[] };
  /** Code that may stand in no file but these. */
  readonly words: readonly {
    readonly word: RegExp;
    readonly except: readonly string[];
    readonly name: string;
  }[];
  /** The most lines of a file: the first rule that fits counts. `containing` narrows it to files with such code. */
  readonly lines: readonly { readonly path: string; readonly containing?: RegExp; readonly most: number }[];
};

export type Fault = {
  readonly floor: 'folder' | 'ladder' | 'files' | 'package' | 'word' | 'lines' | 'cycle';
  readonly path: string;
  readonly what: string;
};

type Files = ReadonlyMap<string, string>;

const startsWithAny = (path: string, starts: readonly string[]): boolean =>
  starts.some((start) => path.startsWith(start));

const parentOf = (folder: string): string => folder.split('/')[0] ?? '';

/** The folder of a file below src, or its room, if the table lists that. */
function folderOf({ folders }: Floors, path: string): string {
  const [, first = '', second = ''] = path.split('/');
  const room = `${first}/${second}`;
  return Object.hasOwn(folders, room) ? room : first.replace(/\.ts$/, '');
}

const targetOf = (path: string, { specifier }: SourceImport): string =>
  posix.join(posix.dirname(path), specifier);

function isOpen(floors: Floors, path: string, imported: SourceImport): boolean {
  const from = folderOf(floors, path);
  const target = targetOf(path, imported);
  const to = folderOf(floors, target);
  const allowed = floors.folders[from] ?? [];
  const late = Object.entries(floors.late).find(([start]) => path.startsWith(start))?.[1] ?? [];
  if (!target.startsWith('src/')) {
    return (floors.outside[path] ?? []).includes(target);
  }
  return (
    from === to ||
    to === 'errors' ||
    allowed.includes('*') ||
    allowed.includes(to) ||
    // Whoever may import a folder may import its rooms.
    allowed.includes(parentOf(to)) ||
    (imported.isLate && late.includes(to)) ||
    (imported.isType && (floors.types[parentOf(from)] ?? []).includes(parentOf(to)))
  );
}

/** Whether an import leads up the rooms of one folder. */
function isClimbing(floors: Floors, path: string, imported: SourceImport): boolean {
  const target = targetOf(path, imported);
  return Object.entries(floors.ladders).some(([start, rooms]) => {
    const rankOf = (file: string) => rooms.findLastIndex((room) => file.startsWith(`${start}${room}`));
    return rankOf(path) > rankOf(target) && rankOf(target) >= 0;
  });
}

/** `node:fs` of `node:fs/promises`, `csv-stringify` of `csv-stringify/sync`, `@scope/name` of a path below it. */
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

function findImportFaults(floors: Floors, path: string, text: string): Fault[] {
  return scanSource(text).imports.flatMap((imported): Fault[] => {
    const { specifier } = imported;
    if (specifier.startsWith('.')) {
      if (!isOpen(floors, path, imported)) return [{ floor: 'folder', path, what: specifier }];
      return isClimbing(floors, path, imported) ? [{ floor: 'ladder', path, what: specifier }] : [];
    }
    const allowed = floors.packages[packageOf(specifier)] ?? [];
    return path === 'src/main.ts' || startsWithAny(path, allowed)
      ? []
      : [{ floor: 'package', path, what: specifier }];
  });
}

function findTextFaults(floors: Floors, path: string, text: string): Fault[] {
  const { code } = scanSource(text);
  const words = floors.words.filter(({ word, except }) => !startsWithAny(path, except) && word.test(code));
  const count = text.replace(/\n$/, '').split('\n').length;
  const fits = (rule: Floors['lines'][number]): boolean =>
    path.startsWith(rule.path) && (rule.containing === undefined || rule.containing.test(code));
  const most = floors.lines.find(fits)?.most ?? Number.POSITIVE_INFINITY;
  return [
    ...words.map(({ name }): Fault => ({ floor: 'word', path, what: name })),
    ...(count > most ? [{ floor: 'lines', path, what: `${count} of ${most}` } as const] : []),
  ];
}

/** Each file from which a chain of imports, types and late ones included, leads back to itself. */
function findCycles(files: Files): Fault[] {
  const edges = new Map(
    [...files].map(([path, text]) => [
      path,
      scanSource(text)
        .imports.filter(({ specifier }) => specifier.startsWith('.'))
        .map((imported) => targetOf(path, imported)),
    ]),
  );
  const reachable = (start: string): Set<string> => {
    const seen = new Set<string>();
    const waiting = [...(edges.get(start) ?? [])];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (!seen.has(next)) {
        seen.add(next);
        waiting.push(...(edges.get(next) ?? []));
      }
    }
    return seen;
  };
  return [...files.keys()]
    .filter((path) => reachable(path).has(path))
    .map((path) => ({ floor: 'cycle', path, what: 'imports itself in the end' }));
}

function findFullFolders({ most }: Floors, files: Files): Fault[] {
  const counts = new Map<string, number>();
  for (const path of files.keys()) {
    const folder = posix.dirname(path);
    if (!startsWithAny(path, most.except)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([path, count]) => path.startsWith('src') && count > most.files)
    .map(([path, count]) => ({ floor: 'files', path, what: `${count} of ${most.files}` }));
}

/** All places where files, by path from the project's root, break the floors. */
export function findFaults(floors: Floors, files: Files): readonly Fault[] {
  return [
    ...[...files].flatMap(([path, text]) => [
      ...findImportFaults(floors, path, text),
      ...findTextFaults(floors, path, text),
    ]),
    ...findCycles(files),
    ...findFullFolders(floors, files),
  ];
}
