import { describe, expect, it } from 'vitest';
import { BINARY, start, startService, startServiceWithPeople } from './built-program.ts';
import { hasTerminal, onTerminal } from './pseudo-terminal.ts';

const patience = { timeout: 60_000 };

/** A service that leaves the first request open, and a promise that it has come. */
async function silentService() {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const service = await startService([{ never: true, times: 99, work: () => arrive() }]);
  return { ...service, arrived };
}

describe('a signal during a request', patience, () => {
  it.each([
    ['SIGINT', 130, 'persons list --all -o json'],
    ['SIGTERM', 143, 'persons list --all -o json'],
    ['SIGINT', 130, 'persons get 1'],
    ['SIGTERM', 143, 'persons get 1'],
    ['SIGINT', 130, 'persons update 1 --set a=b'],
    ['SIGTERM', 143, 'persons update 1 --set a=b'],
  ] as const)('%s ends with exit code %i: %s', async (signal, code, line) => {
    const service = await silentService();
    const { child, ended } = start([process.execPath, BINARY, ...line.split(' ')], service.environment);
    await service.arrived;
    child.kill(signal);
    const end = await ended;
    expect({ code: end.code, signal: end.signal, stdout: String(end.stdout) }).toEqual({
      code,
      signal: null,
      stdout: '',
    });
    expect(end.stderr).toMatch(/interrupted/);
    expect(end.stderr).not.toMatch(/\n {4}at /);
    expect(service.log).toHaveLength(1);
  });

  it.each([
    ['SIGINT', 130, 'persons get 1'],
    ['SIGTERM', 143, 'persons get 1'],
    ['SIGINT', 130, 'persons list --all -o json'],
    ['SIGINT', 130, 'persons export -o ndjson'],
    ['SIGINT', 130, 'persons bulk-delete --property email:exact=a@b.test --yes --max 5'],
  ] as const)(
    '%s during the wait before another try ends with exit code %i: %s',
    async (signal, code, line) => {
      const { environment, log } = await startService([
        { status: 429, headers: { 'retry-after': '30' }, times: 9 },
      ]);
      const { child, ended, says } = start([process.execPath, BINARY, ...line.split(' ')], environment);
      await says('trying again in');
      child.kill(signal);
      expect((await ended).code).toBe(code);
      expect(log).toHaveLength(1);
    },
  );

  it('says that the outcome of a write is unknown', async () => {
    const service = await silentService();
    const { child, ended } = start(
      [process.execPath, BINARY, 'persons', 'update', '1', '--set', 'a=b'],
      service.environment,
    );
    await service.arrived;
    child.kill('SIGINT');
    expect((await ended).stderr).toMatch(/unknown/);
  });
});

describe.skipIf(!hasTerminal)('a question on a terminal', patience, () => {
  it('ends with 130 on Ctrl-C, with nothing sent and the next line at its beginning', async () => {
    const { environment, log } = await startServiceWithPeople([{ status: 204 }]);
    const terminal = onTerminal('hogctl persons delete 42', environment);
    await terminal.says('Continue? [y/N] ');
    terminal.type('\u0003');
    const { code, stdout } = await terminal.ended;
    expect(code).toBe(130);
    expect(String(stdout)).toMatch(/\[y\/N\] \r\nerror: interrupted/);
    expect(log).toEqual([]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends on %s with exit code %i', async (signal, code) => {
    const { environment, log } = await startServiceWithPeople([{ status: 204 }]);
    const line = `bash -c 'echo pid=$$; exec hogctl persons delete 42'`;
    const terminal = onTerminal(line, environment);
    const shown: string[] = [];
    terminal.child.stdout?.on('data', (chunk) => shown.push(String(chunk)));
    await terminal.says('Continue? [y/N] ');
    process.kill(Number(/pid=(\d+)/.exec(shown.join(''))?.[1]), signal);
    expect((await terminal.ended).code).toBe(code);
    expect(log).toEqual([]);
  });

  it('ends with 7 on Ctrl-D', async () => {
    const { environment, log } = await startServiceWithPeople([{ status: 204 }]);
    const terminal = onTerminal('hogctl persons delete 42', environment);
    await terminal.says('Continue? [y/N] ');
    terminal.type('\u0004');
    expect((await terminal.ended).code).toBe(7);
    expect(log).toEqual([]);
  });

  it('deletes after a yes', async () => {
    const { environment, log } = await startServiceWithPeople([{ status: 204 }]);
    const terminal = onTerminal('hogctl persons delete 42', environment);
    await terminal.says('Continue? [y/N] ');
    terminal.type('y\r');
    expect((await terminal.ended).code).toBe(0);
    expect(log.map(({ method }) => method)).toEqual(['DELETE']);
  });

  it('does not show a key that is typed', async () => {
    const { environment, origin } = await startService([
      () => ({ status: 404, json: { code: 'not_found', detail: 'Endpoint not found.' } }),
    ]);
    const { HOGCTL_HOST, HOGCTL_PROJECT, HOGCTL_API_KEY, ...bare } = environment;
    const terminal = onTerminal(`hogctl auth login --host ${origin} --project 1 --name shop`, bare);
    await terminal.says('(not shown): ');
    terminal.type('phx_SECRETSECRET\r');
    const { code, stdout } = await terminal.ended;
    expect(code).toBe(0);
    expect(String(stdout)).toContain('Stored shop (1)');
    expect(String(stdout)).not.toContain('SECRET');
  });
});
