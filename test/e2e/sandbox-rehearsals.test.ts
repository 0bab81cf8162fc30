import { describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxSettings } from '../../src/sandbox/start-sandbox.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';

const data = { persons: [{ distinct_ids: ['ana'], properties: { email: 'ana@example.org' } }] };

async function rehearse(settings: Partial<SandboxSettings>) {
  const sandbox = await borrowSandbox({ dialect: 'live', data, now: '2026-06-18T12:00:00Z', ...settings });
  onTestFinished(() => sandbox.stop());
  const environment = sandboxEnvironment(sandbox, 'live');
  return (line: string) => runProgram(`${line} --retries 0`.split(' '), { environment });
}

describe('a sandbox in which something goes wrong on purpose', () => {
  it('lets a key do only what its scopes say', async () => {
    const hogctl = await rehearse({ scopes: ['person:read'] });
    expect((await hogctl('persons list -q')).code).toBe(0);
    const { code, stderr } = await hogctl('persons set 1 plan pro');
    expect(code).toBe(4);
    expect(stderr).toContain('give the key the scope person:write');
  });

  it('knows a key that has expired, and says where to make another', async () => {
    const hogctl = await rehearse({ expiredKey: true });
    const { code, stderr } = await hogctl('persons list');
    expect(code).toBe(4);
    expect(stderr).toMatch(/answered 401: Personal API key has expired/);
    expect(stderr).toMatch(
      /hint: create a new key at .*\/settings\/user-api-keys, and store it with hogctl auth login/,
    );
  });

  it('answers so many requests, and then those of the next minute', async () => {
    let elapsed = 0;
    const hogctl = await rehearse({ rateLimit: '1/m', elapsed: () => elapsed });
    expect((await hogctl('persons list')).code).toBe(0);
    elapsed = 20_000;
    const { code, stderr } = await hogctl('persons list');
    expect(code).toBe(6);
    expect(stderr).toContain('429: Request was throttled. Expected available in 40 seconds');
    elapsed = 60_001;
    expect((await hogctl('persons list')).code).toBe(0);
  });

  it('is away for a while after so many requests', async () => {
    let elapsed = 0;
    const hogctl = await rehearse({ outageAfter: 1, outageFor: 30_000, elapsed: () => elapsed });
    expect((await hogctl('persons list')).code).toBe(0);
    const { code, stderr } = await hogctl('persons list');
    expect([code, stderr]).toEqual([6, expect.stringContaining('503')]);
    elapsed = 30_000;
    expect((await hogctl('persons list')).code).toBe(0);
  });

  it.each([
    ['--scopes person', '"person" is not a scope'],
    ['--rate-limit 10', '"10" is not a rate'],
    ['--outage-after 3', '--outage-after and --outage-for need each other'],
  ])('does not start with %s', async (options, message) => {
    const { code, stderr } = await runProgram(`sandbox exec ${options} -- true`.split(' '));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('takes all of them from the command line', async () => {
    const spawn = async (_: readonly string[], variables: Readonly<Record<string, string | undefined>>) => {
      const given = Object.entries(variables).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      );
      const environment: Record<string, string> = Object.fromEntries(given);
      const list = () => runProgram('persons list --retries 0'.split(' '), { environment });
      const codes = [(await list()).code, (await list()).code];
      expect(codes).toEqual([0, 6]);
      return { code: 0 };
    };
    const words =
      'sandbox exec --empty --scopes person:read --rate-limit 9/m --outage-after 1 --outage-for 30s -- true';
    expect(await runProgram(words.split(' '), { spawn })).toMatchObject({ code: 0 });
  });
});
