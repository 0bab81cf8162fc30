import { createHash } from 'node:crypto';
import type { Entry } from './entry.ts';
import type { IdKind } from './id-kind.ts';
import { createMark, createMemberOf, type MemberLine } from './members.ts';
import type { RunDirectory } from './run-directory.ts';

const name = 'members.ndjson';
const readSize = 1 << 16;

export type MembersWriter = {
  readonly add: (entry: Entry) => void;
  /** Syncs the file and gives back what the plan holds of it. */
  readonly finish: () => { readonly count: number; readonly sha256: string; readonly mark: string };
  readonly close: () => void;
};

/**
 * Writes how each id of the run appears in its report, in the order of the plan, so that membership can be told when
 * the ids themselves are gone.
 */
export function createMembers(directory: RunDirectory, key: Uint8Array): MembersWriter {
  const file = directory.create(name);
  const mark = createMark();
  const memberOf = createMemberOf(key);
  const sum = createHash('sha256');
  let count = 0;
  let waiting = '';
  const flush = () => {
    sum.update(waiting, 'latin1');
    file.add(waiting);
    waiting = '';
  };
  return {
    add({ kind, id, person }) {
      const member = memberOf(kind, id);
      mark.add(member);
      count += 1;
      waiting += encodeMember(kind, member, person && memberOf('ids', person.uuid));
      if (waiting.length >= readSize) flush();
    },
    finish() {
      flush();
      file.finish();
      return { count, sha256: sum.digest('hex'), mark: mark.value() };
    },
    close: file.close,
  };
}

/** A `MemberLine` as JSON, in which nothing needs escaping. */
function encodeMember(kind: IdKind, member: string, person: string | null | undefined): string {
  if (person === undefined) return `{"member":"${member}","kind":"${kind}"}\n`;
  const owner = person === null ? 'null' : `"${person}"`;
  return `{"member":"${member}","kind":"${kind}","person":${owner}}\n`;
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
  const sum = createHash('sha256');
  for (const text of readTexts(directory)) sum.update(text, 'latin1');
  return sum.digest('hex');
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
