import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  findForeignHolder,
  isLocked,
  takeLock,
  useRunDirectory,
} from '../../../src/erasure/record/directory.ts';
import { startOf } from '../../../src/system/open-system.ts';
import { createClock, temporaryFolder } from './rehearsal.ts';

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function tools(pid: number = process.pid) {
  return { records: { owner: { pid, isAlive } }, now: createClock().now, random: Math.random };
}

function lockOf(folder: string, pid: number, more: object = {}): void {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const holder = { pid, began: 1, host: hostname(), boot, at: '2026-11-28T11:00:00.000Z', ...more };
  writeFileSync(join(folder, 'lock-1'), JSON.stringify(holder));
}

const locks = (folder: string) => readdirSync(folder).sort();

test('a second taker is refused and told who holds it; after the release it is free', () => {
  const directory = useRunDirectory(temporaryFolder());
  const release = takeLock(directory, tools());
  expect(() => takeLock(directory, tools())).toThrow(`another process works on this run: ${process.pid} on`);
  release();
  takeLock(directory, tools())();
  expect(locks(directory.path)).toEqual([]);
});

test('a living process of this machine keeps its lock, and loses it when it is killed', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const folder = temporaryFolder();
  lockOf(folder, child.pid ?? 0);
  const directory = useRunDirectory(folder);
  expect(() => takeLock(directory, tools())).toThrow(`${child.pid} on ${hostname()}, since 2026-11-28`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const release = takeLock(directory, tools());
  expect(locks(folder)).toEqual(['lock-2']);
  expect(() => takeLock(directory, tools())).toThrow('another process');
  release();
  expect(locks(folder)).toEqual([]);
});

test.each([
  ['another process has the pid by now', '2', ['lock-2']],
  ['it is the same process', '1', 'wait until it ends'],
  [
    'the system does not tell',
    undefined,
    `wait until it ends; if process ${process.ppid} is now another program`,
  ],
])('a lock whose pid is there: %s', (_, current, expected) => {
  const folder = temporaryFolder();
  lockOf(folder, process.ppid, current === undefined ? {} : { started: '1' });
  const { records, ...rest } = tools();
  const take = () =>
    takeLock(useRunDirectory(folder), {
      ...rest,
      records: { owner: { ...records.owner, startOf: () => current } },
    });
  if (typeof expected === 'string') {
    expect(take).toThrow(expect.objectContaining({ hint: expect.stringContaining(expected) }));
    return;
  }
  take();
  expect(locks(folder)).toEqual(expected);
  expect(JSON.parse(readFileSync(join(folder, 'lock-2'), 'utf8'))).toMatchObject({ started: '2' });
});

test('a process is told from a later one of the same pid by when the system says that it began', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const [own, other] = [startOf(process, process.pid), startOf(process, child.pid ?? 0)];
  expect(own).toMatch(/^\d+$/);
  expect(startOf(process, process.pid)).toBe(own);
  expect(Number(other)).toBeGreaterThan(Number(own));
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(startOf(process, child.pid ?? 0)).toBe(undefined);
  expect(startOf({ platform: 'win32' }, process.pid)).toBe(undefined);
});

test('a lock from before the machine or the container was started again is dead', () => {
  const restarted = temporaryFolder();
  lockOf(restarted, 1, { boot: 'another boot' });
  takeLock(useRunDirectory(restarted), tools());
  const container = temporaryFolder();
  lockOf(container, process.pid);
  takeLock(useRunDirectory(container), tools());
});

test('a lock from before the machine was up is dead, also where the system has no name for its starts', () => {
  const folder = temporaryFolder();
  lockOf(folder, process.ppid, { boot: null, uptime: uptime() - 1 });
  const directory = useRunDirectory(folder);
  expect(() => takeLock(directory, tools())).toThrow('another process works on this run');
  lockOf(folder, process.ppid, { boot: null, uptime: uptime() + 3600 });
  takeLock(directory, tools());
  expect(locks(folder)).toEqual(['lock-2']);
});

test('a lock of another host holds, since nobody here can tell', () => {
  const folder = temporaryFolder();
  lockOf(folder, 999_999_999, { host: 'elsewhere' });
  expect(() => takeLock(useRunDirectory(folder), tools())).toThrow('999999999 on elsewhere');
});

test.each([{ host: 'elsewhere' }, { namespace: 'pid:[1]' }])(
  'a lock of %j is taken over when somebody says so',
  (more) => {
    const folder = temporaryFolder();
    lockOf(folder, process.pid, more);
    const directory = useRunDirectory(folder);
    expect(() => takeLock(directory, tools())).toThrow('another process');
    const takeOver = findForeignHolder(directory, tools().records.owner);
    expect(takeOver).toMatchObject({ pid: process.pid, host: expect.any(String) });
    const other = { ...tools(), takeOver: { pid: 1, began: 1, host: 'elsewhere', boot: null } };
    expect(() => takeLock(directory, other)).toThrow('another process');
    takeLock(directory, { ...tools(), takeOver });
    expect(locks(folder)).toEqual(['lock-2']);
    // Its owner lives here, and nobody can say that it is gone.
    expect(findForeignHolder(directory, tools().records.owner)).toBe(undefined);
    expect(() => takeLock(directory, { ...tools(), takeOver })).toThrow('another process');
  },
);

test('a lock of another pid namespace of this host holds, even with the same pid', () => {
  const folder = temporaryFolder();
  lockOf(folder, process.pid, { namespace: 'pid:[1]' });
  expect(() => takeLock(useRunDirectory(folder), tools())).toThrow('another process works on this run');
  const here = temporaryFolder();
  lockOf(here, process.pid, { namespace: readlinkSync('/proc/self/ns/pid') });
  takeLock(useRunDirectory(here), tools());
});

test.each(['', 'null', '{"pid":', '[]', '{"pid":"1"}'])('a damaged lock (%j) holds and is named', (text) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'lock-1'), text);
  const directory = useRunDirectory(folder);
  expect(() => takeLock(directory, tools())).toThrow('lock-1 of this run cannot be read');
  expect(isLocked(directory, tools().records.owner)).toBe(true);
});

test.each(['lock-01', 'lock-9007199254740993', 'lock-99999999999999999999999'])('%s is no lock', (name) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), '{}');
  takeLock(useRunDirectory(folder), tools())();
  expect(locks(folder)).toEqual([name]);
});

test('a lock that is a dangling link does not loop', () => {
  const folder = temporaryFolder();
  symlinkSync(join(folder, 'nothing'), join(folder, 'lock-1'));
  expect(() => takeLock(useRunDirectory(folder), tools())).toThrow('lock-1 of this run cannot be read');
});
