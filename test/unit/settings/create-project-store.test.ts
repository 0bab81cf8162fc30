import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf, fileHolding, storedProject, storeIn, temporaryDirectory } from './store-fixture.ts';

describe('login', () => {
  it('adds a project, makes the first one the default, and reads it back', async () => {
    const store = storeIn(temporaryDirectory());
    const shop = storedProject('shop', { protected: true, dialect: 'live', label: 'laptop' });
    expect(await store.login(shop)).toEqual({ isNew: true, isDefault: true });
    expect(await store.login(storedProject('blog'))).toEqual({ isNew: true, isDefault: false });
    expect(store.list()).toMatchObject({ projects: [shop, storedProject('blog')], default: 'shop' });
  });

  it('replaces the project of that name in its place and says so', async () => {
    const store = storeIn(temporaryDirectory());
    await store.login(storedProject('shop'));
    await store.login(storedProject('blog'));
    const changed = storedProject('shop', { key: 'phx_another_key' });
    const result = await store.login(changed);
    expect(result).toEqual({ isNew: false, isDefault: true });
    expect(store.list().projects).toEqual([changed, storedProject('blog')]);
  });

  it.each([{ id: '9' }, { host: 'https://eu.posthog.com' }])(
    'gives no name of one project to another: %j',
    async (change) => {
      const store = storeIn(temporaryDirectory());
      const shop = storedProject('shop', { host: 'https://us.posthog.com', id: '1' });
      await store.login(shop);
      const error = await errorOf(() => store.login({ ...shop, ...change }));
      expect(error).toMatchObject({
        kind: 'usage',
        message: 'the name shop is already stored for project 1 at https://us.posthog.com',
        hint: 'give another --name, or first remove that project with hogctl auth logout shop',
      });
      expect(store.list().projects).toEqual([shop]);
    },
  );

  it.each([
    ['https://us.posthog.com', 'project-1'],
    ['https://eu.posthog.com', 'project-1-eu'],
    ['https://posthog.example.org:8000', 'project-1-posthog.example.org:8000'],
  ])('names a project by its id, and by its host beside another of that id: %s', async (host, name) => {
    const store = storeIn(temporaryDirectory());
    await store.login(storedProject('project-1', { host: 'https://us.posthog.com', id: '1' }));
    expect(store.nameFor({ host, id: '1' }, undefined)).toBe(name);
  });

  it.each(['__proto__', 'constructor', 'a.b', 'läden'])('stores a project called %s', async (name) => {
    const store = storeIn(temporaryDirectory());
    const project = storedProject(name, { key: 'phx_abcdef' });
    await store.login(project);
    expect(store.list().projects).toEqual([project]);
  });

  it.each([{ key: 'phx_a\nb' }, { host: 'us' }, { name: '12' }])(
    'writes nothing that it could not read again: %j',
    async (change) => {
      const { directory, file } = fileHolding('{}');
      const work = storeIn(directory).login(storedProject('shop', change));
      await expect(work).rejects.toThrow('is damaged');
      expect(readFileSync(file, 'utf8')).toBe('{}');
    },
  );

  it('keeps what a later version put into the file', async () => {
    const { directory, file } = fileHolding('{"later":{"a.b":1},"projects":[]}');
    await storeIn(directory).login(storedProject('shop'));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ later: { 'a.b': 1 }, default: 'shop' });
  });
});

describe('use', () => {
  it('makes a project the default and says which one was', async () => {
    const store = storeIn(temporaryDirectory());
    await store.login(storedProject('shop'));
    await store.login(storedProject('blog'));
    expect(await store.use(' blog ')).toEqual(storedProject('blog'));
    expect(store.list().default).toBe('blog');
  });

  it('makes a project the default where there was none', async () => {
    const store = storeIn(temporaryDirectory());
    await store.login(storedProject('shop'));
    await store.login(storedProject('blog'));
    await store.logout('shop');
    expect(await store.use('blog')).toEqual(storedProject('blog'));
  });

  it('refuses a name that is not stored, lists those that are, and changes nothing', async () => {
    const store = storeIn(temporaryDirectory());
    await store.login(storedProject('shop'));
    const error = await errorOf(() => store.use('gone'));
    expect(error).toMatchObject({
      kind: 'usage',
      message: 'the stored project "gone" was not found',
      hint: 'stored projects: shop',
    });
    expect(store.list().default).toBe('shop');
  });
});

describe('logout', () => {
  it('removes a project and makes no other the default', async () => {
    const store = storeIn(temporaryDirectory());
    await store.login(storedProject('shop'));
    await store.login(storedProject('blog'));
    expect(await store.logout('shop')).toEqual({
      removed: storedProject('shop'),
      wasDefault: true,
    });
    expect(store.list()).toMatchObject({ projects: [storedProject('blog')], warnings: [] });
  });

  it('keeps the default when another project goes, and the key leaves the file', async () => {
    const directory = temporaryDirectory();
    const store = storeIn(directory);
    await store.login(storedProject('shop'));
    await store.login(storedProject('blog'));
    expect(await store.logout('blog')).toMatchObject({ wasDefault: false });
    expect(store.list().default).toBe('shop');
    expect(readFileSync(join(directory, 'config.json'), 'utf8')).not.toContain('phx_key_of_blog');
  });

  it('says how to store a project when none is', async () => {
    const error = await errorOf(() => storeIn(temporaryDirectory()).logout('shop'));
    expect(error).toMatchObject({
      kind: 'usage',
      hint: expect.stringMatching(/^none is stored in .*: store one with hogctl auth login$/),
    });
    // Cron may run without HOME.
    const nowhere = await errorOf(async () => storeIn(undefined).find('shop'));
    expect(nowhere.hint).toMatch(/^no home directory is known: /);
  });
});
