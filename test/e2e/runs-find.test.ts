import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../src/json/kinds.ts';
import type { SandboxKey } from '../../src/sandbox/routes.ts';
import type { Dialect } from '../../src/service/endpoint.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';

const THURSDAY = Date.parse('2026-06-18T12:00:00Z');
const data = {
  persons: ['ana', 'bo', 'cy'].map((name, index) => ({
    distinct_ids: [`user_${index}`, `phone_${index}`],
    properties: { email: `${name}@example.org` },
  })),
};

/** A sandbox and a state directory; a minute passes from command to command. */
async function start(dialect: Dialect = 'live', persons: Json = data, keys?: readonly SandboxKey[]) {
  const now = new Date(THURSDAY).toISOString();
  const sandbox = await borrowSandbox({ dialect, now, data: persons, keys });
  onTestFinished(() => sandbox.stop());
  const state = temporaryDirectory();
  let minute = 0;
  const hogctl = (line: string, stdin = '') => {
    minute += 1;
    const now = THURSDAY + minute * 60_000;
    return runProgram(splitWords(line), {
      stdin,
      now: () => now,
      environment: {
        ...sandboxEnvironment(sandbox, dialect),
        HOGCTL_STATE_DIR: state,
      },
    });
  };
  const find = async (as: string, stdin: string) => {
    const { code, stdout, stderr } = await hogctl(`runs find --from - --as ${as} -o json`, stdin);
    return { code, stderr, rows: stdout === '' ? [] : JSON.parse(stdout) };
  };
  const runs = () => readdirSync(join(state, 'runs')).map((name) => join(state, 'runs', name));
  const uuidOf = async (id: string) =>
    String(JSON.parse((await hogctl(`persons get --distinct-id ${id} -o json`)).stdout).uuid);
  return { hogctl, find, runs, uuidOf };
}

