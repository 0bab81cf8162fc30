import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasOtherUsers } from '../../support/other-users.ts';
import { fileHolding, modeOf, readIn, storedProject, storeIn, temporaryDirectory } from './store-fixture.ts';

const noWait = () => Promise.resolve();
const text = JSON.stringify({ projects: [storedProject('shop')], default: 'shop' });

describe.skipIf(process.platform === 'win32')('projects in a place that others can change', () => {
  it.each(['620', '602', '666'])('are not trusted if it is the file, mode %s', async (mode) => {
    const { directory, file } = fileHolding(text);
    chmodSync(file, Number.parseInt(mode, 8));
    const { projects, unreadable, distrusted } = readIn(directory);
    expect([projects, distrusted]).toEqual([[], true]);
    const others = [storeIn(directory).use('shop'), storeIn(directory).login(storedProject('blog'))];
    for (const change of others) await expect(change).rejects.toThrow('are not trusted');
    expect(modeOf(file)).toBe(mode);
    expect(unreadable).toMatchObject({
      kind: 'usage',
      message: `${file} can be changed by other users (mode ${mode}), so the projects stored there are not trusted`,
      hint: `check what is stored there, then run chmod 600 '${file}'`,
    });
  });

  it.each(['770', '777'])('are not trusted if it is the directory, mode %s', async (mode) => {
    const { directory } = fileHolding(text);
    chmodSync(directory, Number.parseInt(mode, 8));
    const store = storeIn(directory);
    const hint = `check what is stored there, then run chmod 700 '${directory}'`;
    expect(() => store.list()).toThrow(`${directory} can be changed by other users`);
    expect(readIn(directory).unreadable?.hint).toBe(hint);
    await expect(store.login(storedProject('blog'))).rejects.toMatchObject({ kind: 'usage', hint });
    chmodSync(directory, 0o700);
    expect(store.list().projects).toHaveLength(1);
  });

  it('are not trusted in a directory for all, which nobody is told to close', () => {
    const { directory } = fileHolding(text);
    chmodSync(directory, 0o1777);
    expect(readIn(directory).unreadable?.hint).toContain('set HOGCTL_CONFIG_DIR');
  });

  it('are not trusted if a new directory would have been theirs', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o777);
    await expect(storeIn(directory).login(storedProject('shop'))).rejects.toThrow(
      'can be changed by other users',
    );
    expect(existsSync(join(directory, 'config.json'))).toBe(false);
  });

  it('are looked at without waiting if somebody put a pipe there', () => {
    const { directory, file } = fileHolding('');
    rmSync(file);
    execFileSync('mkfifo', ['-m', '600', file]);
    expect(() => readIn(directory)).toThrow(`the configuration file ${file} is not a regular file`);
  });
});

describe.skipIf(!hasOtherUsers)('projects in a place of another user', () => {
  it('are not trusted, with a remedy that the reader can do', () => {
    const { directory, file } = fileHolding(text);
    chmodSync(file, 0o644);
    chmodSync(directory, 0o755);
    chownSync(file, 65_534, 65_534);
    const { projects, unreadable } = readIn(directory);
    expect(projects).toEqual([]);
    expect(unreadable).toMatchObject({
      message: `${file} belongs to another user (uid 65534), so the projects stored there are not trusted`,
      hint: 'set HOGCTL_CONFIG_DIR to a directory of your own, or give the key by HOGCTL_API_KEY',
    });
  });

  it('are trusted if it is root, as in a container', () => {
    const { directory, file } = fileHolding(text);
    chmodSync(file, 0o644);
    const viewer = { uid: 65_534, environment: {} };
    const { projects, warnings } = readIn(directory, viewer);
    expect(projects).toHaveLength(1);
    expect(warnings).toEqual([
      `${file} contains keys and is open to other users (mode 644), which only root can change`,
    ]);
  });

  it('are neither read nor made by root in the home of another user', async () => {
    const home = temporaryDirectory();
    chownSync(home, 65_534, 65_534);
    const directory = join(home, '.config', 'hogctl');
    const store = storeIn(directory, noWait, { uid: 0, environment: { HOME: home } });
    await expect(store.login(storedProject('shop'))).rejects.toMatchObject({
      kind: 'usage',
      message: `${directory} is in the home directory of another user, and root writes nothing there`,
    });
    expect(existsSync(dirname(directory))).toBe(false);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    chownSync(directory, 65_534, 65_534);
    expect(readIn(directory).projects).toEqual([]);
    expect(modeOf(directory)).toBe('700');
  });
});
