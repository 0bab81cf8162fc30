import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, numbered } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { BINARY, hogctl, start, startServiceWithPeople, temporaryDirectory } from './built-program.ts';

const ids = numbered(100, '');
const words = ['persons', 'bulk-delete', '--ids', ids.join(','), '--batch-size', '10', '--yes'];

/** Milliseconds that an answer takes, by the end of which a signal has been heeded also on a busy computer. */
const SLOW = 1500;

/** A service that is slow with its fourth call, or never answers it. */
async function slowService({ never = false } = {}) {
  let calls = 0;
  let arrive = () => {};
  const fourth = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const service = await startServiceWithPeople([
    (received) => {
      calls += 1;
      if (calls !== 4) return allDeleted(received);
      arrive();
      return never ? { never: true } : { ...allDeleted(received), delay: SLOW };
    },
  ]);
  const environment = { ...service.environment, HOGCTL_STATE_DIR: temporaryDirectory() };
  return { ...service, environment, fourth };
}

/** A service that asks to come back in a minute from its fourth call on, and later takes everything. */
async function busyService() {
  const busy = { isBusy: true };
  let calls = 0;
  const service = await startServiceWithPeople([
    (received) => {
      calls += 1;
      if (calls < 4 || !busy.isBusy) return allDeleted(received);
      if (calls === 4) return { status: 429, headers: { 'retry-after': '60' } };
      return { ...allDeleted(received), delay: SLOW };
    },
  ]);
  return {
    ...service,
    busy,
    environment: { ...service.environment, HOGCTL_STATE_DIR: temporaryDirectory() },
  };
}

describe('a signal while ids are read', { timeout: 30_000 }, () => {
  it('ends the command though the pipe stays open', async () => {
    const environment = {
      ...(await startServiceWithPeople([])).environment,
      HOGCTL_STATE_DIR: temporaryDirectory(),
    };
    const reading = ['persons', 'bulk-delete', '--from', '-', '--as', 'distinct-ids', '--dry-run'];
    const { child, ended } = start([process.execPath, BINARY, ...reading], environment, { stdin: 'pipe' });
    // More than a pipe holds, so that it is being read by then.
    child.stdin?.write('u\n'.repeat(1_000_000), () => child.kill('SIGTERM'));
    expect((await ended).code).toBe(143);
  });
});

describe.skipIf(process.platform === 'win32')('a named pipe', { timeout: 30_000 }, () => {
  const pipeWords = ['persons', 'bulk-delete', '--as', 'distinct-ids', '--dry-run', '--from'];
  const prepare = async () => {
    const pipe = join(temporaryDirectory(), 'pipe');
    spawnSync('mkfifo', [pipe]);
    const environment = {
      ...(await startServiceWithPeople([])).environment,
      HOGCTL_STATE_DIR: temporaryDirectory(),
    };
    return { pipe, environment, reading: [process.execPath, BINARY, ...pipeWords, pipe] as const };
  };

  it('that somebody holds open without writing ends with a signal', async () => {
    const { pipe, environment, reading } = await prepare();
    const { child, ended } = start(reading, environment);
    // Its opening waits for a reader.
    const holder = start(['sh', '-c', `exec 3> ${pipe}; echo open; exec sleep 60`], environment);
    await holder.says('open');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
  });

  it('is read to its end', async () => {
    const { pipe, environment, reading } = await prepare();
    const { ended } = start(reading, environment);
    const writer = start(['sh', '-c', `printf 'user_1\\nuser_2\\n' > ${pipe}`], environment);
    expect(await writer.ended).toMatchObject({ code: 0 });
    expect((await ended).stdout.toString()).toContain('2 different ids: 2 distinct ids');
  });
});

describe('a signal while the service asks to wait', { timeout: 60_000 }, () => {
  it.each([
    [1, 'SIGINT', 130, 4],
    [1, 'SIGTERM', 143, 4],
    [2, 'SIGINT', 130, 10],
  ] as const)('with %i calls at a time, %s ends the wait at once', async (lanes, signal, code, done) => {
    const service = await busyService();
    const more = ['--concurrency', String(lanes)];
    const { child, ended, says } = start([process.execPath, BINARY, ...words, ...more], service.environment);
    await says('trying again in 60');
    child.kill(signal);
    const end = await ended;
    expect({ code: end.code, signal: end.signal }).toEqual({ code, signal: null });
    const counts = /(\d+) of 10 calls done, 0 in flight without an answer, (\d+) not sent/.exec(end.stderr);
    expect(Number(counts?.[1])).toBeGreaterThanOrEqual(3);
    expect(Number(counts?.[1])).toBeLessThan(done);
    expect(Number(counts?.[1]) + Number(counts?.[2])).toBe(10);
    service.busy.isBusy = false;
    const [run = ''] = runsOf(service);
    expect((await hogctl(['runs', 'resume', run, '--yes'], service.environment)).code).toBe(0);
    // The call that was told to wait comes again; no other does.
    expect(service.log).toHaveLength(11);
    expect(new Set(service.log.flatMap(idsOf))).toEqual(new Set(ids));
  });
});

