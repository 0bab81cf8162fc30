import { createHash } from 'node:crypto';
import { CliError } from '../errors.ts';
import type { Entry } from './entry.ts';
import { createLineWriter } from './line-writer.ts';
import { createMark, createMemberBytesOf, type MemberLine } from './members.ts';
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
 * the ids themselves are gone. A line is a `MemberLine`, in which nothing needs escaping.
 */
export function createMembers(directory: RunDirectory, key: Uint8Array): MembersWriter {
  const file = directory.create(name);
  const sum = createHash('sha256');
  const writer = createLineWriter(file, (piece) => void sum.update(piece));
  const mark = createMark();
  const bytesOf = createMemberBytesOf(key);
  let count = 0;
  return {
    add({ kind, id, person }) {
      const member = bytesOf(kind, id);
      mark.add(member);
      count += 1;
      writer.ascii('{"member":"');
      writer.hex(member);
      writer.ascii(kind === 'ids' ? '","kind":"ids"' : '","kind":"distinct-ids"');
      if (person === null) writer.ascii(',"person":null');
      else if (person !== undefined) {
        writer.ascii(',"person":"');
        writer.hex(bytesOf('ids', person.uuid));
        writer.ascii('"');
      }
      writer.ascii('}\n');
    },
    finish() {
      writer.finish();
      return { count, sha256: sum.digest('hex'), mark: mark.value() };
    },
    close: file.close,
  };
}

/** Throws a `check` error before the first member where the file is not the one that the plan was made with. */
export function* readMembers(
  directory: RunDirectory,
  planned: { readonly sha256: string },
): Generator<MemberLine> {
  if (!directory.has(name) || digestMembers(directory) !== planned.sha256) throw wereChanged(directory);
  let rest = '';
  for (const text of readTexts(directory)) {
    const known = rest + text;
    rest = known.slice(known.lastIndexOf('\n') + 1);
    // Cast: it is the file that was written here, by its hash.
    for (const line of known.split('\n').slice(0, -1)) yield JSON.parse(line) as MemberLine;
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

function wereChanged({ path }: RunDirectory): CliError {
  return new CliError('check', 'the list of the ids, as HMACs, was changed since the run was planned', {
    hint: `who was in the run cannot be told from it: bring back ${name} in ${path} from a copy`,
  });
}