describe('runs find', () => {
  it('knows erased people by address, distinct ids and UUID, also when the ids have gone', async () => {
    const { hogctl, find, runs, uuidOf } = await start();
    const [ana, bo] = [await uuidOf('user_0'), await uuidOf('user_1')];
    expect(await hogctl('persons bulk-delete --distinct-ids user_0 --yes')).toMatchObject({ code: 0 });
    expect(await hogctl('runs verify last')).toMatchObject({ code: 0 });
    const [run = ''] = runs();
    expect(readdirSync(run)).not.toContain('ids');
    const kinds = [
      ['emails', 'email\nbo@example.org\nANA@Example.org\n', 'ANA@Example.org', 3],
      ['distinct-ids', 'user_1\nphone_0\n', 'phone_0', 2],
      ['ids', `${bo}\n${ana.toUpperCase()}\n`, ana.toUpperCase(), 2],
    ] as const;
    for (const [as, list, given, line] of kinds) {
      const { code, rows, stderr } = await find(as, list);
      const when = { erased_at: '2026-06-18T12:03:00.000Z', proven_at: '2026-06-18T12:04:00.000Z' };
      expect([as, code, rows]).toMatchObject([as, 9, [{ line, given, outcome: 'gone', ...when }]]);
      expect(stderr).toContain('1 of 2 lines names a person that a run erased');
    }
    const asked = await hogctl('runs find --emails bo@example.org,ana@example.org');
    expect([asked.code, asked.stderr]).toEqual([
      9,
      expect.stringContaining('1 of 2 addresses names a person'),
    ]);
    expect(asked.stderr).not.toContain('import');
    expect(await find('emails', 'bo@example.org\ncy@example.org\n')).toMatchObject({ code: 0, rows: [] });
    for (const [as, text] of [
      ['emails', ' ana@example.org'],
      ['distinct-ids', 'phone_0 '],
    ] as const)
      expect(await find(as, `${text}\n`)).toMatchObject({
        code: 9,
        rows: [{ line: 1, given: as === 'emails' ? text.trim() : text }],
      });
  });

  it('names a run that cannot be asked by this kind, and ends with 8 if nobody is found', async () => {
    const { hogctl, find, runs } = await start();
    expect(await hogctl('persons bulk-delete --distinct-ids user_0 --yes')).toMatchObject({ code: 0 });
    const unknown = await find('ids', '7\n');
    expect([unknown.code, unknown.rows]).toEqual([8, []]);
    const told =
      /warning: run 2026\S+ cannot answer for all of them: for 1 of its 1 id the record holds no person id/;
    expect(unknown.stderr).toMatch(told);
    expect(await find('distinct-ids', 'user_1\n')).toMatchObject({ code: 0 });
    expect(await find('distinct-ids', 'user_0\n')).toMatchObject({ code: 9 });
    expect(await hogctl('persons bulk-delete --emails bo@example.org --yes')).toMatchObject({ code: 0 });
    const both = await find('emails', 'Bo@example.org\n');
    expect([both.code, both.rows.length]).toEqual([9, 1]);
    rmSync(join(runs()[1] ?? '', 'check-key'));
    const keyless = await find('emails', 'Bo@example.org\n');
    expect(keyless.code).toBe(8);
    expect(keyless.stderr).toContain('the check key of this run is missing');
  });

  it('counts nobody of a plan that was not carried out, and tells that a record was changed', async () => {
    const { hogctl, find, runs } = await start();
    await hogctl('persons bulk-delete --distinct-ids user_0 --plan-only --yes');
    const { code, rows } = await find('emails', 'ana@example.org\n');
    expect([code, rows]).toMatchObject([0, [{ outcome: 'not sent', erased_at: null, proven_at: null }]]);
    expect(await hogctl('runs resume 2026 --yes --project 1')).toMatchObject({ code: 0 });
    const [run = ''] = runs();
    const members = join(run, 'members.ndjson');
    const old = readFileSync(members, 'utf8').replace(/,"ids".*\}/, '}');
    writeFileSync(members, old);
    const damaged = await find('emails', 'ana@example.org\n');
    expect(damaged).toMatchObject({ code: 8, stderr: expect.stringContaining('was changed') });
  });

  it('knows nobody by a run that kept the persons, and a person of two ids once', async () => {
    const { hogctl, find } = await start();
    const keep = 'persons bulk-delete --distinct-ids user_0 --delete-events --keep-person --yes';
    expect(await hogctl(keep)).toMatchObject({ code: 0 });
    expect(await find('distinct-ids', 'user_0\n')).toMatchObject({ code: 0, rows: [] });
    const erase = 'persons bulk-delete --distinct-ids user_1,phone_1 --yes';
    expect(await hogctl(erase)).toMatchObject({ code: 0 });
    const { code, rows, stderr } = await find('emails', '\n bo@example.org\n\n');
    expect([code, rows.length], stderr).toEqual([9, 1]);
  });

  it('tells a run whose plan cannot be read', async () => {
    const { hogctl, find, runs } = await start();
    expect(await hogctl('persons bulk-delete --distinct-ids user_0 --yes')).toMatchObject({ code: 0 });
    writeFileSync(join(runs()[0] ?? '', 'plan.json'), '{');
    const { code, stderr } = await find('emails', 'bo@example.org\n');
    expect([code, stderr]).toEqual([8, expect.stringMatching(/^warning: run 2026\S+ cannot answer/m)]);
  });

  describe('with people of more distinct ids than a look-up of many tells', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `anon_${index}`);
    const persons = [{ distinct_ids: many(12), properties: { email: 'dee@example.org' } }];

    it('deletes and finds them by each of their ids', async () => {
      const { hogctl, find } = await start('live', { persons });
      const erase = await hogctl('persons bulk-delete --distinct-ids anon_11 --yes');
      expect(erase, erase.stderr).toMatchObject({ code: 0 });
      for (const id of ['anon_0', 'anon_10', 'anon_11'])
        expect(await find('distinct-ids', `${id}\n`)).toMatchObject({ code: 9, rows: [{ given: id }] });
      expect(await find('distinct-ids', 'anon_12\n')).toMatchObject({ code: 0 });
    });

    it('asks about each of them by itself if the key may not query', async () => {
      const key = { key: 'phx_0123456789abcdefghij', label: 'persons', scopes: ['person:write'] };
      const { hogctl, find } = await start('live', { persons }, [key]);
      const erase = await hogctl('persons bulk-delete --distinct-ids anon_0 --yes');
      expect(erase, erase.stderr).toMatchObject({ code: 0 });
      expect(await find('distinct-ids', 'anon_11\n')).toMatchObject({ code: 9 });
    });

    it('ends with 8 if the service may not have named all of them', async () => {
      const people = [{ ...persons[0], distinct_ids: many(1001) }, ...data.persons];
      const { hogctl, find } = await start('live', { persons: people });
      const erase = await hogctl('persons bulk-delete --property email:exact=dee@example.org --yes --max 1');
      expect(erase, erase.stderr).toMatchObject({ code: 0 });
      expect(await find('distinct-ids', 'anon_0\n')).toMatchObject({ code: 9 });
      const { code, stderr } = await find('distinct-ids', 'other\n');
      expect(code).toBe(8);
      expect(stderr).toContain('for 1 of its 1 id the record holds no distinct ids, or not all of them');
      expect(await find('emails', 'other@example.org\n')).toMatchObject({ code: 0 });
    });
  });

  it('tells lines without an id, and refuses a list of no kind', async () => {
    const { find, hogctl } = await start();
    const { code, stderr } = await find('emails', 'x,email\nAna,\nBo,bo@example.org\n');
    expect(code).toBe(2);
    expect(stderr).toContain('--column');
    const csv = await hogctl(
      'runs find --from - --as emails --column email',
      'x,email\nAna,\nBo,b@example.org\n',
    );
    expect(csv).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 line without an id is left out'),
    });
    const two = 'x,email\nAna,\nCy,\nBo,b@example.org\n';
    const both = await hogctl('runs find --from - --as emails --column email', two);
    expect(both.stderr).toContain('2 lines without an id are left out');
    expect(await hogctl('runs find --as emails')).toMatchObject({ code: 2 });
  });
});
