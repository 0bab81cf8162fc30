import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import { checkVersion, isNewer, VERSION } from '../../../src/cli/version.ts';
import { runProgram } from '../../support/run-program.ts';

type Asked = { readonly command: readonly string[]; readonly added: unknown };

/** What a check says, if npm ends like this. */
async function check(output: string, code = 0, options: Partial<Context['options']> = {}) {
  const said: unknown[] = [];
  const asked: Asked[] = [];
  const context = {
    options,
    signal: new AbortController().signal,
    system: {
      runProgram: async (command: readonly string[], added: unknown) => {
        asked.push({ command, added });
        return { code, output };
      },
    },
    print: async (data: unknown) => void said.push(data),
    note: (text: string) => void said.push(text),
  };
  // A check touches nothing else.
  const kind = await checkVersion({ version: VERSION }, context as unknown as Context).then(
    () => 'done',
    (failure: unknown) => failure,
  );
  return { kind, said, asked };
}

describe('version', () => {
  it('starts nothing unless it is told to check', async () => {
    expect(await runProgram(['version', '-o', 'json'])).toEqual({
      code: 0,
      stdout: `${JSON.stringify({ version: VERSION, node: '22.22.0', platform: 'linux' }, null, 2)}\n`,
      stderr: '',
    });
  });

  it('is done where npm knows no newer one', async () => {
    expect(await check(`"${VERSION}"\n`)).toMatchObject({
      kind: 'done',
      said: [{ version: VERSION, newest: VERSION }, 'No newer version has been published.'],
    });
  });

  it('does not hold where there is a newer one', async () => {
    const { kind, said } = await check('"99.1.0"');
    expect(kind).toMatchObject({ kind: 'check', message: `hogctl 99.1.0 is available, this is ${VERSION}` });
    expect(said).toEqual([{ version: VERSION, newest: '99.1.0' }]);
  });

  it('misses a package that the registry does not have', async () => {
    expect(await check('{"error":{"code":"E404"}}', 1)).toMatchObject({
      kind: { kind: 'not-found' },
      said: [],
    });
  });

  it.each([
    ['a failure with a code', '{"error":{"code":"ECONNREFUSED"}}', 1],
    ['a failure without JSON', 'npm ERR!', 1],
    ['an answer before a failure', '"99.1.0"', 1],
    ['nothing', '', 0],
    ['another type', '{"version":"99.1.0"}', 0],
    ['a list', '["1.0.0","2.0.0"]', 0],
    ['a text that is no version', '"latest\\u001b[31m"', 0],
  ])('takes %s for no answer', async (_, output, code) => {
    expect(await check(output, code)).toMatchObject({ kind: { kind: 'unavailable' }, said: [] });
  });

  it("hands npm its own options in npm's words", async () => {
    const options = { timeout: { count: 1.5, unit: 'SECOND' }, retries: 2, caFile: 'own.pem' } as const;
    const { asked } = await check('"0.0.1"', 0, options);
    expect(asked).toEqual([
      {
        command: ['npm', 'view', 'hogctl', 'version', '--json'],
        added: {
          npm_config_update_notifier: 'false',
          npm_config_fetch_timeout: '1500',
          npm_config_fetch_retries: '2',
          npm_config_cafile: 'own.pem',
        },
      },
    ]);
  });
});

describe('a version', () => {
  it.each([
    ['0.1.1', '0.1.0'],
    ['0.10.0', '0.9.9'],
    ['1.0.0', '0.99.99'],
    ['1.0.0', '1.0.0-rc.1'],
    ['1.0.1-rc.1', '1.0.0'],
  ])('%s comes after %s', (one, other) => {
    expect([isNewer(one, other), isNewer(other, one)]).toEqual([true, false]);
  });

  it.each([
    ['0.1.0', '0.1.0'],
    ['0.1.0+build.7', '0.1.0'],
    ['1.0.0-rc.2', '1.0.0-rc.1'],
  ])('%s does not come after %s', (one, other) => {
    expect(isNewer(one, other)).toBe(false);
  });
});
