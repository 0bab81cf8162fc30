import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allDeleted, idsOf } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { BINARY, hogctl, start, startServiceWithPeople, temporaryDirectory } from './built-program.ts';

/** A process like that of another container: the same host, with pids of its own. */
const elsewhere = ['unshare', '-p', '-f', '--mount-proc', '--kill-child'] as const;
const [program, ...options] = elsewhere;
const canUnshare = process.platform === 'linux' && spawnSync(program, [...options, 'true']).status === 0;

test.skipIf(!canUnshare)(
  'two containers never write into one run, and one takes over when told so',
  {
    timeout: 60_000,
  },
  async () => {
    const arrived = new EventTarget();
    const { environment: clean, log } = await startServiceWithPeople([
      { on: /^POST/, never: true, work: () => arrived.dispatchEvent(new Event('call')) },
      allDeleted,
    ]);
    const environment = { ...clean, HOGCTL_STATE_DIR: temporaryDirectory() };
    const ids = Array.from({ length: 10 }, (_, index) => String(index + 1));
    const plan = ['--ids', ids.join(','), '--batch-size', '1', '--plan-only'];
    expect(await hogctl(['persons', 'bulk-delete', ...plan, '--yes'], environment)).toMatchObject({
      code: 0,
    });
    const [run = ''] = runsOf({ environment });
    const resume = ['runs', 'resume', run, '--yes'];
    const called = once(arrived, 'call');
    const first = start([...elsewhere, process.execPath, BINARY, ...resume], environment);
    await called;
    const others = [
      await hogctl(resume, environment),
      await start([...elsewhere, process.execPath, BINARY, ...resume], environment).ended,
    ];
    for (const { code, stderr } of others)
      expect([code, stderr]).toEqual([5, expect.stringContaining('--take-over')]);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(await hogctl(resume, environment)).toMatchObject({ code: 5 });
    expect(log.flatMap(idsOf)).toEqual(['1']);
    expect(await hogctl([...resume, '--take-over'], environment)).toMatchObject({ code: 0 });
    // The answer to the first was lost, so that it goes once more, and the others once.
    expect(log.flatMap(idsOf)).toEqual(['1', ...ids]);
    expect(readdirSync(run).filter((name) => name.startsWith('lock'))).toEqual([]);
    expect(await hogctl(['runs', 'check', run], environment)).toMatchObject({ code: 0 });
  },
);
