import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasOtherUsers } from '../../support/other-users.ts';
import { modeOf, runProgram, storedProject, storeIn, temporaryDirectory } from './store-fixture.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

let place = '';
let program = '';

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'hogctl-writer-'));
  chmodSync(place, 0o755);
  program = join(place, 'writer.cjs');
  const entryPoints = [join(import.meta.dirname, 'writer.ts')];
  await build({
    entryPoints,
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('parallel jobs', () => {
  it('keeps all projects of 10 processes that log in at once, and fails no reader', {
    timeout: 60_000,
  }, async () => {
    const directory = join(temporaryDirectory(), 'not', 'there', 'yet');
    const readers = numbers(4).map(() => runProgram(program, ['read', directory, '10']));
    const writers = numbers(10).map((id) => runProgram(program, ['login', directory, id]));
    for (const result of await Promise.all([...writers, ...readers])) {
      expect(result).toMatchObject({ code: 0, errors: '' });
    }
    const { projects, default: chosen } = storeIn(directory).list();
    expect(projects.map(({ id }) => Number(id)).sort((left, right) => left - right)).toEqual(
      numbers(10).map(Number),
    );
    expect(projects.map(({ name }) => name)).toContain(chosen);
    for (const { id, key } of projects) {
      expect(key).toBe(`phx_key_of_${id}`);
    }
    expect(readdirSync(directory)).toEqual(['config.json']);
    expect(modeOf(join(directory, 'config.json'))).toBe('600');
  });

  it('takes over the lock of a process that died', async () => {
    const directory = temporaryDirectory();
    const lock = join(directory, 'config.json.lock-1');
    writeFileSync(lock, JSON.stringify({ pid: 43, began: 1, host: 'elsewhere', boot: null }));
    const store = storeIn(directory, () => new Promise((resolve) => setImmediate(resolve)));
    // By the clock of the disk, which need not be this one.
    const tenSecondsBefore = statSync(lock).mtimeMs / 1000 - 10;
    utimesSync(lock, tenSecondsBefore, tenSecondsBefore);
    expect(await store.login(storedProject('shop'))).toEqual({ isNew: true, isDefault: true });
    expect(readdirSync(directory)).toEqual(['config.json']);
  });
});

describe('permissions of the stored key', () => {
  it.each(['022', '002', '000', '077'])(
    'are 600 and 700 from the first byte with umask %s',
    async (umask) => {
      const directory = join(temporaryDirectory(), 'parent', 'hogctl');
      mkdirSync(join(directory, '..'));
      const seen = new Set<string>();
      const look = () => {
        seen.add(`directory ${modeIfThere(directory)}`);
        for (const name of namesIfThere(directory)) {
          seen.add(`${name.includes('.lock-') ? 'lock' : 'file'} ${modeIfThere(join(directory, name))}`);
        }
      };
      const watching = watch(join(directory, '..'), { recursive: true }, look);
      const result = await runProgram(program, ['login', directory, ...numbers(5)], { umask });
      watching.close();
      expect(result).toMatchObject({ code: 0, errors: '' });
      look();
      const modes = [...seen].filter((mode) => !mode.endsWith(' gone') && !mode.startsWith('lock'));
      expect(modes.sort()).toEqual(['directory 700', 'file 600']);
    },
  );

  it('makes the parents of a new directory for the owner only, too', async () => {
    const root = temporaryDirectory();
    await runProgram(program, ['login', join(root, 'a', 'hogctl'), '1'], { umask: '022' });
    expect([modeOf(join(root, 'a')), modeOf(join(root, 'a', 'hogctl'))]).toEqual(['700', '700']);
  });
});

describe.skipIf(!hasOtherUsers)('as a user without rights', () => {
  const nobody = { uid: 65_534 };

  it('says at once that a directory is read-only', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    const result = await runProgram(program, ['login', directory, '1'], nobody);
    expect(result).toMatchObject({
      code: 1,
      errors: `cannot write ${directory}/config.json: permission denied\n`,
    });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('says that a directory cannot be created', async () => {
    const directory = join(temporaryDirectory(), 'hogctl');
    chmodSync(join(directory, '..'), 0o755);
    const result = await runProgram(program, ['login', directory, '1'], nobody);
    expect(result.errors).toBe(`cannot create ${directory}: permission denied\n`);
  });

  it('says that a file may not be read, and nothing of what it holds', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    await storeIn(directory).login(storedProject('shop'));
    const result = await runProgram(program, ['read', directory, '1'], nobody);
    expect(result.errors).toBe(`cannot read ${directory}/config.json: permission denied\n`);
  });

  it('goes on without a file that may not be read, which a key from the environment does not need', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    await storeIn(directory).login(storedProject('shop'));
    const result = await runProgram(program, ['peek', directory], nobody);
    expect(result).toEqual({ code: 0, output: '0 projects, unreadable', errors: '' });
  });
});

it('loads conf only when it writes', async () => {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, '../../../src/settings/project-store.ts')],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
  });
  const loaded = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  const ofConf = loaded.filter(({ path }) => path === 'conf');
  expect(ofConf.map(({ kind }) => kind)).toEqual(['dynamic-import']);
});

/** Files come and go while they are looked at. */
function modeIfThere(path: string): string {
  try {
    return modeOf(path);
  } catch {
    return 'gone';
  }
}

function namesIfThere(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
