import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, numbered } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import type { Received, Script, StubAnswer } from '../support/stub-server.ts';
import { startAsGiven, temporaryDirectory } from './service.ts';

const refusal = (status: number, code: string, detail: string) => ({ status, json: { code, detail } });
const forbidden = refusal(403, 'permission_denied', "API key missing required scope 'person:write'");

/** Answers the first calls as listed, the others with success. */
function answering(...answers: readonly (StubAnswer | ((received: Received) => StubAnswer))[]): Script {
  let call = 0;
  return [
    (received) => {
      const answer = answers[call] ?? allDeleted;
      call += 1;
      return typeof answer === 'function' ? answer(received) : answer;
    },
  ];
}

const from = 'persons bulk-delete --from - --as distinct-ids';
const three = { stdin: numbered(300).join('\n') };

describe('what stops a run', () => {
  it.each([
    ['a bad key', refusal(401, 'authentication_failed', 'Personal API key is invalid.'), 4, 'another region'],
    ['a missing scope', forbidden, 4, 'person:write'],
    ['a service without bulk deletion', refusal(404, 'not_found', 'Not found.'), 5, 'no such endpoint'],
    ['a wrong address', { status: 404, body: '<html>' }, 5, 'check the host'],
    [
      'a redirect',
      { status: 301, headers: { location: 'https://elsewhere.example/' } },
      5,
      'elsewhere.example',
    ],
  ] as const)('%s stops it at once, and the reason is shown', async (_, answer, code, words) => {
    const service = await startAsGiven([{ ...answer, times: 99 }]);
    const end = await service.hogctl(`${from} --yes --ignore-missing`, three);
    expect(service.log).toHaveLength(1);
    expect(end.stderr).toContain(words);
    expect(end.stderr).toMatch(
      /error: .*the run stopped .*: nothing was done for 100 ids, nothing was sent for 200 ids/,
    );
    expect(end.stderr).toMatch(/hint: .*hogctl runs resume \S+ sends what is left/);
    expect(end.code).toBe(code);
  });

  it('is told without the ids that the service quotes', async () => {
    const quoting = refusal(400, 'invalid_input', 'Value "u7" of u7@example.org is wrong (u77).');
    const service = await startAsGiven([{ ...quoting, times: 99 }]);
    const { stderr } = await service.hogctl('persons bulk-delete --distinct-ids u7,u7@example.org --yes');
    expect(stderr).toContain('Value "(an id)" of (an id) is wrong (u77)');
  });

  it('is told for three failures in a row', async () => {
    const service = await startAsGiven([{ status: 502, times: 99 }]);
    const { code, stderr } = await service.hogctl(`${from} --yes --retries 0`, {
      stdin: numbered(500).join('\n'),
    });
    expect(service.log).toHaveLength(3);
    expect(code).toBe(8);
    expect(stderr).toMatch(
      /error: .*answered 502.*three failures in a row.*the outcome of 300 ids is unknown/,
    );
  });
});

