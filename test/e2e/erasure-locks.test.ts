import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, type Setting, sandboxEnvironment } from '../support/run-program.ts';
import { runsOf } from '../support/runs-of.ts';
import { temporaryDirectory } from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';

const THURSDAY = Date.parse('2026-06-18T12:00:00Z');
const data = {
  persons: ['ana', 'bo'].map((name) => ({
    distinct_ids: [name],
    properties: { email: `${name}@example.org` },
  })),
  events: [],
};

/** A sandbox, and the program pointed at it; a minute passes from command to command. */
async function startErasing() {
  const sandbox = await borrowSandbox({ dialect: 'live', now: new Date(THURSDAY).toISOString(), data });
  onTestFinished(() => sandbox.stop());
  const environment = { ...sandboxEnvironment(sandbox, 'live'), HOGCTL_STATE_DIR: temporaryDirectory() };
  let minute = 0;
  const hogctl = (line: string, setting: Setting = {}) => {
    minute += 1;
    const now = THURSDAY + minute * 60_000;
    return runProgram(splitWords(line), { now: () => now, environment, ...setting });
  };
  const runs = () => runsOf({ environment });
  return {
    hogctl,
    runs,
    people: async () => JSON.parse((await hogctl('persons list -o json')).stdout).length,
    states: async () =>
      JSON.parse((await hogctl('runs list -o json')).stdout).map(({ state }: { state: string }) => state),
    journal: () => readFileSync(join(runs()[0] ?? '', 'journal.ndjson'), 'utf8'),
    locks: () => readdirSync(runs()[0] ?? '').filter((name) => /^(?:lock|claim)/.test(name)),
    /** What a process of another host left there, which nothing here can tell of. */
    leaveLock: (minutes: number, more: object = {}) => {
      const at = new Date(THURSDAY + minutes * 60_000).toISOString();
      const holder = { pid: 7, began: 1, host: 'elsewhere', boot: null, namespace: null, at, ...more };
      const [run] = runs();
      if (run === undefined) throw new Error('there is no run to lock');
      writeFileSync(join(run, 'lock-1'), JSON.stringify(holder));
    },
  };
}

const erase = 'persons bulk-delete --distinct-ids ana,bo --yes';

describe('a run that another host works on', () => {
  it('is taken over only when somebody says so, which the journal tells', async () => {
    const { hogctl, leaveLock, journal, people } = await startErasing();
    await hogctl(`${erase} --plan-only`);
    leaveLock(2);
    const refused = await hogctl('runs resume 2026 --yes');
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('--take-over') });
    const declined = await hogctl('runs resume 2026 --take-over', { answers: ['n'] });
    expect(declined).toMatchObject({ code: 7, stderr: expect.stringContaining('process 7 on elsewhere') });
    const before = journal();
    expect(await hogctl('runs resume 2026 --take-over --dry-run')).toMatchObject({ code: 5 });
    expect([journal(), await people()]).toEqual([before, 2]);
    expect(await hogctl('runs resume 2026 --take-over --yes')).toMatchObject({ code: 0 });
    expect(journal()).toMatch(/"type":"taken-over","pid":7,"host":"elsewhere"/);
    expect(await hogctl('runs check 2026')).toMatchObject({ code: 0 });
  });

  it('is free for good once it was taken over', async () => {
    const { hogctl, leaveLock, states, locks } = await startErasing();
    await hogctl(`${erase} --plan-only`);
    leaveLock(2);
    expect(await states()).toEqual(['at work']);
    expect(await hogctl('runs resume 2026 --take-over --yes')).toMatchObject({ code: 0 });
    expect([await states(), locks()]).toEqual([['done'], []]);
    expect(await hogctl('runs verify --due')).toMatchObject({ code: 0 });
    expect(await hogctl('runs verify 2026')).toMatchObject({ code: 0 });
  });

  it('is verified when somebody says that the process is gone', async () => {
    const { hogctl, leaveLock, locks } = await startErasing();
    expect(await hogctl(erase)).toMatchObject({ code: 0 });
    leaveLock(9);
    const refused = await hogctl('runs verify last');
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('process works on this run') });
    expect(refused.stderr).toContain('add --take-over to hogctl runs resume or runs verify');
    const declined = await hogctl('runs verify last --take-over', { answers: ['n'] });
    expect(declined).toMatchObject({ code: 7 });
    expect(await hogctl('runs verify last --take-over --yes')).toMatchObject({ code: 0 });
    expect([await hogctl('runs check last'), locks()]).toMatchObject([{ code: 0 }, []]);
  });

  it('is taken over one at a time', async () => {
    const { hogctl } = await startErasing();
    const { code, stderr } = await hogctl('runs verify --due --take-over --yes');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--take-over is about one run')]);
  });
});

describe('a lock whose process wrote down that it had sent all', () => {
  it('counts for nothing', async () => {
    const { hogctl, leaveLock, states, locks, journal } = await startErasing();
    expect(await hogctl(erase)).toMatchObject({ code: 0 });
    leaveLock(0);
    expect(await states()).toEqual(['done']);
    expect(await hogctl('runs verify last --take-over', { answers: [] })).toMatchObject({ code: 0 });
    expect(journal()).not.toContain('taken-over');
    expect(locks()).toEqual([]);
  });

  it('holds where it was taken later, as to verify', async () => {
    const { hogctl, leaveLock, states } = await startErasing();
    expect(await hogctl(erase)).toMatchObject({ code: 0 });
    leaveLock(9);
    expect(await states()).toEqual(['at work']);
    expect(await hogctl('runs verify last')).toMatchObject({ code: 5 });
  });

  it('holds where something is left to send', async () => {
    const { hogctl, leaveLock } = await startErasing();
    expect(await hogctl(`${erase} --plan-only`)).toMatchObject({ code: 0 });
    leaveLock(0);
    expect(await hogctl('runs resume 2026 --yes')).toMatchObject({ code: 5 });
  });
});
