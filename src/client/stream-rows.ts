import type { Endpoint } from '../api/endpoint.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import type { WireRequest } from './build-request.ts';
import { type CheckEnvelope, readRows } from './read-rows.ts';
import { type Line, pause, send } from './send.ts';

type Streaming = {
  readonly row: Pick<Endpoint, 'effect' | 'emptyBody'>;
  /** Its attempts leave bodies to be read as they come. */
  readonly line: Line;
  /** What to ask for after a row that was handed on. */
  readonly request: (after: Json | undefined) => WireRequest;
  readonly check: CheckEnvelope;
};

/** The last row that was handed on, how many the last answer had, and what stands beside them. */
export type StreamEnd = {
  readonly last: Json | undefined;
  readonly rows: number;
  readonly envelope: JsonObject;
};

/**
 * Sends a request and hands on the `results` of its answer while it comes in. Where an answer breaks off, what is left
 * is asked for, as often as a request may be sent again without any row to show for it. Throws what `send` throws.
 */
export async function* streamRows(streaming: Streaming): AsyncGenerator<readonly Json[], StreamEnd> {
  const { row, line, request, check } = streaming;
  let last: Json | undefined;
  for (let failures = 0; ; ) {
    const answer = await send(request(last), async (value) => ({ value }), line);
    const { body } = answer;
    if (body === undefined) throw new Error('an answer was read before its rows could be');
    const end = yield* readRows({
      answer: { ...answer, body },
      expected: { row, where: line.where },
      line,
      check,
    });
    const before = last;
    last = end.last ?? last;
    if ('envelope' in end) return { ...end, last };
    // A service that answers the same rows whatever it is asked does not get any further either.
    failures = JSON.stringify(last) === JSON.stringify(before) ? failures + 1 : 1;
    if (!end.failure.again || failures > line.retries) throw end.failure.error;
    await pause(end.failure, failures, line);
  }
}
