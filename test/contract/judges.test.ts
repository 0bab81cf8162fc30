import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/**
 * Who may ask the core of erasure, and what. Whether somebody may be sent, is done, owed or proven is decided there only:
 * a file that needs to know asks one of these functions, and stands here for it.
 */
const ASKS: Readonly<Record<string, readonly string[]>> = {
  agree: ['record/batches.ts'],
  apply: ['record/batches.ts', 'record/plan.ts'],
  Contradiction: ['people/exceptions.ts', 'record/batches.ts'],
  exceptionsOf: ['people/exceptions.ts'],
  exitOf: ['proof/outcome.ts'],
  exitOfRequest: ['projects/request.ts'],
  heldBack: ['record/batches.ts', 'report/members.ts'],
  isOpen: ['record/state.ts'],
  isOwed: ['proof/ask.ts', 'proof/verdict.ts', 'record/state.ts', 'report/members.ts'],
  prove: ['record/batches.ts'],
  questionsOf: ['proof/ask.ts', 'sending/look.ts', 'sending/run.ts'],
  toSend: ['sending/run.ts'],
  verdictOf: ['record/batches.ts'],
  withStore: ['record/batches.ts'],
};

/** Exported questions of other files with a yes or no for an answer: none of them is about what became of a person. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'input/csv.ts': ['isCalled', 'isHeader', 'isNoId', 'isShowable'],
  'input/text-lines.ts': ['isOle', 'isWorkbook'],
  'input/unseen.ts': ['isTrue'],
  // Of a run whole, from what the core says of its lines.
  'projects/parts.ts': ['isNobody', 'isOfNobody'],
  'proof/ask.ts': ['isOnlyWaiting'],
  'proof/verdict.ts': ['isVerified'],
  'record/digest.ts': ['isMadeHere'],
  'record/directory.ts': ['isLocked', 'isPath', 'isRunDirectory', 'isSameDirectory'],
  'record/find.ts': ['isAtWork'],
  'record/open.ts': ['hasEndedSince'],
  // Of a call or a session, from the journal.
  'record/state.ts': ['isLost', 'isUnfinished', 'mayHaveRun'],
  // An error.
  'record/unreadable.ts': ['hasNeverBegun', 'isOfAnotherFormat', 'isReadable'],
  'sending/session.ts': ['isAboutContent'],
};

const filesBelow = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
const files = filesBelow('src/erasure');
const textOf = (file: string) => readFileSync(join(root, 'src/erasure', file), 'utf8');

describe('what becomes of people is decided in one file', () => {
  it('which is asked by those who stand in this table', () => {
    const asked: Record<string, string[]> = {};
    for (const file of files.toSorted()) {
      const [, names = ''] = /import \{([^}]*)\} from '(?:\.\.?\/)+core\.ts'/.exec(textOf(file)) ?? [];
      for (const name of names
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean))
        if (!name.startsWith('type ')) asked[name] = [...(asked[name] ?? []), file];
    }
    expect(asked, 'ask the core, and add the file to ASKS in this test').toEqual(ASKS);
  });

  it('and by nobody outside of erasure', () => {
    const others = filesBelow('src').filter((path) => !path.startsWith('erasure/'));
    const isAsking = (path: string) =>
      /erasure\/(?:core|facts)\.ts'/.test(readFileSync(join(root, 'src', path), 'utf8'));
    expect(others.filter(isAsking)).toEqual([]);
  });

  it('and no other question of a file is one about that', () => {
    const found: Record<string, string[]> = {};
    for (const file of files.filter((one) => one !== 'core.ts').toSorted()) {
      const names = [
        ...textOf(file).matchAll(
          /^export (?:function|const) ((?:is|has|are|may|can|was|needs|owes)[A-Z]\w*)/gm,
        ),
      ];
      if (names.length > 0) found[file] = names.flatMap(([, name = '']) => name).toSorted();
    }
    expect(found, 'if it is about a person, ask the core; else add it to OTHERS in this test').toEqual(
      OTHERS,
    );
  });
});
