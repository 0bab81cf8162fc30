import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { summary } from '../support/bulk-deletions.ts';
import { runProgram, type Terminal } from '../support/run-program.ts';
import { startService } from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';
import { noOwnKeyRoute } from '../support/stored-key.ts';
import type { Received } from '../support/stub-server.ts';
import { answerFrom, known } from '../support/two-stores.ts';

const KEYS: Readonly<Record<string, string>> = {
  1: 'phx_one_0123456789abcdef',
  2: 'phx_two_0123456789abcdef',
};
const projectIn = ({ url }: Pick<Received, 'url'>) => /projects\/(\d)\//.exec(url)?.[1] ?? '';
const isQuery = ({ url }: Pick<Received, 'url'>) => url.endsWith('/query/');

/**
 * A service of two projects that take their own key only, each with a stored one, a run and somebody else. The first
 * project still has the person of its run until they go.
 */
async function twoProjects() {
  const still = new Set<string>(['1', '2']);
  const refused = new Set<string>();
  const service = await startService([
    noOwnKeyRoute,
    (received) => {
      const project = projectIn(received);
      if (refused.has(project) || received.headers.authorization !== `Bearer ${KEYS[project]}`)
        return { status: 401, json: { code: 'authentication_failed', detail: 'Invalid.' } };
      if (isQuery(received)) return { status: 404, json: { detail: 'Not found.' } };
      if (received.method === 'POST')
        return { status: 202, json: summary({ found: 1, deleted: 0, queued: 1 }) };
      return answerFrom({ listed: [...(still.has(project) ? [known(1)] : []), known(2)] })(received);
    },
  ]);
  const { HOGCTL_CONFIG_DIR = '', HOGCTL_STATE_DIR = '' } = service.environment;
  let minute = 0;
  const hogctl = (line: string, stdin = '', terminal?: Terminal) => {
    minute += 1;
    const now = Date.UTC(2026, 2, 2, 12, minute);
    const environment = { HOGCTL_CONFIG_DIR, HOGCTL_STATE_DIR };
    return runProgram(splitWords(line), {
      now: () => now,
      stdin,
      environment,
      ...(terminal && { terminal }),
    });
  };
  for (const [id, key] of Object.entries(KEYS)) {
    const login = `auth login --host ${service.origin} --project ${id} --name shop-${id} --key-stdin`;
    expect(await hogctl(login, key)).toMatchObject({ code: 0 });
    const erase = `persons bulk-delete --distinct-ids user_1 --yes --project shop-${id}`;
    expect((await hogctl(erase)).code).toBe(0);
  }
  still.delete('2');
  const runs = join(HOGCTL_STATE_DIR, 'runs');
  const directories = readdirSync(runs).map((name) => join(runs, name));
  return { hogctl, still, refused, directories };
}

describe('runs verify --due', () => {
  it('asks about the runs of each stored project with its own key', async () => {
    const { hogctl, still } = await twoProjects();
    still.add('2');
    const both = await hogctl('runs verify --due');
    expect([both.code, both.stderr.match(/hogctl runs verify .*/g)]).toEqual([
      9,
      ['hogctl runs verify --due --wait asks again until it holds'],
    ]);
    still.delete('2');
    const due = await hogctl('runs verify --due -o json');
    expect(due, due.stderr).toMatchObject({ code: 9 });
    expect(JSON.parse(due.stdout)).toMatchObject([
      {
        project: 'shop-1 (1)',
        holds: false,
        owed: 'persons',
        remark: '1 person queued for deletion and still there',
      },
      { project: 'shop-2 (2)', holds: true, owed: null, remark: null },
    ]);
    expect(due.stderr).toContain('1 of 2 runs is not known to be done');
    still.clear();
    expect(await hogctl('runs verify --due -o json')).toMatchObject({ code: 0 });
    expect(await hogctl('runs verify --due -o json')).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  it('shows names that can be typed on a narrow terminal, and says if none is left', async () => {
    const { hogctl, still, refused, directories } = await twoProjects();
    refused.add('1');
    const { stdout } = await hogctl('runs verify --due', '', { columns: 84 });
    for (const directory of directories) expect(stdout).toContain(basename(directory));
    refused.clear();
    still.clear();
    await hogctl('runs verify --due');
    const { code, stderr } = await hogctl('runs verify --due');
    expect([code, stderr]).toEqual([0, 'no rows\nNo run is left to verify.\n']);
    expect((await hogctl('runs verify --due --project shop-1')).stderr).toContain('No run of this project');
  });

  it('asks about those of one project only if an option names it', async () => {
    const { hogctl } = await twoProjects();
    const { code, stdout } = await hogctl('runs verify --due -o json --project shop-2');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ project: 'shop-2 (2)', holds: true }]]);
  });

  it.each([
    // Without the second, the first is the default; without the first, there is no default.
    ['shop-2', 2, 1],
    ['shop-1', 1, 0],
  ])('names project %s without a stored key, whose run still owes', async (name, id, at) => {
    const { hogctl, still } = await twoProjects();
    still.clear();
    expect(await hogctl(`auth logout ${name} --yes`)).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await hogctl('runs verify --due -o json');
    expect(code).toBe(9);
    const remark = expect.stringContaining(`no key is stored for project ${name} (${id}) at http`);
    const rows = JSON.parse(stdout);
    expect(rows[at]).toMatchObject({ holds: false, owed: 'persons', remark });
    expect(rows[1 - at]).toMatchObject({ holds: true });
    expect(stderr).toContain('1 of 2 runs is not known to be done');
  });

  it('skips a run that another machine works on, says so, and goes on', async () => {
    const { hogctl, still, directories } = await twoProjects();
    still.clear();
    const at = '2026-03-02T23:00:00Z';
    const holder = { pid: 7, began: 1, host: 'elsewhere', boot: null, namespace: null, at };
    writeFileSync(join(directories[0] ?? '', 'lock-1'), JSON.stringify(holder));
    const { code, stdout, stderr } = await hogctl('runs verify --due -o json');
    expect(code).toBe(9);
    const remark = expect.stringContaining('another process works on this run: 7 on elsewhere');
    expect(JSON.parse(stdout)).toMatchObject([{ holds: false, owed: 'persons', remark }, { holds: true }]);
    expect(stderr).toMatch(/^warning: run \S+ was not asked about: another process works on this run/m);
  });

  it('counts a record that cannot be read, which may owe something', async () => {
    const { hogctl, still, directories } = await twoProjects();
    still.clear();
    writeFileSync(join(directories[0] ?? '', 'journal.ndjson'), 'damaged\n');
    const { code, stdout } = await hogctl('runs verify --due -o json');
    expect(code).toBe(9);
    const remark = expect.stringContaining('hogctl runs check');
    expect(JSON.parse(stdout)).toMatchObject([{ project: null, holds: false, remark }, { holds: true }]);
  });

  it('goes on after a service that refuses the key, and ends with its code if it refused all', async () => {
    const { hogctl, refused } = await twoProjects();
    refused.add('1');
    const { code, stdout } = await hogctl('runs verify --due -o json');
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject([{ holds: false, owed: 'persons' }, { holds: true }]);
    expect(await hogctl('runs verify --due')).toMatchObject({ code: 4 });
  });
});