describe('a signal during the fourth of ten calls', { timeout: 60_000 }, () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s sends no further call, says what is done, and ends with %i', async (signal, code) => {
    const service = await slowService();
    const { child, ended } = start([process.execPath, BINARY, ...words], service.environment);
    await service.fourth;
    child.kill(signal);
    const end = await ended;
    expect({ code: end.code, signal: end.signal }).toEqual({ code, signal: null });
    expect(service.log).toHaveLength(4);
    expect(end.stderr).toContain('4 of 10 calls done, 0 in flight without an answer, 6 not sent');
    expect(String(end.stdout)).toMatch(/^not sent +60$/m);
    const [, hint = ''] = /hint: hogctl (runs resume \S+) sends what is left/.exec(end.stderr) ?? [];
    expect((await hogctl([...hint.split(' '), '--yes'], service.environment)).code).toBe(0);
    expect(service.log.flatMap(idsOf)).toEqual(ids);
  });

  it('a second one stops at once, and resuming sends that call again', async () => {
    const service = await slowService({ never: true });
    const { child, ended } = start([process.execPath, BINARY, ...words], service.environment);
    await service.fourth;
    child.kill('SIGINT');
    // Two of a kind can arrive as one, and of these either may arrive first.
    child.kill('SIGTERM');
    const end = await ended;
    expect([130, 143]).toContain(end.code);
    expect(end.stderr).toContain('3 of 10 calls done, 1 in flight without an answer, 6 not sent');
    const [run = ''] = runsOf(service);
    expect(readdirSync(run).filter((name) => name.startsWith('lock'))).toEqual([]);
    expect((await hogctl(['runs', 'resume', run, '--yes'], service.environment)).code).toBe(0);
    expect(service.log.flatMap(idsOf)).toEqual([...ids.slice(0, 40), ...ids.slice(30)]);
    const report = await hogctl(['runs', 'report', join(run)], service.environment);
    const calls = String(report.stdout).matchAll(/^\| 4 \| (\d) \| 10 \| (\w+) /gm);
    expect([...calls].map(([, call, state]) => [call, state])).toEqual([
      ['1', 'unknown'],
      ['2', 'answered'],
    ]);
  });
});

describe.skipIf(process.platform !== 'linux')('a signal that was ignored before', { timeout: 60_000 }, () => {
  const line = `hogctl ${words.join(' ')} & echo "pid $!"; wait $!`;
  it.each([
    ['SIGHUP', 'nohup', `nohup ${line}`],
    ['SIGHUP', 'trap', `trap '' HUP; ${line}`],
    ['SIGINT', 'trap', `trap '' INT; ${line}`],
  ] as const)('%s stays ignored after %s', async (signal, _, script) => {
    const service = await slowService();
    const { ended, says, said } = start(['bash', '-c', script], service.environment);
    await says('pid ');
    const pid = Number(/pid (\d+)/.exec(said())?.[1]);
    await service.fourth;
    process.kill(pid, signal);
    expect((await ended).code).toBe(0);
    expect(service.log.flatMap(idsOf)).toEqual(ids);
  });

  it('a program that only waits for it, and ignores the signal meanwhile, does not ignore it for it', async () => {
    const service = await slowService();
    const script = `$SIG{INT} = 'IGNORE'; $pid = fork // die; if ($pid == 0) { $SIG{INT} = 'DEFAULT'; exec @ARGV } $| = 1; print "pid $pid\n"; waitpid $pid, 0; exit $? >> 8`;
    const { ended, says, said } = start(
      ['perl', '-e', script, process.execPath, BINARY, ...words],
      service.environment,
    );
    await says('pid ');
    const pid = Number(/pid (\d+)/.exec(said())?.[1]);
    await service.fourth;
    process.kill(pid, 'SIGINT');
    expect((await ended).code).toBe(130);
  });
});
