import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, type Setting, sandboxEnvironment } from '../support/run-program.ts';
import { startService, temporaryDirectory } from '../support/service.ts';

type Content = Readonly<Record<string, unknown>>;

describe.each(['specification', 'live'] as const)('insights as files of the sandbox, %s', (dialect) => {
  let sandbox: Awaited<ReturnType<typeof borrowSandbox>>;
  beforeAll(async () => {
    sandbox = await borrowSandbox({ dialect, now: '2026-06-18T12:00:00Z' });
  });
  afterAll(() => sandbox.stop());

  const hogctl = (argv: readonly string[], setting: Setting = {}) =>
    runProgram(argv, {
      ...setting,
      environment: sandboxEnvironment(sandbox, dialect),
    });
  const pull = (folder: string, ...more: readonly string[]) =>
    hogctl(['insights', 'pull', folder, '-o', 'json', ...more]);
  const push = (folder: string, ...more: readonly string[]) =>
    hogctl(['insights', 'push', folder, '--yes', ...more]);
  const read = (file: string): Content => JSON.parse(readFileSync(file, 'utf8'));
  const edit = (file: string, edits: Content) =>
    writeFileSync(file, JSON.stringify({ ...read(file), ...edits }));
  const fileOf = (folder: string, part: string) =>
    join(folder, readdirSync(folder).find((name) => name.includes(part)) ?? 'none');
  const texts = (folder: string) =>
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
  const states = async (folder: string) => {
    const { stdout } = await pull(folder);
    return new Set(JSON.parse(stdout).map(({ state }: { state: string }) => state));
  };

  it('are pulled whole, and pulling or pushing again does nothing', async () => {
    const folder = join(temporaryDirectory(), 'new', 'folder');
    expect(await states(folder)).toEqual(new Set(['new']));
    const before = texts(folder);
    expect(await states(folder)).toEqual(new Set(['same']));
    const { code, stdout, stderr } = await push(folder);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe('The project is what the files say; there is nothing to push.\n');
    expect(texts(folder)).toEqual(before);
  });

  it('come back as they were pushed, whatever was edited', async () => {
    const folder = temporaryDirectory();
    await pull(folder);
    const files = readdirSync(folder).map((name) => join(folder, name));
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    const edits = fc.record(
      {
        name: text,
        description: fc.string({ maxLength: 12 }),
        tags: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 3 }),
        favorited: fc.boolean(),
        query: fc.record({
          kind: fc.constant('PathsQuery'),
          pathsFilter: fc.dictionary(text, fc.jsonValue()),
        }),
      },
      { requiredKeys: [] },
    );
    const isNew = fc.boolean();
    const change = fc.tuple(fc.constantFrom(...files), edits, isNew);
    let created = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        for (const [file, fields, fresh] of changes) {
          created += 1;
          const name = `created ${created}`;
          if (fresh) writeFileSync(join(folder, `${name}.json`), JSON.stringify({ name, ...fields }));
          else edit(file, fields);
        }
        expect((await push(folder)).code).toBe(0);
        expect((await push(folder)).stderr).toContain('there is nothing to push');
        expect(await states(folder)).toEqual(new Set(['same']));
      }),
      { numRuns: Number(process.env.HOGCTL_FUZZ ?? 3) },
    );
  }, 60_000);

  it('are changed by exactly what differs, after a question that shows it', async () => {
    const folder = temporaryDirectory();
    await pull(folder);
    const file = fileOf(folder, 'M49megqP');
    edit(file, { name: 'Renamed here' });
    const dry = await hogctl(['insights', 'push', folder, '--dry-run']);
    expect(dry.stdout).toMatch(/PATCH .*\/insights\/1\/\n(?: .*\n)* {2}\{"name":"Renamed here"\}\n/);
    const { code, stdout, stderr } = await hogctl(['insights', 'push', folder], { answers: ['y'] });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n {2}- name: .*\n {2}\+ name: "Renamed here"\n$/);
    expect(stderr).toContain('This will change 1 insight\n');
    expect(stderr).toContain('Changed insight 1 (M49megqP).');
    const kept = await hogctl(['insights', 'push', folder], { answers: ['n'] });
    expect(kept.code).toBe(0);
  });

  it('of two people do not overwrite each other unseen', async () => {
    const [mine, theirs] = [temporaryDirectory(), temporaryDirectory()];
    await pull(mine);
    await pull(theirs);
    edit(fileOf(theirs, 'mJsEPXqn'), { name: 'Theirs' });
    expect((await push(theirs)).code).toBe(0);
    edit(fileOf(mine, 'mJsEPXqn'), { name: 'Mine' });
    const refused = await push(mine);
    expect([refused.code, refused.stdout]).toEqual([9, '']);
    expect(refused.stderr).toContain('changed in the project since the file was pulled: ');
    expect((await pull(mine)).code).toBe(9);
    expect(read(fileOf(mine, 'mJsEPXqn')).name).toBe('Mine');
    expect((await push(mine, '--force')).code).toBe(0);
    expect(await states(theirs)).toEqual(new Set(['same', 'changed']));
    expect(read(fileOf(theirs, 'mJsEPXqn')).name).toBe('Mine');
  });

  it('keep the names that people give their files', async () => {
    const folder = temporaryDirectory();
    await pull(folder);
    renameSync(fileOf(folder, 'ZWLavBZF'), join(folder, 'checkout.json'));
    edit(join(folder, 'checkout.json'), { tags: ['mine'] });
    expect((await push(folder)).code).toBe(0);
    expect(read(join(folder, 'checkout.json'))).toMatchObject({ short_id: 'ZWLavBZF', tags: ['mine'] });
    expect(await states(folder)).toEqual(new Set(['same']));
  });

  it('are deleted only with --prune, softly, and can be restored', async () => {
    const folder = temporaryDirectory();
    await pull(folder);
    rmSync(fileOf(folder, 'UaGAA4Q7'));
    expect((await push(folder)).stderr).toContain('there is nothing to push');
    const { code, stdout } = await push(folder, '--prune', '-o', 'json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ action: 'deleted', short_id: 'UaGAA4Q7' }]]);
    expect((await hogctl(['insights', 'get', 'UaGAA4Q7'])).code).toBe(3);
    expect((await hogctl(['insights', 'restore', '10'])).code).toBe(0);
  });

  it('are not pulled in a dry run', async () => {
    const folder = join(temporaryDirectory(), 'none');
    expect((await pull(folder, '--dry-run')).code).toBe(0);
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });
});

