import type { Endpoint } from '../api/endpoint.ts';
import { asObject } from '../json/kinds.ts';
import { parseText } from '../json/parse.ts';
import { type Addressing, projectPath, type WireRequest } from './build-request.ts';
import type { PageOptions } from './client.ts';
import type { Slot } from './collect.ts';
import type { createLine } from './create-line.ts';
import { findNext } from './find-next.ts';
import type { Load } from './flights.ts';
import { joinPages } from './join-pages.ts';
import { type Page, readPages } from './pages.ts';
import { pageReader } from './read-answer.ts';
import { reduceNext } from './reduce-next.ts';
import { send } from './send.ts';

type ListParts = {
  readonly addressing: Addressing;
  readonly line: ReturnType<typeof createLine>;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal | undefined;
};

type ListOptions = Pick<PageOptions, 'limit' | 'timeout' | 'overlap'> & { readonly row?: Endpoint };

const PAGE_FIELDS = ['limit', 'offset', 'page'];

/** Reads lists over one line, in two buffers that take turns. */
export function createListReader({ addressing, line, note, signal }: ListParts) {
  return (request: WireRequest, { limit, timeout, row, overlap }: ListOptions): AsyncIterable<Page> => {
    const { base } = addressing;
    const within = isOfProject(request, { addressing, row }) ? projectPath(addressing) : undefined;
    const reader = pageReader({ row: { effect: request.effect, emptyBody: 'never' }, where: line.where });
    const slots = takeTurns();
    const load: Load = (target, { index, signal: stop, onLink }) => {
      const body = index === 0 ? request.body : withoutPlace(request.body);
      return send(
        { ...request, target, body },
        reader,
        line.open({ timeout, signal: stop, slot: slots(index, onLink) }),
      );
    };
    const reduce = (link: string, current: string) => reduceNext(link, { base, current, within });
    return readPages({
      first: request.target,
      ...(overlap === undefined ? { load, reduce } : joinPages({ load, reduce, overlap, note })),
      limit,
      flatten: row?.response === 'page of actors',
      note,
      signal,
    });
  };
}

/** Where `next` was not found in as many bytes, it is waited for. */
const LONGEST_HEAD = 64 * 1024;

/** Two buffers for page after page. A page that is read in place of another one has a new one, for that may still come. */
function takeTurns(): (index: number, onLink: (link: string) => void) => Slot {
  const buffers: Slot[] = [];
  let last = -1;
  return (index, onLink) => {
    const used = index > last ? buffers[index % 2] : undefined;
    last = index;
    const onHead = (head: Buffer): boolean => {
      const link = findNext(head);
      if (typeof link === 'string') onLink(link);
      return link !== undefined || head.length > LONGEST_HEAD;
    };
    const slot = { buffer: used?.buffer ?? Buffer.alloc(0), onHead };
    buffers[index % 2] = slot;
    return slot;
  };
}

function isOfProject(
  request: WireRequest,
  { addressing, row }: { readonly addressing: Addressing; readonly row: Endpoint | undefined },
): boolean {
  if (row !== undefined) return row.under === 'project';
  return addressing.projectId !== undefined && request.target.startsWith(`${projectPath(addressing)}/`);
}

/** The `next` link of a POSTed read says where to go on; its body must not say otherwise. */
function withoutPlace(body: string | undefined): string | undefined {
  if (body === undefined) return undefined;
  const entries = Object.entries(asObject(parseText(body)) ?? {}).filter(
    ([name]) => !PAGE_FIELDS.includes(name),
  );
  return JSON.stringify(Object.fromEntries(entries));
}
