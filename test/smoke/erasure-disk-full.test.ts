import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { digestOf } from '../../src/erasure/record/digest.ts';
import { createMemberOf } from '../../src/erasure/record/members.ts';
import { allDeleted, idsOf, numbered, uuid } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { hogctl, shell, startService, startServiceWithPeople, temporaryDirectory } from './built-program.ts';

const ids = numbered(400, '');
const words = ['--yes', '--batch-size', '4'];

/** A disk of that many bytes in memory, or nothing where this user may not mount one. */
function mountSmallDisk(bytes: number): string | undefined {
  const path = join(temporaryDirectory(), 'disk');
  mkdirSync(path);
  const { status } = spawnSync('/bin/sh', ['-c', `mount -t tmpfs -o size=${bytes},mode=700 tmpfs '${path}'`]);
  if (status !== 0) return undefined;
  onTestFinished(() => {
    spawnSync('/bin/sh', ['-c', `umount -l '${path}'`]);
  });
  return path;
}

function fill(path: string, left: number): string {
  const { bavail, bsize } = statfsSync(path);
  const file = join(path, 'filling');
  writeFileSync(file, Buffer.alloc(bavail * bsize - left));
  return file;
}

/** A service that deletes all, and whose first answer finds the disk all but full; `filling` names what fills it. */
async function startFilling(disk: string) {
  let file = '';
  const service = await startServiceWithPeople([
    (received) => {
      if (file === '') file = fill(disk, 8192);
      return allDeleted(received);
    },
  ]);
  return { ...service, filling: () => file };
}

describe('a disk that is full', { timeout: 60_000 }, () => {
  it('stops the run before it sends what cannot be written down, and it goes on when there is room', async (test) => {
    const disk = mountSmallDisk(1 << 20);
    if (disk === undefined) return test.skip('no disk can be mounted here');
    const { environment, log, filling } = await startFilling(disk);
    const place = { ...environment, HOGCTL_STATE_DIR: disk };
    const file = join(temporaryDirectory(), 'ids.txt');
    writeFileSync(file, ids.join('\n'));
    const first = ['persons', 'bulk-delete', '--from', file, '--as', 'ids', ...words];
    const full = await hogctl(first, place);
    const [run = ''] = runsOf({ environment: place });
    const id = basename(run);
    expect(full.code).toBe(8);
    expect(full.stderr).toContain(
      `error: run ${id}: the journal of the run cannot be written (ENOSPC)\n` +
        `hint: nothing is sent that is not written down, so make room on the disk; then hogctl runs resume ${id} sends what is left\n`,
    );
    expect(log.length).toBeGreaterThan(3);
    expect(log.length).toBeLessThan(60);
    expectWrittenDown(run, log.map(idsOf));

    const early = await hogctl(['runs', 'resume', run, '--yes'], environment);
    expect([6, 8]).toContain(early.code);
    expect(early.stderr).toContain('(ENOSPC)');
    expect(early.stderr).toContain('make room on the disk');
    const before = log.length;
    rmSync(filling());
    const resumed = await hogctl(['runs', 'resume', run, '--yes'], environment);
    expect(resumed.code).toBe(0);
    expect([...new Set(log.flatMap(idsOf))]).toEqual(ids);
    expect(log.length).toBeLessThanOrEqual(ids.length / 4 + 2);
    expect(log.length).toBeGreaterThan(before);
    expectWrittenDown(run, log.map(idsOf));
    expect((await hogctl(['runs', 'check', run], environment)).code).toBe(0);
  });

  it('is told with the id of the run where it is kept in its usual place', async (test) => {
    const disk = mountSmallDisk(1 << 20);
    if (disk === undefined) return test.skip('no disk can be mounted here');
    const { environment, log, filling } = await startFilling(disk);
    const place = { ...environment, HOGCTL_STATE_DIR: disk };
    const full = await hogctl(
      ['persons', 'bulk-delete', '--ids', ids.join(','), ...words, '-o', 'json'],
      place,
    );
    expect(full.code).toBe(8);
    const [id = ''] = readdirSync(join(disk, 'runs'));
    const { error } = JSON.parse(full.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ kind: 'partial', exit_code: 8 });
    expect(error.message).toBe(`run ${id}: the journal of the run cannot be written (ENOSPC)`);
    expect(error.hint).toContain(`then hogctl runs resume ${id} sends what is left`);
    rmSync(filling());
    expect((await hogctl(['runs', 'resume', id, '--yes'], place)).code).toBe(0);
    expect([...new Set(log.flatMap(idsOf))]).toEqual(ids);
  });

  it('refuses a new run before anything is sent', async (test) => {
    const disk = mountSmallDisk(1 << 20);
    if (disk === undefined) return test.skip('no disk can be mounted here');
    fill(disk, 0);
    const { environment, log } = await startServiceWithPeople([allDeleted]);
    const end = await hogctl(['persons', 'bulk-delete', '1', '2', '--yes'], {
      ...environment,
      HOGCTL_STATE_DIR: disk,
    });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain('ENOSPC');
    expect(log).toEqual([]);
  });
});

function expectWrittenDown(run: string, sent: readonly (readonly string[])[]): void {
  const key = Buffer.from(readFileSync(join(run, 'check-key'), 'utf8').trim(), 'hex');
  const journal = readFileSync(join(run, 'journal.ndjson'), 'utf8');
  for (const some of sent)
    expect(journal).toContain(digestOf(some.map((id) => createMemberOf(key)('ids', uuid(Number(id))))));
}

describe.skipIf(!existsSync('/dev/full'))('an outcome that cannot be shown', { timeout: 60_000 }, () => {
  it.each([
    ['> /dev/full', 'cannot write to standard output: the disk is full'],
    ['> >(exec <&-)', 'the reader of standard output has gone'],
  ])('ends with 8 and names the run: %s', async (to, reason) => {
    const service = await startServiceWithPeople([allDeleted]);
    const line = `exec hogctl persons bulk-delete --ids 1 --yes ${to}`;
    const { code, stderr } = await shell(line, service.environment);
    const [, run = ''] = /^Run (\S+?)[.,] /m.exec(stderr) ?? [];
    expect(code).toBe(8);
    expect(stderr).toMatch(
      new RegExp(`error: the outcome was not shown: ${reason}\nhint: hogctl runs show ${run} shows it\n$`),
    );
    expect(service.log).toHaveLength(1);
  });

  it('ends with 8 after any other change', async () => {
    const { environment } = await startService([{ json: { id: 1, uuid: uuid(1) }, times: 9 }]);
    const { code, stderr } = await shell('hogctl persons update 1 --set a=b --yes > /dev/full', environment);
    expect(code).toBe(8);
    expect(stderr).toContain('the change was sent, but its answer was not shown');
  });
});
