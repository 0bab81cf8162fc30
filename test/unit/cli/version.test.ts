import { describe, expect, it } from 'vitest';
import { isNewer, VERSION } from '../../../src/cli/version.ts';
import type { System } from '../../../src/system/system.ts';
import { runProgram } from '../../support/run-program.ts';

const npmSays = (output: string, code = 0): { readonly readProgram: System['readProgram'] } => ({
  readProgram: async () => ({ code, output }),
});

describe('version', () => {
  it('starts nothing unless it is told to check', async () => {
    expect(await runProgram(['version', '-o', 'json'])).toEqual({
      code: 0,
      stdout: `${JSON.stringify({ version: VERSION, node: '22.22.0', platform: 'linux' }, null, 2)}\n`,
      stderr: '',
    });
  });

  it('is done where npm knows no newer one', async () => {
    const ended = await runProgram(['version', '--check'], npmSays(`"${VERSION}"\n`));
    expect(ended).toMatchObject({ code: 0, stderr: 'No newer version has been published.\n' });
    expect(ended.stdout).toContain(`newest    ${VERSION}\n`);
  });

  it('ends with 9 where there is a newer one', async () => {
    const ended = await runProgram(['version', '--check', '-o', 'json'], npmSays('"99.1.0"'));
    expect(ended.code).toBe(9);
    expect(JSON.parse(ended.stdout)).toMatchObject({ version: VERSION, newest: '99.1.0' });
    expect(JSON.parse(ended.stderr).error.message).toBe(`hogctl 99.1.0 is available, this is ${VERSION}`);
  });

  it('ends with 3 where the registry has no such package', async () => {
    const ended = await runProgram(['version', '--check'], npmSays('{"error":{"code":"E404"}}', 1));
    expect(ended).toMatchObject({ code: 3, stdout: '' });
  });

  it.each([
    ['a failure with a code', '{"error":{"code":"ECONNREFUSED"}}', 1],
    ['a failure without JSON', 'npm ERR!', 1],
    ['an answer before a failure', '"99.1.0"', 1],
    ['nothing', '', 0],
    ['another type', '{"version":"99.1.0"}', 0],
    ['a list', '["1.0.0","2.0.0"]', 0],
    ['a text that is no version', '"latest\\u001b[31m"', 0],
  ])('takes %s for no answer', async (_, stdout, code) => {
    expect(await runProgram(['version', '--check'], npmSays(stdout, code))).toMatchObject({
      code: 6,
      stdout: '',
    });
  });

  it("hands npm its own options in npm's words, and no key", async () => {
    const asked: unknown[] = [];
    const readProgram: System['readProgram'] = async (command, how) => {
      asked.push({ command, environment: how.environment });
      return { code: 0, output: '"0.0.1"' };
    };
    const words = ['version', '--check', '--timeout', '1.5s', '--retries', '2', '--ca-file', 'own.pem'];
    const environment = {
      POSTHOG_CLI_API_KEY: 'phx_one',
      POSTHOG_API_KEY: 'two',
      COPY: 'phx_three',
      LANG: 'C',
    };
    expect((await runProgram(words, { readProgram, environment })).code).toBe(0);
    expect(asked).toEqual([
      {
        command: ['npm', 'view', 'hogctl', 'version', '--json'],
        environment: {
          LANG: 'C',
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
