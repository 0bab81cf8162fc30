import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PageOptions } from '../../../src/http/client.ts';
import { persons } from '../../../src/service/persons.ts';
import { failureOf, makeClient } from './make-client.ts';
import { all, LIST, range } from './serve-persons.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
type Service = Awaited<ReturnType<typeof serve>>;

/** A service whose answers are written piece by piece; `answers` by number of the request. */
async function serve(answers: readonly Answer[]) {
  const urls: string[] = [];
  const waiting: { readonly count: number; readonly done: () => void }[] = [];
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => {
    open += 1;
    most = Math.max(most, open);
    response.once('close', () => {
      open -= 1;
    });
    urls.push(request.url ?? '');
    for (const { count, done } of waiting) if (urls.length >= count) done();
    response.writeHead(200, { 'content-type': 'application/json' });
    answers[urls.length - 1]?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const watched = makeClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    await watched.client.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    urls,
    most: () => most,
    notes: watched.notes,
    list: (options: PageOptions = {}) => watched.client.pages(persons.list, {}, options),
    /** Resolves when so many requests have come. */
    asked: (count: number) =>
      new Promise<void>((done) => {
        if (urls.length >= count) done();
        else waiting.push({ count, done });
      }),
  };
}

/** Rows as text that goes on after another, in pieces that come one by one. */
const rowsText = (from: number, to: number) => range(from, to).map((row) => JSON.stringify(row));
const link = (offset: number) => `http://inner${LIST}?limit=100&offset=${offset}`;

/** The first piece, then the second one when `before` has come to pass. */
function inPieces(first: string, second: string, before: () => Promise<void>): Answer {
  return (response) => {
    response.write(first);
    before().then(() => response.end(second));
  };
}

const head = (offset: number, from: number) =>
  `{"count":300,"next":"${link(offset)}","previous":null,"results":[${rowsText(from, from + 50).join(',')}`;
const tail = (from: number) => `,${rowsText(from + 50, from + 100).join(',')}]}`;
const whole = (from: number, to: number, next: number | null): Answer => {
  const after = next === null ? null : link(next);
  return (response) => response.end(JSON.stringify({ next: after, results: range(from, to) }));
};

describe('the page after the one that comes in', () => {
  it('is asked for as soon as its address is there, two at a time', async () => {
    const service: Service = await serve([
      inPieces(head(100, 0), tail(0), () => service.asked(2)),
      inPieces(head(200, 100), tail(100), () => service.asked(3)),
      whole(200, 300, null),
    ]);
    const { rows } = await all(service.list());
    expect(rows).toEqual(range(0, 300));
    expect(service.urls.map((url) => url.split('?')[1])).toEqual([
      undefined,
      'limit=100&offset=100',
      'limit=100&offset=200',
    ]);
    expect(service.most()).toBe(2);
  });

  it('waits for the end of a page that names it after its rows', async () => {
    const late = `{"results":[${rowsText(0, 50).join(',')}`;
    const service: Service = await serve([
      inPieces(late, `${tail(0).slice(0, -1)},"next":"${link(100)}"}`, async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        expect(service.urls).toHaveLength(1);
      }),
      whole(100, 120, null),
    ]);
    expect((await all(service.list())).rows).toEqual(range(0, 120));
    expect(service.urls).toHaveLength(2);
  });

  it('is not asked for where this page may have all the rows that are wanted', async () => {
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 30));
    const service: Service = await serve([inPieces(head(100, 0), tail(0), pause)]);
    const { rows } = await all(service.list({ limit: 100 }));
    expect(rows).toHaveLength(100);
    expect(service.urls).toHaveLength(1);
  });

  it('is asked for where more are wanted than this page can have, and no further one', async () => {
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 30));
    const service: Service = await serve([
      inPieces(head(100, 0), tail(0), () => service.asked(2)),
      inPieces(head(200, 100), tail(100), pause),
    ]);
    const { rows } = await all(service.list({ limit: 150, pageSize: 100 }));
    expect(rows).toEqual(range(0, 150));
    expect(service.urls).toHaveLength(2);
  });

  it('is not asked for outside the project', async () => {
    const elsewhere = head(100, 0).replace('/projects/7/', '/projects/8/');
    const service: Service = await serve([
      inPieces(elsewhere, tail(0), () => new Promise((resolve) => setTimeout(resolve, 30))),
    ]);
    expect((await failureOf(all(service.list()))).message).toContain('leads out of the project');
    expect(service.urls).toHaveLength(1);
  });

  it('is the one that the whole page names, should it name another in the end', async () => {
    const service: Service = await serve([
      inPieces(head(100, 0), `${tail(0).slice(0, -1)},"next":"${link(200)}"}`, () => service.asked(2)),
      () => undefined,
      whole(200, 210, null),
    ]);
    expect((await all(service.list())).rows).toEqual([...range(0, 100), ...range(200, 210)]);
    expect(service.urls).toHaveLength(3);
  });

  it('is dropped when the page before it breaks off for good', async () => {
    const broken: Answer = (response) => {
      response.write(head(100, 0));
      service.asked(2).then(() => response.destroy());
    };
    let dropped: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      dropped = resolve;
    });
    const service: Service = await serve([
      broken,
      (response) => response.once('close', () => dropped?.()),
      ...Array.from({ length: 4 }, (): Answer => (response) => response.destroy()),
    ]);
    expect((await failureOf(all(service.list()))).kind).toBe('unavailable');
    await gone;
  });

  it('is dropped when the reader leaves', async () => {
    let dropped: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      dropped = resolve;
    });
    const service: Service = await serve([
      inPieces(head(100, 0), tail(0), () => service.asked(2)),
      (response) => response.once('close', () => dropped?.()),
    ]);
    for await (const page of service.list()) {
      expect(page.rows).toHaveLength(100);
      break;
    }
    await gone;
    expect(service.urls).toHaveLength(2);
  });
});
