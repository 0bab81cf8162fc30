import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, numbered, summary, uuid } from '../support/bulk-deletions.ts';
import { runProgram } from '../support/run-program.ts';
import { runsOf } from '../support/runs-of.ts';
import {
  nobodyThere,
  person,
  startWithoutSql,
  startWithPeople,
  temporaryDirectory,
} from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';
import type { Stub, StubAnswer } from '../support/stub-server.ts';
import { answerFrom } from '../support/two-stores.ts';

const refusal = (status: number, code: string, detail: string) => ({ status, json: { code, detail } });
const forbidden = refusal(403, 'permission_denied', "API key missing required scope 'person:write'");
const from = 'persons bulk-delete --from - --as distinct-ids';

describe('a record that has lost its ids', () => {
  /** The ids gone from the record as a verification leaves it. */
  const verified = async () => {
    const people = [1, 2, 3].map((number) => uuid(number));
    const service = await startWithPeople([
      { on: /^POST/, ...allDeleted({ json: { ids: people } }) },
      nobodyThere,
    ]);
    await service.hogctl(['persons', 'bulk-delete', ...people, '--yes']);
    expect(await service.hogctl('runs verify last')).toMatchObject({ code: 0 });
    const [run = ''] = runsOf(service);
    expect(existsSync(join(run, 'ids'))).toBe(false);
    return { service, run, people };
  };

  it('is verified one request an id where the service has no other way, also if it is busy', async () => {
    const people = Array.from({ length: 12 }, (_, index) => uuid(index + 1));
    const service = await startWithPeople([
      { on: /^POST/, ...allDeleted({ json: { ids: people } }) },
      { on: `GET /api/projects/1/persons/${people[5]}/`, status: 429, headers: { 'retry-after': '1' } },
      nobodyThere,
    ]);
    await service.hogctl(['persons', 'bulk-delete', ...people, '--yes']);
    const before = service.log.length;
    const { code, stdout } = await service.hogctl('runs verify 2026 -o json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ asked: 12, left: 0, holds: true });
    const asked = service.log.slice(before).map(({ url }) => /persons\/([^/]+)/.exec(url)?.[1] ?? 'project');
    const distinctIds = people.map((id) => `?distinct_id=of_${id}`);
    const known = asked.filter((id) => id !== '?limit=10' && id !== 'project');
    expect(known.toSorted()).toEqual([...people, people[5], ...distinctIds].toSorted());
  });

  it.each(['runs report -o csv', 'runs report -o json'])(
    'tells nothing of its people once the list was changed: %s',
    async (line) => {
      const { service, run } = await verified();
      const file = join(run, 'members.ndjson');
      const [, ...others] = readFileSync(file, 'utf8').split('\n');
      writeFileSync(file, others.join('\n'));
      const { code, stdout, stderr } = await service.hogctl(`${line} ${run}`);
      expect([code, stdout]).toEqual([9, '']);
      expect(stderr).toContain('was changed since the run was planned');
    },
  );

  it('still tells whether an id was in the run', async () => {
    const { service, people } = await verified();
    const found = await service.hogctl(`runs find -o json --ids ${people[1]?.toUpperCase()}`);
    expect([found.code, JSON.parse(found.stdout)]).toMatchObject([9, [{ proven_at: expect.any(String) }]]);
    expect(await service.hogctl(`runs find --ids ${uuid(9)}`)).toMatchObject({ code: 0 });
  });

  it('loses its ids by prune whatever it owes, also if somebody removed them by hand', async () => {
    const people = [1, 2].map((number) => uuid(number));
    const service = await startWithPeople([allDeleted]);
    await service.hogctl(['persons', 'bulk-delete', ...people, '--delete-events', '--yes']);
    rmSync(join(runsOf(service)[0] ?? '', 'ids'));
    expect(await service.hogctl('runs prune last --yes')).toMatchObject({ code: 0 });
    expect(await service.hogctl('runs verify --due')).toMatchObject({ code: 0 });
    expect(await service.hogctl('runs prune last --yes')).toMatchObject({ code: 5 });
  });
});

describe('a run that is not done', () => {
  const begin = async (more = '') => {
    const answer = summary({ found: 100, deleted: 100, events: more !== '' });
    const service = await startWithPeople(
      [{ on: /^POST/, status: 202, json: answer }, { on: /^POST/, ...forbidden }, allDeleted],
      { verifies: true },
    );
    const { code } = await service.hogctl(`${from} --yes${more}`, { stdin: numbered(103).join('\n') });
    expect(code).toBe(8);
    return service;
  };

  it('keeps its ids as long as somebody is left, so that it can be resumed', async () => {
    const service = await begin();
    const verified = await service.hogctl('runs verify 2026 -o json');
    const figures = { asked: 103, left: 3, lines: { gone: 100, refused: 3 }, holds: false };
    expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([9, figures]);
    expect(verified.stderr).toContain('"3 persons still there, and 3 ids not known to be done"');
    expect(verified.stderr).toMatch(/"hint":"hogctl runs resume \S+ sends what is left"/);
    expect(runsOf(service).map((run) => existsSync(join(run, 'ids')))).toEqual([true]);
    expect(await service.hogctl('runs resume 2026 --yes')).toMatchObject({ code: 0 });
    await service.hogctl('runs verify 2026');
    expect(runsOf(service).map((run) => existsSync(join(run, 'ids')))).toEqual([false]);
  });

  it('is not verified as long as the deletion of events was not asked for', async () => {
    const service = await begin(' --delete-events');
    const { code, stderr } = await service.hogctl('runs verify 2026');
    expect(code).toBe(9);
    expect(stderr).toMatch(
      /error: 3 persons still there, and 3 ids not known to be done, and \d+ events? from/,
    );
    expect(runsOf(service).map((run) => existsSync(join(run, 'ids')))).toEqual([true]);
  });
});

describe('a receipt', () => {
  const one = { stdin: 'id\n1\n' };
  const line = (file: string) => `persons bulk-delete --from - --as ids --yes -o json --receipt ${file}`;

  it('is tried before anything is sent', async () => {
    const service = await startWithPeople([]);
    const file = join(temporaryDirectory(), 'missing', 'answer.csv');
    const { code, stderr } = await service.hogctl(line(file), one);
    expect([code, service.log]).toEqual([2, []]);
    expect(stderr).toContain(file);
  });

  it('does not hide that all was sent where it cannot be written afterwards', async () => {
    const directory = join(temporaryDirectory(), 'gone');
    mkdirSync(directory);
    const work = () => {
      rmSync(directory, { recursive: true });
      writeFileSync(directory, 'no directory any more');
    };
    const service = await startWithPeople([{ ...allDeleted({ json: { ids: ['1'] } }), work }]);
    const { code, stdout, stderr } = await service.hogctl(line(join(directory, 'answer.csv')), one);
    expect(JSON.parse(stdout)).toMatchObject({ deleted: 1 });
    expect(code).toBe(8);
    expect(stderr).toMatch(/everything was sent, but cannot create .*runs resume \S+ writes it again/);
  });
});

describe('where a run is kept', () => {
  it.each(['persons bulk-delete --property plan=x --yes --max 9', 'persons delete --distinct-id x --yes'])(
    'is tried before anything is asked of the service: %s',
    async (line) => {
      const service = await startWithPeople([]);
      const file = join(temporaryDirectory(), 'file');
      writeFileSync(file, '');
      const { code, stderr } = await service.hogctl(line, { environment: { HOGCTL_STATE_DIR: file } });
      expect(code).toBe(2);
      expect(stderr).toContain('HOGCTL_STATE_DIR');
      expect(service.log).toEqual([]);
    },
  );

  it('is named in no way in a dry run', async () => {
    const service = await startWithPeople([]);
    const { code } = await service.hogctl('persons bulk-delete 1 2 --dry-run');
    expect(code).toBe(0);
    expect(readdirSync(service.environment.HOGCTL_STATE_DIR ?? '')).toEqual([]);
  });
});

describe('progress', () => {
  const slowly = () => {
    let time = Date.UTC(2026, 2, 2, 12);
    return {
      stdin: numbered(100).join('\n'),
      now: () => {
        time += 400;
        return time;
      },
    };
  };
  const progressOf = (stderr: string) => stderr.split('\n').filter((line) => /a second/.test(line));

  it('is a line now and then where there is no terminal', async () => {
    const service = await startWithPeople([allDeleted]);
    const { stderr } = await service.hogctl(`${from} --batch-size 20 --yes`, slowly());
    const lines = progressOf(stderr);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(9);
    expect(lines.at(-1)).toMatch(/^\d+ of 100 ids, \d+ a second/);
  });

  it('is a bar on a terminal, which goes at the end', async () => {
    const service = await startWithPeople([allDeleted]);
    const { stderr } = await service.hogctl(
      ['persons', 'bulk-delete', '--distinct-ids', numbered(100).join(','), '--batch-size', '20', '--yes'],
      { ...slowly(), stdin: '', answers: [] },
    );
    expect(stderr).toContain('\r\u001b[K');
    expect(stderr).toContain('of 100 ids');
  });

  it('is nothing with --quiet', async () => {
    const service = await startWithPeople([allDeleted]);
    const { stderr } = await service.hogctl(`${from} --batch-size 20 --yes --quiet`, slowly());
    expect(progressOf(stderr)).toEqual([]);
  });
});

describe('the record of one person', () => {
  /**
   * A service of the specification with person 42, until one of these answers to a deletion is marked as of one that ran,
   * and somebody else. Without them deletions are done. Look-ups after the first one may be answered otherwise.
   */
  const startOne = (
    answers: readonly (StubAnswer & { readonly ran?: true })[],
    after: StubAnswer | undefined = undefined,
  ) => {
    const left = [...answers];
    let listed = [person(42), person(999)];
    let isTried = false;
    return startWithoutSql([
      (received) => {
        if (received.method === 'GET' && isTried && after !== undefined) return after;
        if (received.method === 'GET') return answerFrom({ listed })(received);
        isTried = true;
        const answer = left.shift();
        if (answer === undefined || answer.ran) listed = [person(999)];
        return answer ?? (received.method === 'DELETE' ? { status: 204 } : allDeleted(received));
      },
    ]);
  };
  const deletions = ({ log }: Pick<Stub, 'log'>) =>
    log.flatMap(({ method }) => (method === 'GET' ? [] : method));

  it('is a run with one id', async () => {
    const service = await startOne([]);
    expect(await service.hogctl('persons delete 42 --yes')).toMatchObject({ code: 0 });
    const { stdout } = await service.hogctl('runs list -o json');
    expect(JSON.parse(stdout)).toMatchObject([{ project: '1', ids: 1, state: 'done', owed: null }]);
  });

  it.each([
    ['a connection', { reset: 'after' }],
    ['a gateway', { status: 502 }],
  ] as const)('takes nobody at the look-up after a lost answer for gone: %s', async (_, lost) => {
    const service = await startOne([{ ...lost, ran: true }]);
    const { code, stdout, stderr } = await service.hogctl('persons delete 42 --yes');
    expect(code).toBe(0);
    expect(stdout + stderr).toContain('Person 42 is gone from project 1, although no answer said so.');
    expect(stdout + stderr).not.toContain('accepted');
    expect(deletions(service)).toEqual(['DELETE']);
  });

  it('does not say that events were asked for where that answer was lost', async () => {
    const service = await startOne([{ reset: 'after', ran: true }]);
    const { code, stdout, stderr } = await service.hogctl('persons delete 42 --delete-events --yes');
    expect(code).toBe(8);
    expect(stderr).toContain(
      'error: 1 id is gone, and no answer says that their events or recordings go, too',
    );
    expect(stdout + stderr).not.toContain('was requested');
  });

  it('takes no web page for gone, also after a lost answer', async () => {
    const page = { status: 404, body: '<html>', headers: { 'content-type': 'text/html' } };
    const service = await startOne([{ reset: 'after', ran: true }], page);
    const { code, stderr } = await service.hogctl('persons delete 42 --yes --ignore-missing');
    expect(code).toBe(8);
    expect(stderr).toContain('check the host');
    expect(stderr).toMatch(/hogctl runs resume \S+ sends what is left/);
    const { stdout } = await service.hogctl('runs list -o json');
    expect(JSON.parse(stdout)).toMatchObject([{ state: 'stopped', owed: 'persons' }]);
  });

  it('keeps what the service said where it could not delete', async () => {
    const failed = refusal(503, 'person_deletion_failed', 'Deleting the person failed at step postgres.');
    const service = await startOne([failed, failed]);
    const { code, stderr } = await service.hogctl('persons delete 42 --yes --retries 1');
    expect(code).toBe(6);
    expect(stderr).toContain('answered 503: Deleting the person failed at step postgres');
    expect(stderr).toMatch(/hogctl runs resume \S+ looks the person up and sends the request again/);
    const [run = ''] = runsOf(service);
    expect(readFileSync(join(run, 'journal.ndjson'), 'utf8')).toContain('"code":"person_deletion_failed"');
  });

  it('is open after a refusal of the key, and resumed', async () => {
    const service = await startOne([forbidden]);
    expect(await service.hogctl('persons delete 42 --yes')).toMatchObject({ code: 4 });
    const before = service.log.length;
    expect(await service.hogctl('runs resume 2026 --yes')).toMatchObject({ code: 0 });
    expect(deletions(service)).toEqual(['DELETE', 'POST']);
    expect(service.log[before]).toMatchObject({ method: 'GET', url: `/api/projects/1/persons/${uuid(42)}/` });
  });

  it('bears the label of the key that login stored', async () => {
    const service = await startWithPeople([
      { on: /personal_api_keys/, json: { id: 'x', label: 'erasure desk', scopes: ['*'] } },
      { on: /^GET \S+\/persons\/42\//, json: person(42) },
      { on: /^GET/, times: 9, json: { id: 1, name: 'Shop', results: [] } },
      { status: 204 },
    ]);
    const {
      HOGCTL_CONFIG_DIR = '',
      HOGCTL_STATE_DIR = '',
      HOGCTL_HOST,
      HOGCTL_API_KEY,
    } = service.environment;
    const environment = { HOGCTL_CONFIG_DIR, HOGCTL_STATE_DIR };
    const hogctl = (line: string, stdin = '') => runProgram(splitWords(line), { environment, stdin });
    const login = `auth login --host ${HOGCTL_HOST} --project 1 --name shop --dialect specification --key-stdin`;
    expect(await hogctl(login, `${HOGCTL_API_KEY}\n`)).toMatchObject({ code: 0 });
    expect(await hogctl('persons delete 42 --project shop --yes')).toMatchObject({ code: 0 });
    expect((await hogctl('runs report 2026')).stdout).toContain('key erasure desk');
  });
});

it('prunes all others if somebody begins to work on one of the runs', async () => {
  const service = await startWithPeople([allDeleted]);
  for (const number of [1, 2, 3]) await service.hogctl(`persons bulk-delete ${uuid(number)} --yes`);
  const runs = runsOf(service);
  const holder = { pid: 7, began: 1, host: 'elsewhere', boot: null, namespace: null, at: '2026-03-03' };
  const now = () => {
    const isFirstDone = !existsSync(join(runs[0] ?? '', 'ids'));
    if (isFirstDone) writeFileSync(join(runs[1] ?? '', 'lock-1'), JSON.stringify(holder));
    return Date.UTC(2026, 2, 2, 13);
  };
  const { code, stderr } = await service.hogctl('runs prune --older-than 0d --yes', { now });
  expect([code, runs.map((run) => existsSync(join(run, 'ids')))]).toEqual([8, [false, true, false]]);
  expect(stderr).toContain('another process works on this run');
  expect(stderr).toContain('error: 1 of 3 runs keeps its ids');
});

it('prunes all others if one of the runs cannot be opened, and names that one', async () => {
  const service = await startWithPeople([allDeleted]);
  for (const number of [1, 2, 3]) await service.hogctl(`persons bulk-delete ${uuid(number)} --yes`);
  const runs = runsOf(service);
  const [, damaged = ''] = runs;
  writeFileSync(join(damaged, 'journal.ndjson'), '{}\n');
  const { code, stderr } = await service.hogctl('runs prune --older-than 0d --yes');
  expect([code, runs.map((run) => existsSync(join(run, 'ids')))]).toEqual([8, [false, true, false]]);
  expect(stderr).toContain(`warning: run ${basename(damaged)} is incomplete or changed`);
  expect(stderr).toContain('error: 1 of 3 runs keeps its ids');
});
