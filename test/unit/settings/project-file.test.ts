import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProjectFile } from '../../../src/settings/project-file.ts';
import { tryLock } from '../../../src/system/lock.ts';
import {
  errorOf,
  fileHolding,
  modeOf,
  readIn,
  storedProject,
  storeIn,
  temporaryDirectory,
} from './store-fixture.ts';

describe('a place to store in', () => {
  it('has no projects where there is no file, and creates nothing by reading', () => {
    const directory = join(temporaryDirectory(), 'hogctl');
    expect(storeIn(directory).list()).toEqual({ directory, projects: [], warnings: [] });
    expect(existsSync(directory)).toBe(false);
  });

  it('has no projects without a home, and says so when asked to store one', async () => {
    const store = storeIn(undefined);
    expect(store.list().projects).toEqual([]);
    const error = await errorOf(() => store.login(storedProject('shop')));
    expect(error).toMatchObject({
      kind: 'usage',
      message: 'no home directory was found to store projects in',
    });
  });

  it('has no projects under a home that is not a directory, and says so when asked to store one', async () => {
    const store = storeIn('/dev/null/.config/hogctl');
    expect(store.list().projects).toEqual([]);
    const error = await errorOf(() => store.login(storedProject('shop')));
    expect(error).toMatchObject({
      kind: 'usage',
      message: 'cannot create /dev/null/.config/hogctl: a part of its path is not a directory',
    });
  });

  it('refuses a file in the place of the directory', async () => {
    const { file } = fileHolding('{}');
    const error = await errorOf(() => storeIn(file).login(storedProject('shop')));
    expect(error.message).toBe(`cannot create ${file}: a part of its path is not a directory`);
  });

  it('refuses a directory in the place of the file', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'config.json'));
    const store = storeIn(directory);
    const expected = `${directory}/config.json: it is a directory`;
    expect((await errorOf(() => store.list())).message).toBe(`cannot read ${expected}`);
    expect((await errorOf(() => store.login(storedProject('shop')))).message).toBe(`cannot read ${expected}`);
  });
});

describe('a configuration file that is a link', () => {
  it('stays a link, and what it leads to is changed', async () => {
    const { file: target } = fileHolding('{}');
    const directory = temporaryDirectory();
    symlinkSync(target, join(directory, 'config.json'));
    await storeIn(directory).login(storedProject('shop'));
    expect(lstatSync(join(directory, 'config.json')).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(target, 'utf8')).default).toBe('shop');
    expect(modeOf(target)).toBe('600');
  });

  it('stays one when it leads to a file that is not there yet', async () => {
    const directory = temporaryDirectory();
    symlinkSync(join(directory, 'gone.json'), join(directory, 'config.json'));
    await storeIn(directory).login(storedProject('shop'));
    expect(lstatSync(join(directory, 'config.json')).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(join(directory, 'gone.json'), 'utf8')).default).toBe('shop');
    expect(modeOf(join(directory, 'gone.json'))).toBe('600');
  });

  it('is refused when it leads to itself', async () => {
    const directory = temporaryDirectory();
    symlinkSync('config.json', join(directory, 'config.json'));
    const store = storeIn(directory);
    expect((await errorOf(() => store.list())).message).toContain('its links form a loop');
    expect((await errorOf(() => store.login(storedProject('shop')))).message).toContain('form a loop');
  });
});

describe('permissions of the stored key', () => {
  it.each(['644', '640', '604'])(
    'warns about a file of mode %s and tightens it when it writes',
    async (mode) => {
      const { directory, file } = fileHolding('{}');
      chmodSync(file, Number.parseInt(mode, 8));
      const store = storeIn(directory);
      expect(readIn(directory).warnings).toEqual([
        `${file} contains keys and is open to other users (mode ${mode}): run chmod 600 on it`,
      ]);
      await store.login(storedProject('shop'));
      expect(modeOf(file)).toBe('600');
      expect(readIn(directory).warnings).toEqual([]);
    },
  );

  it.each(['600', '400'])('does not warn about mode %s', (mode) => {
    const { directory, file } = fileHolding('{}');
    chmodSync(file, Number.parseInt(mode, 8));
    expect(readIn(directory).warnings).toEqual([]);
  });

  it('does not warn on Windows, which has no such modes', () => {
    const { directory, file } = fileHolding('{}');
    chmodSync(file, 0o666);
    const reader = { platform: 'win32', uid: undefined, environment: {} };
    expect(readProjectFile(directory, reader).warnings).toEqual([]);
  });

  it('is 600 after every rewrite', async () => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    for (const name of ['shop', 'blog', 'shop']) {
      await store.login(storedProject(name));
      expect(modeOf(join(directory, 'config.json'))).toBe('600');
    }
    await store.use('blog');
    await store.logout('shop');
    expect(modeOf(join(directory, 'config.json'))).toBe('600');
  });

  it('leaves the mode of a directory that was there', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    await storeIn(directory).login(storedProject('shop'));
    expect(modeOf(directory)).toBe('755');
  });
});

describe('the lock', () => {
  it('is waited for while another holds it, and then given up on', async () => {
    const { directory, file } = fileHolding('{}');
    const held = tryLock(`${file}.lock`, { pid: 43, isAlive: () => true }, { isBrief: true });
    let waits = 0;
    const store = storeIn(directory, async () => {
      waits += 1;
    });
    const error = await errorOf(() => store.login(storedProject('shop')));
    expect(error).toMatchObject({
      kind: 'unavailable',
      message: `${file} is being changed by another hogctl`,
      hint: 'try again',
    });
    expect(waits).toBe(600);
    if ('release' in held) held.release();
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  it('is released after a change that failed', async () => {
    const { directory } = fileHolding('{}');
    const store = storeIn(directory);
    await errorOf(() => store.use('gone'));
    expect(readdirSync(directory)).toEqual(['config.json']);
    writeFileSync(join(directory, 'config.json'), '{"projects":');
    await errorOf(() => store.login(storedProject('shop')));
    expect(readdirSync(directory)).toEqual(['config.json']);
  });
});
