import { idToSend } from './entry.ts';
import { digestOf } from './members.ts';
import { findPart, type Task } from './resume-decision.ts';
import type { Run } from './run.ts';
import type { Part } from './run-state.ts';

export type Item = { readonly id: string; readonly member: string };

/** What one call is about to carry, and the digest that stands for it in the journal. */
export type Load = { readonly items: readonly Item[]; readonly digest: string };

export type Loads = {
  /** The ids of a part, read now or made ready before. */
  readonly take: (task: Task) => Load;
  /** Reads the ids of a batch that will be sent next, while the answer to another is waited for. */
  readonly prepare: (batch: number) => void;
  readonly isReady: (batch: number) => boolean;
};

/** `named`: uuids that the service named among its errors, by their members. */
export function createLoads(run: Run, named: ReadonlyMap<string, string>): Loads {
  const ready = new Map<number, { readonly part: Part; readonly load: Load }>();
  return {
    take(task) {
      const part = findPart(run.state(), task);
      if (task.retry) return toLoad(listErrors(part, run.state().limit, named));
      const known = ready.get(task.batch);
      ready.delete(task.batch);
      // A batch may have been cut since.
      const isSame = known?.part.from === part.from && known.part.count === part.count;
      return known !== undefined && isSame ? known.load : toLoad(listPart(run, part));
    },
    prepare(batch) {
      const part = findPart(run.state(), { batch, part: 1 });
      ready.set(batch, { part, load: toLoad(listPart(run, part)) });
    },
    isReady: (batch) => ready.has(batch),
  };
}

export function toLoad(items: readonly Item[]): Load {
  return { items, digest: digestOf(items.map(({ member }) => member)) };
}

function listPart(run: Run, { from, count }: Part): readonly Item[] {
  return run.entries(from, count).map((entry) => ({
    id: idToSend(entry),
    member: run.memberOf(entry.kind, entry.id),
  }));
}

function listErrors(part: Part, limit: number, named: ReadonlyMap<string, string>): readonly Item[] {
  const members = new Set(part.errors.flatMap(({ person }) => person ?? []));
  return [...members].slice(0, limit).flatMap((member) => {
    const id = named.get(member);
    return id === undefined ? [] : { id, member };
  });
}
