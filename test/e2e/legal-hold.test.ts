import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { KEY, person, queryOf, startWithoutSql, temporaryDirectory } from '../support/service.ts';
import { withoutKey } from '../support/stored-key.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';

const PEOPLE = [1, 2, 3].map(person);

const isDeletion = ({ method, url }: Received) => method === 'DELETE' || url.includes('/bulk_delete/');

/** A service of three people in a project that is stored with a legal hold, `hold.csv`. */
async function start(held: string, words = '--except FOLDER/hold.csv --except-as emails') {
  const gone = new Set<number>();
  const answer = (received: Received): StubAnswer => {
    const { method, url } = received;
    if (url.includes('/personal_api_keys/')) return { status: 404, json: { detail: 'Not found.' } };
    if (url.includes('/bulk_delete/')) {
      for (const id of idsOf(received)) gone.add(Number(id));
      return allDeleted(received);
    }
    const there = PEOPLE.filter(({ id }) => !gone.has(id));
    const [, one] = /\/persons\/([^/?]+)\//.exec(url) ?? [];
    const known = there.find(({ id, uuid }) => String(id) === one || uuid === one);
    if (method === 'DELETE') {
      gone.add(known?.id ?? 0);
      return { status: 202, body: '' };
    }
    if (one !== undefined) return known ? { json: known } : { status: 404, json: { code: 'not_found' } };
    const asked = queryOf(received);
    const [distinctId, email, search] = ['distinct_id', 'email', 'search'].map((name) => asked.get(name));
    const results = there.filter(
      ({ distinct_ids: ids, properties }) =>
        (!distinctId || ids.includes(distinctId)) &&
        (!email || properties.email === email) &&
        (!search || properties.email.includes(search.toLowerCase())),
    );
    return { json: { next: null, results } };
  };
  const service = await startWithoutSql([answer]);
  const folder = temporaryDirectory();
  const hold = join(folder, 'hold.csv');
  writeFileSync(hold, held);
  const login = (more: string) => {
    const line = `auth login --host ${service.origin} --project 1 --name shop --key-stdin ${more}`;
    return service.hogctl(line.replaceAll('FOLDER', folder), { stdin: KEY });
  };
  const stored = await login(words);
  const deleted = () => service.log.filter(({ url }) => url.includes('/bulk_delete/')).flatMap(idsOf);
  const deletions = () => service.log.filter(isDeletion);
  return { ...service, folder, hold, login, stored, deleted, deletions };
}

const HELD = 'case;email\nC-1;user_2@example.org\n';
const BULK = 'persons bulk-delete --distinct-ids user_1,user_2 --yes';

