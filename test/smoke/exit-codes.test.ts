import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { version } from '../../package.json' with { type: 'json' };
import { cleanEnvironment, hogctl, start, startService } from './built-program.ts';

describe('the built program', { timeout: 60_000 }, () => {
  it.each(['--version', '-V'])('tells its version with %s', async (word) => {
    const { code, stdout, stderr } = await hogctl([word], cleanEnvironment());
    expect({ code, stdout: String(stdout), stderr }).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    ['no words', [], 0, 'stdout'],
    ['--help', ['--help'], 0, 'stdout'],
    ['help persons list', ['help', 'persons', 'list'], 0, 'stdout'],
    ['a noun alone', ['persons'], 2, 'stderr'],
    ['an unknown command', ['nope'], 2, 'stderr'],
    ['an unknown option', ['persons', 'list', '--nope'], 2, 'stderr'],
    ['nothing configured', ['persons', 'list'], 2, 'stderr'],
  ] as const)('answers %s with its exit code, on one stream', async (_, words, code, stream) => {
    const ended = await hogctl(words, cleanEnvironment());
    expect(ended.code).toBe(code);
    const silent = stream === 'stdout' ? ended.stderr : String(ended.stdout);
    expect(silent).toBe('');
    expect(String(ended[stream])).not.toBe('');
  });

  // What the build wrote down, and what the program itself says as soon as there is another option.
  it.each([
    [[], '--help'],
    [['persons'], '-h'],
    [['persons', 'get'], '--help'],
  ] as const)('shows the help of %j at once as it does later', async (words, word) => {
    const [written, said] = await Promise.all([
      hogctl([...words, word], cleanEnvironment()),
      hogctl([...words, '--no-color', word], cleanEnvironment()),
    ]);
    expect(written).toEqual(said);
    expect(written.code).toBe(0);
  });

  it('shows rare options with help, at once as it does later', async () => {
    const words = ['help', 'persons', 'bulk-delete'];
    const [written, said] = await Promise.all([
      hogctl(words, cleanEnvironment()),
      hogctl([...words, '--color=never'], cleanEnvironment()),
    ]);
    expect(written).toEqual(said);
    expect(String(written.stdout)).toContain('--batch-size');
  });

  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  it.skipIf(major < 22 || (major === 22 && minor < 18))('has sources that run as they stand', async () => {
    const { environment } = await startService([{ json: { id: 1 } }]);
    const sources = join(import.meta.dirname, '../../src/main.ts');
    const line = [process.execPath, sources, 'persons', 'get', '1', '-o', 'json'] as const;
    const { code, stdout, stderr } = await start(line, environment).ended;
    expect({ code, stderr, ...JSON.parse(String(stdout)) }).toEqual({ code: 0, stderr: '', id: 1 });
  });

  it.each([
    [200, 0],
    [400, 5],
    [401, 4],
    [403, 4],
    [404, 3],
    [409, 5],
    [503, 6],
  ])('ends an answer %i with exit code %i', async (status, code) => {
    const { environment } = await startService([() => ({ status, json: { id: 1, detail: 'Something.' } })]);
    const ended = await hogctl(['persons', 'get', '1', '--retries', '0', '-o', 'json'], environment);
    expect(ended.code).toBe(code);
    expect(ended.signal).toBe(null);
    if (code > 0) expect(JSON.parse(ended.stderr).error.exit_code).toBe(code);
  });

  it('works without a home, with everything from the environment', async () => {
    const { environment } = await startService([{ json: { id: 1 } }]);
    const { HOME: _, ...homeless } = environment;
    const ended = await hogctl(['persons', 'get', '1', '-o', 'json'], homeless);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
  });

  // The second cannot be made by anybody, since it lies below what is not a directory.
  it.each(['/dev/null', '/dev/null/at/all'])('works with %s for a home', async (home) => {
    const { environment } = await startService([{ json: { id: 1 } }]);
    const ended = await hogctl(['persons', 'get', '1', '-o', 'json'], { ...environment, HOME: home });
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('shows nothing of Node, whatever NODE_DEBUG says of the key', async () => {
    const { environment } = await startService([{ status: 401 }]);
    const variables = { ...environment, DEBUG: '*', NODE_DEBUG: 'http,net,tls,undici' };
    const ended = await hogctl(['persons', 'get', '1', '--debug'], variables);
    expect(ended.code).toBe(4);
    const key = environment.HOGCTL_API_KEY ?? '';
    for (const secret of [key, Buffer.from(key).toString('base64')]) {
      expect(String(ended.stdout) + ended.stderr).not.toContain(secret);
    }
  });
});