describe('files of insights', () => {
  const insight = { id: 9, short_id: 'Ab12', name: 'Old', last_modified_at: '2026-01-01T00:00:00Z' };
  const list = (...results: readonly object[]) => ({
    on: /^GET .*\/insights\/(\?|$)/,
    json: { results },
    times: 9,
  });
  const folderOf = (files: Readonly<Record<string, unknown>>) => {
    const folder = temporaryDirectory();
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    }
    return folder;
  };

  it.each([
    ['no folder', undefined],
    ['an empty folder', {}],
    ['no JSON', { 'a.json': '{"name":' }],
    ['another file', { 'package.json': { name: 'x', version: '1.0.0', private: true } }],
    [
      'two files of one insight',
      { 'a.json': { short_id: 'Ab12', name: 'x' }, 'b.json': { short_id: 'Ab12', name: 'y' } },
    ],
    ['an empty query', { 'a.json': { name: 'x', query: {} } }],
    ['a file that is not read', { 'a.json': { name: 'x' }, 'b.JSON': { name: 'y' } }],
    ['a file in a folder below', { 'a.json': { name: 'x' }, 'web/deep/b.json': { name: 'y' } }],
  ])('are refused before anything is sent: %s', async (_, files) => {
    const service = await startService([]);
    const folder = files === undefined ? join(temporaryDirectory(), 'none') : folderOf(files);
    const { code } = await service.hogctl(['insights', 'push', folder, '--prune', '--yes']);
    expect(code).toBe(2);
    expect(service.log).toEqual([]);
  });

  it.each(['', '--force'])(
    'are not pushed over a change that came while the question stood %s',
    async (force) => {
      const service = await startService([
        list(insight),
        { on: 'GET /api/projects/1/insights/9/', json: { ...insight, name: 'Theirs' } },
      ]);
      const folder = temporaryDirectory();
      await service.hogctl(['insights', 'pull', folder]);
      const [name = ''] = readdirSync(folder);
      const content = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      writeFileSync(join(folder, name), JSON.stringify({ ...content, name: 'Mine' }));
      const line = ['insights', 'push', folder, '--yes', force].filter((word) => word !== '');
      const { code, stderr } = await service.hogctl(line);
      expect(code).toBe(9);
      expect(stderr).toContain('insight 9 (Ab12) was changed meanwhile');
      expect(service.log.filter(({ method }) => method !== 'GET')).toEqual([]);
    },
  );

  it('create once, and say what was done before when the answer is lost', async () => {
    const service = await startService([
      list(insight),
      { on: 'POST /api/projects/1/insights/', status: 201, json: { id: 10, short_id: 'Cd34', name: 'A' } },
      { on: 'POST /api/projects/1/insights/', reset: 'after' },
    ]);
    const folder = folderOf({ 'a.json': { name: 'A' }, 'b.json': { name: 'B' } });
    const { code, stderr } = await service.hogctl(['insights', 'push', folder, '--yes']);
    expect(code).toBe(8);
    expect(stderr).toContain('1 of 2 changes were already made');
    expect(service.log.filter(({ method }) => method === 'POST').map(({ json }) => json)).toEqual([
      { name: 'A', saved: true },
      { name: 'B', saved: true },
    ]);
    expect(JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8'))).toMatchObject({ short_id: 'Cd34' });
  });

  it('are of an insight that the list lacks, and that is there by its short id', async () => {
    const short = (name: string) => ({ on: new RegExp(`short_id=${name}`), json: { results: [] }, times: 9 });
    const there = { ...insight, id: 10, short_id: 'Cd34', saved: false };
    const files = {
      'a.json': { short_id: 'Ab12', name: 'Old' },
      'b.json': { short_id: 'Cd34', name: 'Old' },
    };
    const found = await startService([{ ...short('Cd34'), json: { results: [there] } }, list(insight)]);
    expect((await found.hogctl(['insights', 'push', folderOf(files)])).stderr).toContain('nothing to push');
    const gone = await startService([short('Cd34'), list(insight)]);
    const { code, stderr } = await gone.hogctl(['insights', 'push', folderOf(files)]);
    expect([code, stderr.includes('the project no longer has the insight')]).toEqual([9, true]);
  });

  it('never lead out of their folder', async () => {
    const service = await startService([list({ ...insight, short_id: '../../x' })]);
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'in'));
    const { code } = await service.hogctl(['insights', 'pull', join(folder, 'in')]);
    expect(code).toBe(6);
    expect(readdirSync(folder, { recursive: true })).toEqual(['in']);
  });
});