describe('a legal hold that is stored with a project', () => {
  it('spares its people in every deletion, with whichever key, and is shown in each plan', async () => {
    const { hogctl, deleted, hold, stored } = await start(HELD);
    expect([stored.code, stored.stderr]).toEqual([
      0,
      expect.stringContaining(`Its legal hold is ${hold} (emails).`),
    ]);
    const dry = await hogctl(`${BULK} --dry-run`);
    expect(dry.stdout.replaceAll('\n', ' ')).toContain(`the people in ${hold} are excepted`);
    const { code, stderr } = await hogctl(BULK);
    expect([code, deleted()], stderr).toEqual([0, ['1']]);
    expect(stderr).toContain(`Legal hold of project shop, from ${hold}:\n`);
    expect(stderr).toContain('1 person excepted\n');
  });

  it('stands by its path, and is never copied', async () => {
    const { environment, hold, hogctl } = await start(HELD);
    const config = readFileSync(join(environment.HOGCTL_CONFIG_DIR ?? '', 'config.json'), 'utf8');
    expect(JSON.parse(config).projects[0].except).toEqual({ file: hold, as: 'emails' });
    expect(config).not.toContain('user_2');
    const list = await hogctl('auth list -o json');
    expect(JSON.parse(list.stdout)).toEqual([expect.objectContaining({ except: `${hold} (emails)` })]);
    const status = await hogctl('auth status -o json');
    expect(JSON.parse(status.stdout)).toMatchObject({ except: [`${hold} (emails)`] });
  });

  it('is read anew for each deletion, beside the exceptions of the command', async () => {
    const { hogctl, hold, folder, deleted } = await start(HELD);
    writeFileSync(hold, 'case;email\nC-2;user_1@example.org\n');
    writeFileSync(join(folder, 'more.txt'), 'user_3\n');
    const line = 'persons bulk-delete --distinct-ids user_1,user_2,user_3 --yes';
    const { code } = await hogctl(`${line} --except ${folder}/more.txt --except-as distinct-ids`);
    expect([code, deleted()]).toEqual([0, ['2']]);
  });

  it('is left out with --no-except, which is told', async () => {
    const { hogctl, deleted, hold } = await start(HELD);
    const { code, stderr } = await hogctl(`${BULK} --no-except`);
    expect([code, deleted()]).toEqual([0, ['1', '2']]);
    expect(stderr).toContain(
      `warning: the legal hold of project shop is left out of this deletion: ${hold} (emails)\n`,
    );
  });

  it('is kept by a new key, and goes with --no-except', async () => {
    const { hogctl, login, deleted, hold } = await start(HELD);
    expect(await login('')).toMatchObject({ code: 0, stderr: expect.stringContaining(hold) });
    // The name tells place and key of what is stored, so that only the hold is said anew.
    const removed = await hogctl('auth login --name shop --no-except');
    expect([removed.code, removed.stderr.includes(hold)], removed.stderr).toEqual([0, false]);
    const again = await hogctl(`auth login --name shop --except ${hold} --except-as emails`);
    expect([again.code, again.stderr.includes(hold)], again.stderr).toEqual([0, true]);
    expect(await login('--no-except')).toMatchObject({ code: 0 });
    expect(await hogctl(BULK)).toMatchObject({ code: 0 });
    expect(deleted()).toEqual(['1', '2']);
  });

  it.each([
    ['a missing file', '--except FOLDER/none.csv --except-as emails', 'none.csv'],
    ['an empty file', '--except FOLDER/empty.csv --except-as emails', 'holds no addresses'],
    ['a damaged line', '--except FOLDER/odd.csv --except-as emails', 'looks damaged'],
    ['no kind', '--except FOLDER/hold.csv', '--except needs --except-as'],
    ['standard input', '--except - --except-as emails', 'takes the name of a file, not -'],
    ['no such column', '--except FOLDER/hold.csv --except-as emails --except-column x', 'no column "x"'],
    ['a column alone', '--except-column x', '--except-column needs --except'],
    ['both', '--except FOLDER/hold.csv --except-as emails --no-except', 'cannot be used together'],
  ])('is not stored with %s', async (_, words, text) => {
    const { login, hogctl, folder } = await start(HELD, '');
    writeFileSync(join(folder, 'empty.csv'), '');
    writeFileSync(join(folder, 'odd.csv'), 'email\n#N/A\n');
    const { code, stderr } = await login(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
    expect((await hogctl('auth list -o json')).stdout).not.toContain('except');
  });
});

describe('a legal hold that cannot be read', () => {
  it.each([
    ['missing', undefined, 'cannot read'],
    ['empty', '', 'holds no addresses'],
    ['without its lines', 'case;email\n', 'holds no addresses'],
    ['damaged', 'case;email\nC-1;null\n', 'looks damaged'],
    ['without the column', 'case;who\nC-1;user_2@example.org\n', 'name the one that holds the ids'],
  ])('stops each deletion before anything is asked: %s', async (_, text, message) => {
    const { hogctl, hold, log, login } = await start(HELD);
    expect(await hogctl(`${BULK} --plan-only`)).toMatchObject({ code: 0 });
    if (text === undefined) rmSync(hold);
    else writeFileSync(hold, text);
    const before = log.length;
    for (const line of [
      BULK,
      `${BULK} --dry-run`,
      'persons bulk-delete --projects shop --distinct-ids user_1 --yes',
      'persons delete --distinct-id user_1 --yes',
      'persons delete --distinct-id user_1 --projects shop --yes',
      'runs resume 2026 --yes',
    ]) {
      const { code, stderr } = await hogctl(line);
      expect([code, log.length], line).toEqual([2, before]);
      expect(stderr).toContain('the legal hold of project shop cannot be used');
      expect(stderr).toContain(message);
      expect(stderr).toContain('auth login');
    }
    expect(await login('--no-except')).toMatchObject({ code: 0 });
    expect(await hogctl('runs resume 2026 --yes')).toMatchObject({ code: 0 });
  });

  it('is told with what is wrong with the list', async () => {
    const { hogctl, hold, log, folder } = await start(HELD);
    rmSync(hold);
    writeFileSync(join(folder, 'list.txt'), 'null\n');
    const before = log.length;
    const { code, stderr } = await hogctl(`persons bulk-delete --from ${folder}/list.txt --as emails --yes`);
    expect([code, log.length]).toEqual([2, before]);
    expect(stderr).toContain('looks damaged');
    expect(stderr).toContain('cannot be used');
  });
});

describe('persons delete', () => {
  it.each(['', '--dry-run', '--projects shop'])('keeps whoever is on legal hold, %s', async (words) => {
    const { hogctl, deletions, hold } = await start(HELD);
    const { code, stderr } = await hogctl(`persons delete --distinct-id user_2 ${words} --yes`);
    expect([code, deletions()]).toEqual([2, []]);
    expect(stderr).toContain(`excepted by ${hold}`);
    expect(await hogctl('persons delete --distinct-id user_1 --yes')).toMatchObject({ code: 0 });
    expect(deletions()).toHaveLength(1);
  });
});

describe('runs resume', () => {
  it('spares whoever came onto the legal hold since the plan, who stays owed', async () => {
    const { hogctl, deleted, hold, environment } = await start('case;email\nC-1;user_3@example.org\n');
    expect(await hogctl(`${BULK} --plan-only`)).toMatchObject({ code: 0 });
    writeFileSync(hold, HELD);
    const { code, stderr } = await hogctl('runs resume 2026 --yes');
    expect([code, deleted()], stderr).toEqual([8, ['1']]);
    expect(stderr).toContain('warning: 1 person of this run is now excepted: not sent, and still owed\n');
    const [run = ''] = runsOf({ environment });
    const journal = readFileSync(join(run, 'journal.ndjson'), 'utf8');
    expect(journal).toContain('"type":"excepted"');
    expect(journal).not.toContain('user_2');
    // It is the record that spares them from then on.
    writeFileSync(hold, 'case;email\nC-1;user_3@example.org\n');
    expect(await hogctl('runs resume 2026 --yes')).toMatchObject({ code: 8 });
    expect(deleted()).toEqual(['1']);
    expect(await hogctl('runs verify 2026')).toMatchObject({ code: 9 });
    expect((await hogctl('runs check 2026')).code).toBe(0);
  });

  it('writes nothing in a dry run', async () => {
    const { hogctl, hold, environment } = await start('case;email\nC-1;user_3@example.org\n');
    expect(await hogctl(`${BULK} --plan-only`)).toMatchObject({ code: 0 });
    const [run = ''] = runsOf({ environment });
    const record = () => readdirSync(run).map((name) => readFileSync(join(run, name), 'utf8'));
    const before = record();
    writeFileSync(hold, HELD);
    expect(await hogctl('runs resume 2026 --dry-run')).toMatchObject({ code: 0 });
    expect(record()).toEqual(before);
  });

  it('is not needed for the same command, which spares them, too', async () => {
    const { hogctl, deleted, hold } = await start('case;email\nC-1;user_3@example.org\n');
    expect(await hogctl(`${BULK} --plan-only`)).toMatchObject({ code: 0 });
    writeFileSync(hold, HELD);
    const { code } = await hogctl(BULK);
    expect([code, deleted()]).toEqual([0, ['1']]);
  });
});

it('holds for a stored key, and for each project of several', async () => {
  const { hogctl, deleted, environment, log } = await start(HELD);
  const { HOGCTL_STATE_DIR = '' } = environment;
  const setting = { environment: { ...withoutKey(environment), HOGCTL_STATE_DIR } };
  const line = 'persons bulk-delete --distinct-ids user_1,user_2 --projects shop --yes';
  const { code, stderr } = await hogctl(line, setting);
  expect([code, deleted()], stderr).toEqual([0, ['1']]);
  expect(log.length).toBeGreaterThan(0);
});
