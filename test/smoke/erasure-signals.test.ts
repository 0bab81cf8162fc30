import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, numbered } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { BINARY, hogctl, isBuilt, start, startService, temporaryDirectory } from './built-program.ts';

const ids = numbered(100);
const words = ['persons', 'bulk-delete', '--distinct-ids', ids.join(','), '--batch-size', '10', '--yes'];

/** A service that is slow with its fourth call, or never answers it. */
async function slowService({ never = false } = {}) {
  let calls = 0;
  let arrive = () => {};
  const fourth = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const service = await startService([
    (received) => {
      calls += 1;
      if (calls !== 4) return allDeleted(received);
      arrive();
      return never ? { never: true } : { ...allDeleted(received), delay: 300 };
    },
  ]);
  const environment = { ...service.environment, HOGCTL_STATE_DIR: temporaryDirectory() };
  return { ...service, environment, fourth };
}

describe.skipIf(!isBuilt)('O-46 a signal during the fourth of ten calls', { timeout: 60_000 }, () => {
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
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(child.exitCode).toBeNull();
    child.kill('SIGINT');
    const end = await ended;
    expect(end.code).toBe(130);
    expect(end.stderr).toContain('3 of 10 calls done, 1 in flight without an answer, 6 not sent');
    const [run = ''] = runsOf(service);
    expect(readdirSync(run).filter((name) => name.startsWith('lock'))).toEqual([]);
    expect((await hogctl(['runs', 'resume', run, '--yes'], service.environment)).code).toBe(0);
    expect(service.log.flatMap(idsOf)).toEqual([...ids.slice(0, 40), ...ids.slice(30)]);
    const report = await hogctl(['runs', 'report', join(run)], service.environment);
    expect(String(report.stdout)).toContain('settled (answer lost once)');
  });
});
