import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listOf, people } from '../support/service.ts';
import {
  BINARY,
  cleanEnvironment,
  hogctl,
  shell,
  start,
  startService,
  temporaryDirectory,
} from './built-program.ts';

const patience = { timeout: 60_000 };
const pages = (count: number) => Array.from({ length: count }, (_, index) => people(1000, index * 1000 + 1));

/** A list whose third page never comes, and what waits until it is asked for. */
async function stuckList() {
  let arrive = () => {};
  const third = { on: /cursor=2$/, never: true, times: 9, work: () => arrive() } as const;
  const arrives = () =>
    new Promise<void>((resolve) => {
      arrive = resolve;
    });
  return { ...(await startService([third, ...listOf(pages(5))])), arrives };
}

describe('--save is complete or nothing', patience, () => {
  it.each([
    ['SIGINT', 130, []],
    ['SIGTERM', 143, []],
  ] as const)('leaves nothing after %s in the middle', async (signal, code, left) => {
    const service = await stuckList();
    const directory = temporaryDirectory();
    const words = ['persons', 'list', '--all', '-o', 'csv', '--save', join(directory, 'people.csv')];
    const arrived = service.arrives();
    const { child, ended } = start([process.execPath, BINARY, ...words], service.environment);
    await arrived;
    child.kill(signal);
    expect((await ended).code).toBe(code);
    expect(readdirSync(directory)).toEqual(left);
  });

  it('leaves no file of that name, and an older one alone, after SIGKILL', async () => {
    const service = await stuckList();
    const directory = temporaryDirectory();
    const [fresh, older] = [join(directory, 'fresh.csv'), join(directory, 'older.csv')];
    writeFileSync(older, 'older');
    for (const file of [fresh, older]) {
      const arrived = service.arrives();
      const { child, ended } = start(
        [process.execPath, BINARY, 'persons', 'list', '--all', '--save', file],
        service.environment,
      );
      await arrived;
      child.kill('SIGKILL');
      await ended;
    }
    expect(existsSync(fresh)).toBe(false);
    expect(readFileSync(older, 'utf8')).toBe('older');
  });

  it('says that the disk is full, and leaves nothing on it', async (context) => {
    const disk = join(temporaryDirectory(), 'disk');
    mkdirSync(disk);
    const mounted = spawnSync('/bin/sh', ['-c', `mount -t tmpfs -o size=64k tmpfs '${disk}'`]);
    context.skip(mounted.status !== 0, 'no file system may be mounted here');
    onTestFinished(() => void spawnSync('/bin/sh', ['-c', `umount -l '${disk}'`]));
    const { environment } = await startService(listOf(pages(3)));
    const file = join(disk, 'people.csv');
    writeFileSync(file, 'older');
    const { code, stderr } = await hogctl(
      ['persons', 'list', '--all', '-o', 'csv', '--save', file],
      environment,
    );
    expect(code).toBe(6);
    expect(stderr).toContain(`cannot write ${file}: the disk is full`);
    expect(readdirSync(disk)).toEqual(['people.csv']);
    expect(readFileSync(file, 'utf8')).toBe('older');
  });

  it.skipIf(!existsSync('/dev/full'))('says that the device behind stdout or --save is full', async () => {
    const { environment } = await startService([{ json: { next: null, results: people(3) }, times: 9 }]);
    for (const ending of ['> /dev/full', '--save /dev/full']) {
      const { code, stderr } = await shell(`hogctl persons list -o csv ${ending}`, environment);
      expect([ending, code]).toEqual([ending, 6]);
      expect(stderr).toContain('the disk is full');
      expect(stderr).not.toContain('unexpected');
    }
  });

  it('refuses a directory that is not there before anything is sent', async () => {
    const { environment, log } = await startService([{ json: { next: null, results: [] } }]);
    const file = join(temporaryDirectory(), 'nowhere', 'people.csv');
    const { code, stderr } = await hogctl(['persons', 'list', '--save', file], environment);
    expect(code).toBe(2);
    expect(stderr).toContain(`cannot write ${file}`);
    expect(log).toEqual([]);
  });

  it('refuses what is neither a file nor a device, and what became a directory meanwhile', async () => {
    const directory = temporaryDirectory();
    const socket = join(directory, 'socket');
    // By a short name, as the path of a socket may have a hundred characters only.
    const script = "require('node:net').createServer().listen('socket', () => console.log('open'))";
    const line = ['sh', '-c', 'cd "$1" && exec "$0" -e "$2"', process.execPath, directory, script] as const;
    await start(line, cleanEnvironment()).says('open');
    const target = join(directory, 'people.csv');
    const { environment } = await startService([
      { json: { next: null, results: people(1) }, work: () => mkdirSync(target) },
    ]);
    const toSocket = await hogctl(['persons', 'list', '--save', socket], environment);
    expect(toSocket.code).toBe(2);
    expect(toSocket.stderr).toContain(`cannot write ${socket}`);
    const toDirectory = await hogctl(['persons', 'list', '--save', target], environment);
    expect(toDirectory.code).toBe(6);
    expect(toDirectory.stderr).toContain(`cannot write ${target}: it is a directory`);
    expect(readdirSync(directory).sort()).toEqual(['people.csv', 'socket']);
  });

  it('keeps the permissions of the file that it replaces, and follows its link', async () => {
    const { environment } = await startService([{ json: { next: null, results: people(1) }, times: 9 }]);
    const directory = temporaryDirectory();
    const line = `cd '${directory}' && touch real && chmod 640 real && ln -s real link && hogctl persons list --save link && stat -c '%a %F' real link`;
    const { code, stdout } = await shell(line, environment);
    expect({ code, stdout: String(stdout) }).toEqual({
      code: 0,
      stdout: '640 regular file\n777 symbolic link\n',
    });
  });
});
