import type { Received, StubAnswer } from '../support/stub-server.ts';
import type { Effect } from './invocations.ts';
import { quoteKey } from './secrets.ts';

/** Exit codes by the effect of the request that meets the fault. */
export type Codes = Readonly<Record<Effect, number>>;

export type Fault = {
  readonly codes: Codes;
  readonly answer?: (received: Received) => StubAnswer;
  /** An address in place of the stub's, and options that the fault needs. */
  readonly host?: string;
  readonly words?: readonly string[];
  /** It is no fault where the service may answer without a body. */
  readonly empty?: true;
};

const same = (code: number): Codes => ({ read: code, write: code, destroy: code, run: code });
/** Whether a write or a run has been done is not known, so it is not simply to be tried later. */
const inDoubt: Codes = { read: 6, write: 8, destroy: 6, run: 8 };

/** The service failed, and may have done the work before it did. */
const failing: Codes = inDoubt;

/** An answer of the service that quotes the key, as the service must not and a gateway may. */
const saying =
  (status: number, code: string, detail: string) =>
  ({ headers }: Received): StubAnswer => ({
    status,
    json: { type: 'a_type', code, detail: `${detail} ${quoteKey(headers.authorization)}`, attr: null },
  });

const html = (status: number) => (): StubAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><html><body>Bad gateway</body></html>',
});

const whole = '{"next":null,"previous":null,"results":[],"id":1,"uuid":"u"}';

/** Each fault, with the exit code it has to end every command with. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  '401 wrong key': { codes: same(4), answer: saying(401, 'authentication_failed', 'Invalid.') },
  '403 scope': {
    codes: same(4),
    answer: saying(403, 'permission_denied', "API key missing required scope 'person:write'"),
  },
  '403 project': {
    codes: same(4),
    answer: saying(403, 'permission_denied', 'API key does not have access to the requested project: ID 1.'),
  },
  '403 closed to keys': {
    codes: same(4),
    answer: saying(403, 'permission_denied', 'This action does not support personal API key access'),
  },
  // Whoever wrote a page knows nothing of the key.
  '401 HTML': { codes: same(5), answer: html(401) },
  '403 HTML': { codes: same(5), answer: html(403) },
  '404': { codes: same(3), answer: saying(404, 'not_found', 'Not found.') },
  '405': { codes: same(5), answer: saying(405, 'method_not_allowed', 'Method not allowed.') },
  '409': { codes: same(5), answer: saying(409, 'conflict', 'Conflict.') },
  '422': { codes: same(5), answer: saying(422, 'invalid', 'Unprocessable.') },
  '429 always': { codes: same(6), answer: saying(429, 'throttled', 'Request was throttled.') },
  '500': { codes: failing, answer: saying(500, 'error', 'A server error occurred.') },
  '502 HTML': { codes: failing, answer: html(502) },
  '503 empty': { codes: failing, answer: () => ({ status: 503 }) },
  '504': { codes: failing, answer: saying(504, 'timeout', 'Timed out.') },
  '512': { codes: failing, answer: saying(512, 'estimated_query_execution_timeout', 'Too long.') },
  'refused connection': { codes: same(6), host: 'http://127.0.0.1:1' },
  // A label longer than names may have is not asked for, so that no name server is waited for.
  'unknown host': { codes: same(6), host: `https://${'a'.repeat(64)}.invalid` },
  'timeout before headers': {
    codes: inDoubt,
    answer: () => ({ never: true }),
    words: ['--timeout', '0.06'],
  },
  'timeout in the body': {
    codes: inDoubt,
    answer: () => ({ body: whole, cutAt: 10, stall: true }),
    words: ['--timeout', '0.06'],
  },
  'cut body': { codes: inDoubt, answer: () => ({ body: whole, cutAt: 20 }) },
  'reset connection': { codes: inDoubt, answer: () => ({ reset: 'before' }) },
  'web page with 200': { codes: inDoubt, answer: html(200) },
  'not JSON': {
    codes: inDoubt,
    answer: () => ({ body: 'certainly', headers: { 'content-type': 'text/plain' } }),
  },
  'empty body with 200': { codes: inDoubt, answer: () => ({ status: 200 }), empty: true },
};
