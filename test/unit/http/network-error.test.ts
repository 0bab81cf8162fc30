import { describe, expect, it } from 'vitest';
import { failureReasonOf, isBeforeSending, toNetworkError } from '../../../src/http/network-error.ts';

describe('reasons of network errors', () => {
  it.each([
    [{ code: 'ETIMEDOUT', syscall: 'connect' }, 'unreachable'],
    [{ code: 'ETIMEDOUT', syscall: 'read' }, 'lost'],
    [{ errors: [{ code: 'ENETUNREACH' }] }, 'unreachable'],
    [{ errors: [] }, 'lost'],
    [{ code: 'EAI_AGAIN' }, 'unreachable'],
    [{ code: 'ENOTFOUND' }, 'name'],
    [{ code: 'CERT_HAS_EXPIRED' }, 'certificate'],
    [{ code: 'UND_ERR_ABORTED' }, 'lost'],
    [undefined, 'lost'],
  ])('%j is %s', (cause, reason) => {
    expect(failureReasonOf(cause, false)).toBe(reason);
  });

  it.each([
    ['CERT_HAS_EXPIRED', /has expired/],
    ['CERT_SOMETHING_NEW', /not accepted: CERT_SOMETHING_NEW/],
  ])('%s in plain words', (code, words) => {
    const where = { host: 'h', projectId: undefined, proxy: undefined, redact: (text: string) => text };
    const error = toNetworkError(
      { reason: 'certificate', cause: { code } },
      { effect: 'write', where, timeout: 1 },
    );
    expect(error.message).toMatch(words);
  });

  it('say whether anything was sent', () => {
    expect([isBeforeSending('refused'), isBeforeSending('lost')]).toEqual([true, false]);
  });

  it('say how a host cannot be reached, and for how long an answer was waited for', () => {
    const where = { host: 'h', projectId: undefined, proxy: undefined, redact: (text: string) => text };
    const failed = { effect: 'read', where, timeout: 300_000 } as const;
    expect(toNetworkError({ reason: 'unreachable', cause: new Error('no route') }, failed).message).toBe(
      'h cannot be reached: no route',
    );
    expect(toNetworkError({ reason: 'unreachable', cause: 'odd' }, failed).message).toBe(
      'h cannot be reached: odd',
    );
    expect(toNetworkError({ reason: 'name', cause: undefined }, failed)).toMatchObject({
      kind: 'unavailable',
      outcome: 'not-done',
      message: 'the host h was not found',
    });
    expect(toNetworkError({ reason: 'timeout', cause: undefined }, failed).message).toBe(
      'h did not answer completely within 5 min',
    );
    expect(toNetworkError({ reason: 'proxy', cause: new Error('x') }, failed).message).toBe(
      'the proxy refused a tunnel to h',
    );
    for (const [status, told] of [
      [403, '403'],
      [407, '407, it requires credentials'],
    ]) {
      const cause = new Error(`Proxy response (${status}) !== 200 when HTTP Tunneling`);
      expect(toNetworkError({ reason: 'proxy', cause }, failed).message).toBe(
        `the proxy refused a tunnel to h (${told})`,
      );
    }
    expect(toNetworkError({ reason: 'proxy', cause: 'odd' }, failed).message).toBe(
      'the proxy refused a tunnel to h',
    );
    expect(toNetworkError({ reason: 'cut', cause: undefined, status: 200 }, failed).message).toBe(
      'the answer of h was cut off (status 200)',
    );
  });

  it('name the proxy where it is what cannot be reached', () => {
    const proxy = { origin: 'http://p:3128', authorization: undefined, variable: 'HTTPS_PROXY' };
    const where = { host: 'h', projectId: undefined, proxy, redact: (text: string) => text };
    const error = toNetworkError({ reason: 'name', cause: undefined }, { effect: 'read', where, timeout: 1 });
    expect(error.message).toBe('the host p was not found (through the proxy http://p:3128 of HTTPS_PROXY)');
    expect(error.hint).toBe('check the URL in HTTPS_PROXY');
  });
});
