import type { Entry } from './entry.ts';
import { createMark, createMemberOf, digestOf, type MemberLine } from './members.ts';
import type { RunDirectory } from './run-directory.ts';

const name = 'members.ndjson';
const readSize = 1 << 16;

/**
 * Writes how each id of the run appears in its report, in the order of the plan, so that membership can be told when
 * the ids themselves are gone. Gives back what the plan holds of them.
 */
export function writeMembers(
  directory: RunDirectory,
  key: Uint8Array,
  entries: Iterable<Entry>,
): { readonly count: number; readonly sha256: string; readonly mark: string } {
  const mark = createMark();
  const memberOf = createMemberOf(key);
  let count = 0;
  function* texts(): Generator<string> {
    for (const { kind, id, person } of entries) {
      const member = memberOf(kind, id);
      mark.add(member);
      count += 1;
      const owner = person === undefined ? {} : { person: person && memberOf('ids', person.uuid) };
      const line: MemberLine = { member, kind, ...owner };
      yield `${JSON.stringify(line)}\n`;
    }
  }
  directory.writeNew(name, texts());
  return { count, sha256: digestOf(readTexts(directory)), mark: mark.value() };
}

export function* readMembers(directory: RunDirectory): Generator<MemberLine> {
  let rest = '';
  for (const text of readTexts(directory)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    // Cast: the plan holds the hash of this file, which `runs check` compares.
    for (const line of lines) yield JSON.parse(line) as MemberLine;
  }
}

/** The hash of the file as it is now. */
export function digestMembers(directory: RunDirectory): string {
  return digestOf(readTexts(directory));
}

/** The file is ASCII, so a piece of bytes is a piece of text; another byte must change the hash. */
function* readTexts(directory: RunDirectory): Generator<string> {
  const file = directory.open(name);
  const piece = Buffer.alloc(readSize);
  try {
    for (let position = 0; position < file.size; position += readSize) {
      yield file.read(position, readSize, piece).toString('latin1');
    }
  } finally {
    file.close();
  }
}