describe('a run that was stopped', () => {
  const stopped = () => startAsGiven(answering(allDeleted, forbidden));

  it('goes on when the same command is typed again, with --yes', async () => {
    const service = await stopped();
    expect(await service.hogctl(`${from} --yes`, three)).toMatchObject({ code: 8 });
    const again = await service.hogctl(`${from} --yes`, three);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('--new-run starts again');
    expect(service.log.map((received) => idsOf(received)[0])).toEqual(['u1', 'u101', 'u101', 'u201']);
    expect(runsOf(service)).toHaveLength(1);
  });

  it('asks first at a terminal', async () => {
    const service = await stopped();
    const line = `persons bulk-delete --from ${join(temporaryDirectory(), 'ids.txt')} --as distinct-ids`;
    writeFileSync(line.split(' ')[3] ?? '', three.stdin);
    await service.hogctl(`${line} --yes`);
    expect(await service.hogctl(line, { answers: ['n'] })).toMatchObject({ code: 7 });
    expect(service.log).toHaveLength(2);
    expect(await service.hogctl(line, { answers: ['y'] })).toMatchObject({ code: 0 });
    expect(service.log).toHaveLength(4);
  });

  it('is left alone with --new-run', async () => {
    const service = await stopped();
    await service.hogctl(`${from} --yes`, three);
    expect(await service.hogctl(`${from} --yes --new-run`, three)).toMatchObject({ code: 0 });
    expect(service.log.map((received) => idsOf(received)[0])).toEqual(['u1', 'u101', 'u1', 'u101', 'u201']);
    expect(runsOf(service)).toHaveLength(2);
  });

  it('is another one with other flags', async () => {
    const service = await stopped();
    await service.hogctl(`${from} --yes`, three);
    await service.hogctl(`${from} --yes --delete-events --no-resolve`, three);
    expect(runsOf(service)).toHaveLength(2);
  });

  it('is named by its path in hints where --run-dir chose it, and needs no state directory', async () => {
    const service = await stopped();
    const directory = join(temporaryDirectory(), 'evidence of may');
    const bare = { environment: { HOGCTL_STATE_DIR: '', HOME: '', XDG_STATE_HOME: '' } };
    const words = [...`${from} --yes --run-dir`.split(' '), directory];
    const first = await service.hogctl(words, { ...three, ...bare });
    expect(first.stderr).toContain(`hogctl runs resume '${directory}' sends what is left`);
    expect(first.stderr).toContain(`hogctl runs verify '${directory}'`);
    const other = await service.hogctl(words, { stdin: 'x', ...bare });
    expect(other.code).toBe(2);
    const again = await service.hogctl(words, { ...three, ...bare });
    expect(again.code).toBe(0);
    expect(service.log).toHaveLength(4);
    expect(await service.hogctl(['runs', 'report', directory], bare)).toMatchObject({ code: 0 });
    expect(await service.hogctl(['runs', 'check', directory], bare)).toMatchObject({ code: 0 });
  });

  it('goes to the project of its plan only', async () => {
    const service = await stopped();
    await service.hogctl(`${from} --yes`, three);
    const { code, stderr } = await service.hogctl('runs resume 2026 --yes', {
      environment: { HOGCTL_PROJECT: '2' },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('this run is for project 1');
    expect(service.log).toHaveLength(2);
  });
});

describe('--failed', () => {
  const file = () => join(temporaryDirectory(), 'failed.csv');
  const read = (path: string) => readFileSync(path, 'utf8');

  it('holds what is left to do, for its owner alone, and can be fed back in', async () => {
    const service = await startAsGiven(answering(allDeleted, forbidden));
    const path = file();
    await service.hogctl([...from.split(' '), '--yes', '--failed', path], three);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(read(path).trim().split('\n')).toEqual([
      'distinct_id',
      ...numbered(300)
        .slice(100)
        .map((id) => `"${id}"`),
    ]);
    const line = `persons bulk-delete --from ${path} --as distinct-ids --yes`;
    expect(await service.hogctl(line)).toMatchObject({ code: 0 });
    expect(service.log.slice(2).flatMap(idsOf)).toEqual(numbered(300).slice(100));
  });

  it('holds nobody where nothing failed, so that an older file is not taken for it', async () => {
    const service = await startAsGiven([allDeleted]);
    const path = file();
    writeFileSync(path, 'distinct_id\nold\n');
    const { code, stderr } = await service.hogctl(`persons bulk-delete 1 2 --yes --failed ${path}`);
    expect(code).toBe(0);
    expect(read(path)).toBe('id\n');
    expect(stderr).toContain('No id is left to send again');
  });

  it('is a file for each kind', async () => {
    const service = await startAsGiven([{ ...forbidden, times: 9 }]);
    const path = file();
    await service.hogctl(`persons bulk-delete 1 2 --distinct-ids a,b --yes --failed ${path}`);
    expect(read(`${path}.ids`)).toBe('id\n"1"\n"2"\n');
    expect(read(`${path}.distinct-ids`)).toBe('distinct_id\n"a"\n"b"\n');
  });
});

describe('signals during a run', () => {
  it.each([
    ['SIGINT', 130, 'interrupted'],
    ['SIGTERM', 143, 'terminated'],
  ] as const)('%s finishes the call in flight and ends with %i', async (name, code, word) => {
    const controller = new AbortController();
    const service = await startAsGiven(
      answering(allDeleted, (received) => ({ ...allDeleted(received), work: () => controller.abort(name) })),
    );
    const end = await service.hogctl(`${from} --yes`, { ...three, signal: controller.signal });
    expect(end.code).toBe(code);
    expect(service.log).toHaveLength(2);
    expect(end.stderr).toContain(
      `error: ${word}: 2 of 3 calls done, 0 in flight without an answer, 1 not sent\nhint: hogctl runs resume `,
    );
    expect(await service.hogctl(`${from} --yes`, three)).toMatchObject({ code: 0 });
    expect(service.log.flatMap(idsOf)).toEqual(numbered(300));
  });

  it('a second one stops now, and the call in flight is unknown', async () => {
    const [soon, now] = [new AbortController(), new AbortController()];
    const stop = () => {
      soon.abort('SIGINT');
      setImmediate(() => now.abort('SIGINT'));
    };
    const service = await startAsGiven(answering(allDeleted, { never: true, work: stop }));
    const end = await service.hogctl(`${from} --yes`, {
      ...three,
      signal: soon.signal,
      forcedSignal: now.signal,
    });
    expect(end.code).toBe(130);
    expect(end.stderr).toContain('1 of 3 calls done, 1 in flight without an answer, 1 not sent');
  });

  it('while people are looked up, nothing is deleted', async () => {
    const controller = new AbortController();
    const service = await startAsGiven([
      { on: /by_distinct_ids/, times: 9, json: { results: {} }, work: () => controller.abort('SIGTERM') },
    ]);
    const end = await service.hogctl(`${from} --yes`, {
      ...three,
      signal: controller.signal,
      environment: { HOGCTL_DIALECT: 'live' },
    });
    expect(end.code).toBe(143);
    expect(service.log.filter(({ url }) => !url.includes('by_distinct_ids'))).toEqual([]);
    expect(runsOf(service)).toEqual([]);
  });
});

describe('what a crash left of a run before its first step', () => {
  it('goes whole with the next run; a run that only lost its journal stays', async () => {
    const service = await startAsGiven([allDeleted]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    await service.hogctl('persons bulk-delete 18 --plan-only --yes');
    const [left = '', lost = ''] = runsOf(service);
    for (const run of [left, lost]) rmSync(join(run, 'journal.ndjson'));
    writeFileSync(join(left, 'unfinished'), '');
    const { code, stderr } = await service.hogctl('persons bulk-delete 19 --yes');
    expect([code, stderr]).toEqual([0, expect.stringContaining('which crashed before it began')]);
    expect(runsOf(service)).toEqual([lost, expect.any(String)]);
  });

  it('goes from --run-dir, and before a deletion of one person', async () => {
    const service = await startAsGiven([{ on: /^DELETE/, times: 9, status: 204 }, allDeleted]);
    const directory = join(temporaryDirectory(), 'run');
    await service.hogctl(`persons bulk-delete 17 --plan-only --yes --run-dir ${directory}`);
    rmSync(join(directory, 'journal.ndjson'));
    writeFileSync(join(directory, 'unfinished'), '');
    const again = await service.hogctl(`persons bulk-delete 18 --yes --run-dir ${directory}`);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('which crashed before it began')]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const [left = ''] = runsOf(service);
    rmSync(join(left, 'journal.ndjson'));
    writeFileSync(join(left, 'unfinished'), '');
    const one = await service.hogctl('persons delete 42 --yes');
    expect([one.code, one.stderr]).toEqual([0, expect.stringContaining('which crashed before it began')]);
    expect(runsOf(service)).not.toContain(left);
  });

  it('goes whole with runs prune', async () => {
    const service = await startAsGiven([]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const [run = ''] = runsOf(service);
    rmSync(join(run, 'journal.ndjson'));
    writeFileSync(join(run, 'unfinished'), '');
    const check = await service.hogctl(`runs check ${basename(run)}`);
    expect(check).toMatchObject({ code: 9, stdout: expect.stringContaining('journal.ndjson is missing') });
    expect(check.stderr).toContain('hint: the run never began, and nothing was sent');
    const { code, stderr } = await service.hogctl('runs prune --yes');
    expect(code).toBe(0);
    expect(stderr).toContain('which never began');
    expect(runsOf(service)).toEqual([]);
  });

  const gone = {
    pid: 999_999_999,
    began: 1,
    host: hostname(),
    boot: 'an earlier one',
    at: '2020-01-01T00:00:00Z',
  };

  /** A run, and beside it an empty directory, one with the lock of a process that is gone, and one with a mark. */
  async function besideRun() {
    const service = await startAsGiven([allDeleted]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const [run = ''] = runsOf(service);
    const names = ['a', 'b', 'c'].map((letter) => join(dirname(run), `20200101T000000Z-${letter}`));
    const [empty = '', locked = '', marked = ''] = names;
    for (const name of names) mkdirSync(name);
    writeFileSync(join(locked, 'lock-1'), JSON.stringify(gone));
    writeFileSync(join(marked, 'unfinished'), '');
    return { service, run, names, empty };
  }

  it('goes with the next run, but for an empty directory, in which another process may begin one', async () => {
    const { service, run, empty } = await besideRun();
    expect(await service.hogctl('persons bulk-delete 18 --yes')).toMatchObject({ code: 0 });
    expect(runsOf(service)).toEqual([empty, run, expect.any(String)]);
  });

  it('goes with runs prune if it is no more than a directory, a lock or a mark', async () => {
    const { service, run, names } = await besideRun();
    const list = JSON.parse((await service.hogctl('runs list -o json')).stdout);
    expect(list.slice(0, 3)).toEqual(
      names.map(() => expect.objectContaining({ state: expect.stringContaining('never began') })),
    );
    const empty = await service.hogctl('runs check 20200101T000000Z-a');
    expect([empty.code, empty.stderr]).toEqual([9, expect.stringContaining('hint: no file of a run is in')]);
    expect(empty.stderr).not.toContain('nothing was sent');
    expect(await service.hogctl('runs prune --yes')).toMatchObject({ code: 0 });
    expect(runsOf(service)).toEqual([run]);
  });

  it('stays if another process begins the run after prune has looked at it', async () => {
    const service = await startAsGiven([]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const [run = ''] = runsOf(service);
    const begun = join(temporaryDirectory(), 'begun');
    cpSync(run, begun, { recursive: true });
    rmSync(run, { recursive: true });
    mkdirSync(run);
    // Drawn when the lock is taken.
    const random = () => {
      cpSync(begun, run, { recursive: true });
      return 0.5;
    };
    const { code, stderr } = await service.hogctl('runs prune --yes', { random });
    expect([code, stderr]).toEqual([0, expect.stringContaining('has begun meanwhile, and stays')]);
    expect(await service.hogctl(`runs check ${basename(run)}`)).toMatchObject({ code: 0 });
    expect(readdirSync(run).filter((name) => name.startsWith('lock-'))).toEqual([]);
  });

  it('goes without files that others put beside it', async () => {
    const service = await startAsGiven([]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const [run = ''] = runsOf(service);
    rmSync(join(run, 'journal.ndjson'));
    writeFileSync(join(run, 'unfinished'), '');
    writeFileSync(join(run, 'notes.txt'), 'mine');
    expect(await service.hogctl('runs prune --yes')).toMatchObject({ code: 0 });
    expect(readdirSync(run)).toEqual(['notes.txt']);
  });

  it('is no run that was planned and not carried out, whose ids stay', async () => {
    const service = await startAsGiven([allDeleted]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const dry = await service.hogctl('runs prune --older-than 0 --dry-run -o json');
    expect(JSON.parse(dry.stdout)).toMatchObject([{ action: 'keep', reason: 'it can be resumed' }]);
    expect(await service.hogctl('runs prune --older-than 0 --yes')).toMatchObject({ code: 0 });
    expect(await service.hogctl('runs resume last --yes')).toMatchObject({ code: 0 });
    expect(service.log.map(idsOf)).toEqual([['17']]);
  });

  it('is no run at work, whose ids stay, and none before the question is answered', async () => {
    const service = await startAsGiven([allDeleted]);
    await service.hogctl('persons bulk-delete 17 --yes');
    await service.hogctl('persons bulk-delete 18 --yes');
    const [done = '', atWork = ''] = runsOf(service);
    writeFileSync(join(atWork, 'lock-1'), JSON.stringify({ ...gone, pid: 1, boot: null }));
    const line = 'runs prune --older-than 0';
    const has = (run: string) => readdirSync(run).includes('ids');
    expect(await service.hogctl(line, { answers: ['n'] })).toMatchObject({ code: 7 });
    expect(await service.hogctl(line)).toMatchObject({ code: 2 });
    expect([done, atWork].map(has)).toEqual([true, true]);
    const { code, stderr } = await service.hogctl(line, { answers: ['y'] });
    expect(code, stderr).toBe(0);
    expect([done, atWork].map(has)).toEqual([false, true]);
  });

  it('is no run that lost its journal: check says so with 9, and prune leaves its record', async () => {
    const service = await startAsGiven([allDeleted]);
    await service.hogctl('persons bulk-delete 17 --yes --no-resolve');
    const [run = ''] = runsOf(service);
    rmSync(join(run, 'journal.ndjson'));
    const list = await service.hogctl('runs list -o json');
    expect(JSON.parse(list.stdout)).toMatchObject([
      { state: expect.stringContaining('runs check says more') },
    ]);
    const { code, stderr } = await service.hogctl(`runs check ${basename(run)}`);
    expect([code, stderr]).toEqual([9, expect.stringContaining('journal.ndjson is missing')]);
    expect(stderr).toContain('bring back its files');
    for (const command of ['show', 'report', 'verify'])
      expect(await service.hogctl(`runs ${command} ${basename(run)}`)).toMatchObject({ code: 9, stderr });
    expect(await service.hogctl('runs prune --older-than 0 --yes')).toMatchObject({ code: 0 });
    expect(runsOf(service)).toEqual([run]);
  });
});
