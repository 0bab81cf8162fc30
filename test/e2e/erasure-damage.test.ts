import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { startWithPeople, temporaryDirectory } from '../support/service.ts';

const ids = ['secret_1', 'secret_2', 'secret_3', 'secret_4'];
const deletion = `persons bulk-delete --distinct-ids ${ids.join(',')} --batch-size 2 --yes`;
const at = (bytes: Buffer, share: number) => Math.min(bytes.length - 1, Math.floor(bytes.length * share));

/** What disks, copies and crashes do to a file. */
const damages: Readonly<Record<string, (bytes: Buffer, share: number) => Buffer | undefined>> = {
  flipped: (bytes, share) =>
    bytes.map((byte, index) => (index === at(bytes, share) ? byte ^ 0x10 : byte)) as Buffer,
  cut: (bytes, share) => bytes.subarray(0, at(bytes, share)),
  doubled: (bytes) => Buffer.concat([bytes, bytes]),
  zeroed: (bytes, share) => Buffer.concat([bytes.subarray(0, at(bytes, share)), Buffer.alloc(bytes.length)]),
  empty: () => Buffer.alloc(0),
  missing: () => undefined,
};

/** Where in the file it is damaged; what befalls the whole file is tried once. */
const damagedAt = (how: string) => (['flipped', 'cut', 'zeroed'].includes(how) ? [0, 0.4, 0.99] : [0]);

/** A run of which the second batch was refused, and each half of it, a lock that was left, and a run beside it that nothing happens to. */
async function startDamage() {
  let calls = 0;
  const service = await startWithPeople([
    (received) => {
      if (received.method === 'GET') return { json: { next: null, results: [] } };
      calls += 1;
      return calls > 1 && calls < 5 ? { status: 400 } : allDeleted(received);
    },
  ]);
  expect(await service.hogctl(`${deletion} --retries 0`)).toMatchObject({ code: 8 });
  expect(await service.hogctl('persons bulk-delete 17 --plan-only --yes')).toMatchObject({ code: 0 });
  const [run = '', other = ''] = runsOf(service);
  writeFileSync(
    join(run, 'lock-1'),
    JSON.stringify({ pid: 1, began: 1, uptime: 1, host: 'gone', boot: null, at: '2026' }),
  );
  const whole = join(temporaryDirectory(), 'whole');
  cpSync(run, whole, { recursive: true });
  const restore = () => {
    rmSync(run, { recursive: true });
    cpSync(whole, run, { recursive: true });
  };
  return { ...service, run, other, restore, sent: service.log.length };
}

const names = ['check-key', 'ids', 'journal.ndjson', 'lock-1', 'mac', 'members.ndjson', 'plan.json'];

describe.each(names)('the file %s of a run', (name) => {
  it.each(Object.keys(damages))(
    'is told of when it is %s, without its content, by every command',
    async (how) => {
      const { hogctl, run, other, restore, log } = await startDamage();
      expect(readdirSync(run).sort()).toEqual(names);
      const id = run.split('/').at(-1) ?? '';
      const commands = ['check', 'show', 'report', 'verify', 'resume --yes', 'resume --take-over --yes'];
      for (const share of damagedAt(how)) {
        for (const command of commands) {
          restore();
          const bytes = damages[how]?.(readFileSync(join(run, name)), share);
          rmSync(join(run, name));
          if (bytes !== undefined) writeFileSync(join(run, name), bytes);
          const before = log.length;
          const [verb = '', ...options] = command.split(' ');
          const { code, stdout, stderr } = await hogctl(['runs', verb, id, ...options]);
          const told = `${command} at ${share}: ${code} ${stderr}`;
          expect(code, told).not.toBe(1);
          expect(stdout + stderr, told).not.toMatch(/secret_|Unexpected token/);
          const sentIds = log
            .slice(before)
            .filter(({ method }) => method === 'POST')
            .flatMap(idsOf);
          expect(['1', '2', '3', '4'], told).toEqual(expect.arrayContaining(sentIds));
          // The first command leaves what was damaged as it is, the last one may have written beside it.
          if (command !== commands[0] && command !== commands.at(-1)) continue;
          const list = await hogctl('runs list -o json');
          const rows: unknown = JSON.parse(list.stdout);
          expect(list.code, told).toBe(0);
          expect(rows, told).toContainEqual(
            expect.objectContaining({ directory: other, project: '1', ids: 1 }),
          );
        }
      }
    },
  );
});

it('a run directory that is none, or a file, hides no other run', async () => {
  const { hogctl, environment } = await startWithPeople([]);
  await hogctl('persons bulk-delete 17 --plan-only --yes');
  const runs = join(environment.HOGCTL_STATE_DIR ?? '', 'runs');
  mkdirSync(join(runs, 'empty'));
  mkdirSync(join(runs, 'odd', 'plan.json'), { recursive: true });
  mkdirSync(join(runs, 'odder', 'journal.ndjson'), { recursive: true });
  writeFileSync(join(runs, 'odder', 'plan.json'), '{}');
  writeFileSync(join(runs, 'a-file'), '');
  const { code, stdout } = await hogctl('runs list -o json');
  expect([code, (JSON.parse(stdout) as readonly unknown[]).length]).toEqual([0, 4]);
  for (const name of ['empty', 'odd', 'odder']) {
    for (const verb of ['check', 'show', 'report', 'resume']) {
      const { code, stderr } = await hogctl(['runs', verb, name, ...(verb === 'resume' ? ['--yes'] : [])]);
      expect(code, `${verb} ${name}: ${stderr}`).not.toBe(1);
    }
  }
});

it.each(['show', 'verify', 'resume', 'report', 'prune --yes', 'check'])(
  'the newest run stays the last without its plan: runs %s',
  async (words) => {
    const service = await startWithPeople([allDeleted]);
    for (const id of [17, 18]) await service.hogctl(`persons bulk-delete ${id} --plan-only --yes`);
    const [, newest = ''] = runsOf(service);
    rmSync(join(newest, 'plan.json'));
    const { code, stderr } = await service.hogctl(`runs ${words.replace(/^\w+/, '$& last')}`);
    expect([code, stderr]).toEqual([9, expect.stringContaining('plan.json is missing')]);
    expect(service.log).toEqual([]);
  },
);
