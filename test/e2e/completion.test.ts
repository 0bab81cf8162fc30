import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { complete } from '../../src/completion/complete.ts';
import { writeTree } from '../../src/completion/tree.ts';
import { completionTree, namesInFile } from '../../src/program.ts';
import { runProgram } from '../support/run-program.ts';
import { KEY, person, type Service, startService, temporaryDirectory } from '../support/service.ts';

const insight = { id: 9, short_id: 'M49megqP', name: 'Orders per day' };
const secretive = { ...insight, short_id: 'Other', name: `what ${KEY} shows` };

async function serve() {
  const cache = temporaryDirectory();
  const service = await startService([
    { on: /\/insights\//, times: 99, json: { results: [insight, secretive], next: null } },
    { on: /\/persons\/7\//, times: 99, status: 404, json: { code: 'not_found', detail: 'Not found.' } },
    ({ method }) => ({ json: method === 'GET' ? { results: [person(1)], next: null } : person(1) }),
  ]);
  const environment: Record<string, string> = { ...service.environment, HOGCTL_CACHE_DIR: cache };
  return { service, environment, cache: join(cache, 'completion') };
}

const tree = writeTree(await completionTree());

/** What zsh is answered for a line with the cursor at its end. */
async function tab(line: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const [typed = '', ...before] = line.split(' ').reverse();
  const words = ['zsh', 'hogctl', ...before.reverse(), `=${typed}`];
  return complete(words, { environment, platform: 'linux', tree, namesInFile });
}

const textsIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')) : [];

describe('Tab', () => {
  it('offers what ordinary commands have shown, when the service has gone', async () => {
    const { service, environment } = await serve();
    expect(await tab('insights get ', environment)).toBe('');
    await runProgram(['insights', 'list'], { environment });
    await runProgram(['persons', 'list', '-o', 'ndjson'], { environment });
    const asked = service.log.length;
    await service.close();
    expect(await tab('insights get M', environment)).toBe('M49megqP\tOrders per day\n');
    const columns = await tab('persons list --columns id,', environment);
    expect(columns.split('\n')).toEqual(expect.arrayContaining(['id,distinct_ids', 'id,properties.email']));
    expect(await tab('persons unset 42 em', environment)).toBe('email\n');
    expect(service.log.length).toBe(asked);
  });

  it('says which run is the last one, if the names of runs tell', async () => {
    const state = temporaryDirectory();
    const addRun = (name: string, unique: number) => {
      mkdirSync(join(state, 'runs', name), { recursive: true });
      const plan = { unique, project: { id: '1', name: 'Shop' } };
      writeFileSync(join(state, 'runs', name, 'plan.json'), JSON.stringify(plan));
    };
    const last = () => tab('runs show l', { HOGCTL_STATE_DIR: state });
    expect(await last()).toBe('');
    addRun('20261127T120000Z-aaaaaa', 1);
    addRun('20261128T120000Z-aaaaaa', 2);
    expect(await last()).toBe('last\t20261128T120000Z-aaaaaa: 2 ids in project Shop\n');
    addRun('20261128T120000Z-bbbbbb', 3);
    expect(await last()).toBe('last\tThe newest run\n');
  });

  it.each(['json', 'ndjson', 'csv', 'table'])('offers the same after -o %s', async (format) => {
    const { environment } = await serve();
    await runProgram(['persons', 'list', '-o', format], { environment });
    expect(await tab('persons unset 42 em', environment)).toBe('email\n');
  });

  it('offers columns of commands that have to do with no project', async () => {
    const { environment } = await serve();
    await runProgram(['auth', 'list'], { environment });
    expect(await tab('auth list --columns prot', environment)).toBe('protected\n');
  });

  it('offers names of one project on one host to this one alone', async () => {
    const { environment } = await serve();
    await runProgram(['insights', 'list'], { environment });
    const other = { ...environment, HOGCTL_PROJECT: '2' };
    expect(await tab('insights get ', other)).toBe('');
    expect(await tab('insights get ', { ...environment, HOGCTL_HOST: 'eu' })).toBe('');
  });

  it('says nothing where settings do not fit together', async () => {
    const { environment } = await serve();
    const { HOGCTL_HOST: _, ...half } = environment;
    expect(await tab('insights get ', half)).toBe('');
    expect(await tab('nonsense ', environment)).toBe('');
  });
});

describe('what is kept', () => {
  it('holds no value, no id and no key, and only its owner reads it', async () => {
    const { environment, cache } = await serve();
    await runProgram(['insights', 'list', '-o', 'json'], { environment });
    await runProgram(['persons', 'list'], { environment });
    await runProgram(['persons', 'get', '1'], { environment });
    const [text = ''] = textsIn(cache);
    const { distinct_ids: ids, uuid, properties } = person(1);
    for (const value of [...ids, uuid, ...Object.values(properties), KEY]) expect(text).not.toContain(value);
    const [file = ''] = readdirSync(cache);
    expect(statSync(join(cache, file)).mode & 0o777).toBe(0o600);
    expect(statSync(cache).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['--dry-run', ['persons', 'list', '--dry-run'], {}],
    ['HOGCTL_NO_CACHE', ['persons', 'list'], { HOGCTL_NO_CACHE: '1' }],
    ['HOGCTL_NO_NAMES', ['persons', 'list'], { HOGCTL_NO_NAMES: '1' }],
    ['api', ['api', 'GET', 'persons/', '-o', 'json'], {}],
    ['a command that fails', ['persons', 'get', '7'], {}],
  ])('is nothing with %s', async (_, words, more) => {
    const { environment, cache } = await serve();
    await runProgram(words, { environment: { ...environment, ...more } });
    expect(textsIn(cache)).toEqual([]);
  });

  it('is not written again when nothing new was shown', async () => {
    const { environment, cache } = await serve();
    await runProgram(['persons', 'list'], { environment });
    const inode = () => statSync(join(cache, readdirSync(cache)[0] ?? '')).ino;
    const before = inode();
    await runProgram(['persons', 'list'], { environment });
    expect(inode()).toBe(before);
    await runProgram(['insights', 'list'], { environment });
    expect(inode()).not.toBe(before);
  });

  it('is written anew where it was damaged', async () => {
    const { environment, cache } = await serve();
    await runProgram(['insights', 'list'], { environment });
    writeFileSync(join(cache, readdirSync(cache)[0] ?? ''), '{"version":1,"hos');
    expect(await tab('insights get ', environment)).toBe('');
    await runProgram(['insights', 'list'], { environment });
    expect(await tab('insights get M', environment)).toBe('M49megqP\tOrders per day\n');
  });

  it('fails no command where it cannot be written, and says so with --debug', async () => {
    const { environment, cache } = await serve();
    writeFileSync(cache, 'a file where the directory should be');
    const { code, stderr } = await runProgram(['persons', 'list', '-q'], { environment });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const debug = await runProgram(['persons', 'list', '--debug'], { environment });
    expect(debug.stderr).toMatch(
      /^debug: nothing was kept for completion: a part of its path is not a directory$/m,
    );
  });

  it('is of no more than 40 projects, the latest ones', async () => {
    const { environment, cache } = await serve();
    mkdirSync(cache);
    for (let index = 0; index < 60; index += 1) writeFileSync(join(cache, `old-${index}.json`), '{}');
    await runProgram(['persons', 'list'], { environment });
    expect(readdirSync(cache).length).toBe(40);
    expect(await tab('persons unset 42 em', environment)).toBe('email\n');
  });

  it('goes without files of others in its directory', async () => {
    const { environment, cache } = await serve();
    mkdirSync(cache);
    const others = ['notes.txt', 'package.json'];
    for (const name of others) writeFileSync(join(cache, name), 'mine');
    for (let index = 0; index < 45; index += 1) writeFileSync(join(cache, `host-${index}.json`), '{}');
    await runProgram(['persons', 'list'], { environment });
    const { stderr } = await runProgram(['completion', 'clear'], { environment });
    expect([stderr, readdirSync(cache).sort()]).toEqual(['Removed what was kept for 40 projects.\n', others]);
  });

  it('goes into no directory behind a link', async () => {
    const { environment, cache } = await serve();
    const elsewhere = temporaryDirectory();
    symlinkSync(elsewhere, cache);
    writeFileSync(join(elsewhere, 'host-1.json'), 'mine');
    const { code, stderr } = await runProgram(['persons', 'list', '--debug'], { environment });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('nothing was kept for completion: a part of its path is not a directory'),
    ]);
    await runProgram(['completion', 'clear'], { environment });
    expect(readdirSync(elsewhere)).toEqual(['host-1.json']);
  });

  it('goes with completion clear, and with the key of the project', async () => {
    const { environment, cache, service } = await serve();
    await runProgram(['persons', 'list'], { environment });
    const dry = await runProgram(['completion', 'clear', '--dry-run'], { environment });
    expect([dry.code, textsIn(cache).length]).toEqual([0, 1]);
    const cleared = await runProgram(['completion', 'clear'], { environment });
    expect(cleared.stderr).toBe('Removed what was kept for 1 project.\n');
    expect(textsIn(cache)).toEqual([]);
    await runProgram(['persons', 'list'], { environment });
    storeProject(environment, service);
    const dryLogout = await runProgram(['auth', 'logout', 'shop', '--yes', '--dry-run'], { environment });
    expect([dryLogout.code, textsIn(cache).length]).toEqual([2, 1]);
    const { code } = await runProgram(['auth', 'logout', 'shop', '--yes'], { environment });
    expect([code, textsIn(cache)]).toEqual([0, []]);
  });
});

function storeProject(environment: Readonly<Record<string, string>>, { origin }: Pick<Service, 'origin'>) {
  const directory = environment.HOGCTL_CONFIG_DIR ?? '';
  mkdirSync(directory, { recursive: true });
  const projects = [{ name: 'shop', host: origin, id: '1', key: KEY, protected: false }];
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ projects, default: 'shop' }), {
    mode: 0o600,
  });
}

describe('a rehearsal', () => {
  it('tells the commands in the sandbox to keep nothing', async () => {
    let given: Readonly<Record<string, string | undefined>> = {};
    const words = ['sandbox', 'exec', '--empty', '--', 'hogctl', 'persons', 'list'];
    await runProgram(words, {
      spawn: async (_, environment) => {
        given = environment;
        return { code: 0 };
      },
    });
    expect(given).toMatchObject({ HOGCTL_NO_NAMES: '1' });
  });
});
