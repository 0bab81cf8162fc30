import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { person, requestsTo, startService, startWithoutSql, startWithPeople } from '../support/service.ts';
import { answerFrom, known } from '../support/two-stores.ts';

describe('deleting someone who is already gone', () => {
  const gone = () =>
    startWithPeople([
      { on: 'DELETE /api/projects/1/persons/42/', status: 204 },
      { on: 'GET /api/projects/1/persons/', times: 9, json: { next: null, results: [] } },
    ]);

  it('is not found the second time, and not sent again', async () => {
    const service = await gone();
    expect(await service.hogctl('persons delete 42 --yes')).toMatchObject({ code: 0, stdout: '' });
    const second = await service.hogctl('persons delete 42 --yes');
    expect(second).toEqual({ code: 3, stdout: '', stderr: 'error: person 42 was not found\n' });
    expect(requestsTo(service)).toEqual(['DELETE /api/projects/1/persons/42/']);
  });

  it('is not found by a distinct id', async () => {
    const service = await gone();
    const { code, stderr } = await service.hogctl('persons delete --distinct-id gone --yes');
    expect(code).toBe(3);
    expect(stderr).toContain('error: no person has the distinct id "gone"');
    expect(requestsTo(service)).toEqual([
      'GET /api/projects/1/persons/?distinct_id=gone&limit=2',
      'GET /api/projects/1/persons/?search=gone&limit=100',
    ]);
  });

  it('is a success with --ignore-missing', async () => {
    const service = await gone();
    await service.hogctl('persons delete 42 --yes');
    const { code, stderr } = await service.hogctl('persons delete 42 --yes --ignore-missing');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Person 42 was not found; nothing was deleted.\n' });
  });

  it('is a success by a distinct id that no store shows, if the list shows somebody else', async () => {
    const line = 'persons delete --distinct-id gone --yes --ignore-missing --retries 0';
    const said = 'No person has exactly the distinct id "gone"; nothing was deleted.\n';
    const behind = [known(2, undefined, { distinct_ids: ['gone'] })];
    for (const [listed, queried, code, text] of [
      [[known(1)], undefined, 0, said],
      [[known(1)], [known(1)], 0, said],
      [[known(1)], [known(1), ...behind], 6, 'by now, or in SQL only'],
    ] as const) {
      const service = await startService([answerFrom({ listed, queried })]);
      const end = await service.hogctl(line);
      expect([end.code, end.stderr]).toEqual([code, expect.stringContaining(text)]);
    }
    const empty = { on: /distinct_id=/, times: 9, json: { next: null, results: [] } };
    const blind = await startService([empty, answerFrom({ listed: [known(1)] })]);
    const end = await blind.hogctl(line);
    expect([end.code, end.stderr]).toEqual([6, expect.stringContaining('known to be there')]);
  });

  const ana = (id: number, key: string, email: string) => ({ ...person(id), properties: { [key]: email } });
  const similar = [
    ana(1, '$email', 'Ana@Example.org'),
    ana(2, 'Email', 'ana@example.org'),
    ana(3, 'name', 'Ben'),
  ];
  it.each([
    [
      'persons delete --email ana@example.org',
      similar,
      '2 persons have it under another key ($email, Email)',
    ],
    [
      'persons delete --distinct-id USER_1',
      [person(1)],
      '1 person has it in another case or under another key (distinct id)',
    ],
  ])('is not said of somebody under another spelling: %s', async (line, results, said) => {
    const service = await startWithoutSql([
      { on: /search=/, times: 9, json: { next: null, results } },
      { on: /^GET/, times: 9, json: { next: null, results: [] } },
    ]);
    for (const more of ['', ' --ignore-missing']) {
      const { code, stderr } = await service.hogctl(`${line} --yes${more}`);
      expect([code, stderr]).toEqual([3, expect.stringContaining(said)]);
      expect(stderr).not.toContain('gone');
    }
    expect(service.log.every(({ method }) => method === 'GET')).toBe(true);
  });

  const page = { body: '<html>no such page</html>', headers: { 'content-type': 'text/html' } };
  const noProject = { json: { type: 'invalid_request', code: 'not_found', detail: 'Project not found.' } };
  it.each([
    ['wrong address', page, 5],
    ['wrong project', noProject, 3],
  ])('does not take a %s for a person who is gone', async (_, answer, expected) => {
    const service = await startService([() => ({ status: 404, ...answer })]);
    const { code, stderr } = await service.hogctl('persons delete 42 --yes --ignore-missing');
    expect(code).toBe(expected);
    expect(stderr).toContain('hint: ');
    expect(stderr).not.toContain('already gone');
  });
});

describe('a destructive command without a terminal and without --yes', () => {
  const inputs: readonly [string, () => Parameters<Awaited<ReturnType<typeof startService>>['hogctl']>[1]][] =
    [
      ['an empty input', () => ({})],
      ['a yes without a line break', () => ({ stdin: 'y' })],
      ['a yes', () => ({ stdin: 'y\n' })],
      ['an open pipe that never sends', () => ({ stdin: new PassThrough() })],
      ['CI=true', () => ({ environment: { CI: 'true' } })],
      ['a terminal of a CI job', () => ({ answers: ['y'], environment: { CI: '1' } })],
    ];
  it.each(inputs)('sends nothing with %s', async (_, setting) => {
    const service = await startService([]);
    const { code, stdout, stderr } = await service.hogctl('persons delete 42', setting());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--yes');
    expect(service.log).toEqual([]);
  });

  it.each(['', 'false', 'FALSE'])('asks at a terminal with CI=%s', async (CI) => {
    const service = await startWithPeople([]);
    const { code } = await service.hogctl('persons delete 42', { answers: ['n'], environment: { CI } });
    expect(code).toBe(7);
  });

  it('asks nobody in a CI job for what an option would say', async () => {
    const service = await startService([]);
    const setting = { answers: ['eu'], environment: { CI: 'TRUE' } };
    const login = await service.hogctl('auth login', setting);
    expect(login).toMatchObject({ code: 2, stdout: '' });
    expect(login.stderr).toContain('--host is missing');
    const bulk = await service.hogctl('persons bulk-delete 42', setting);
    expect(bulk.stderr).toContain('error: cannot ask in a CI job (CI is set): this would delete persons\n');
    expect([bulk.code, service.log]).toEqual([2, []]);
  });

  it.each(['', 'n', 'no', 'nope', 'yes please', '42'])('takes the answer %j for a no', async (answer) => {
    const service = await startWithPeople([]);
    const { code, stderr } = await service.hogctl('persons delete 42', { answers: [answer] });
    expect(code).toBe(7);
    expect(stderr).toContain('error: cancelled, nothing was changed');
    expect(requestsTo(service)).toEqual([]);
  });

  it('says whom it is about', async () => {
    const service = await startWithPeople([]);
    const { stderr } = await service.hogctl('persons delete 42', { answers: ['n'] });
    expect(stderr).toContain(
      'This will delete person 42 (person 42, user_42@example.org, created 2026-01-02, 1 distinct id) (their events and recordings stay)\nin project 1 at ',
    );
  });

  it.each(['y', 'Y', 'yes', ' YES '])('takes the answer %j for a yes', async (answer) => {
    const service = await startWithPeople([{ status: 204 }]);
    const { code } = await service.hogctl('persons delete 42', { answers: [answer] });
    expect(code).toBe(0);
    expect(requestsTo(service)).toEqual(['DELETE /api/projects/1/persons/42/']);
  });

  it('is a no when the terminal closes', async () => {
    const service = await startWithPeople([]);
    const { code } = await service.hogctl('persons delete 42', { answers: [] });
    expect(code).toBe(7);
    expect(requestsTo(service)).toEqual([]);
  });
});

describe('types of property values', () => {
  const rule: readonly [string, unknown, string][] = [
    ['30', 30, 'number'],
    ['-1.5', -1.5, 'number'],
    ['1e3', '1e3', 'text'],
    ['02134', '02134', 'text'],
    ['1.0', '1.0', 'text'],
    ['12345678901234567890', '12345678901234567890', 'text'],
    ['0x1F', '0x1F', 'text'],
    ['+4512345678', '+4512345678', 'text'],
    ['true', true, 'boolean'],
    ['TRUE', 'TRUE', 'text'],
    ['"30"', '30', 'text'],
    ['a=b', 'a=b', 'text'],
    ['{"a":1}', '{"a":1}', 'text'],
    ['', '', 'text'],
  ];

  it.each(rule)('reads %s as %j in update and in update-property', async (text, value, type) => {
    const service = await startService([() => ({ status: 200, json: {} })]);
    const update = await service.hogctl(['persons', 'update', '42', `--set=key=${text}`]);
    const set = await service.hogctl(['persons', 'set', '42', 'key', '--', text]);
    expect([update.code, set.code]).toEqual([0, 0]);
    expect(service.log[0]?.json).toEqual({ properties: { key: value } });
    expect(service.log[1]?.json).toEqual({ key: 'key', value });
    expect(update.stderr).toContain(`set key (${type})`);
  });

  it('sends text with --string, whatever it looks like', async () => {
    const service = await startService([() => ({ status: 200, json: {} })]);
    const { stderr } = await service.hogctl('persons set 42 age 30 --string');
    expect(service.log[0]?.json).toEqual({ key: 'age', value: '30' });
    expect(stderr).toContain('set age (text)');
  });

  it.each([
    ['30', 30],
    ['"30"', '30'],
    ['[1,"a",null]', [1, 'a', null]],
    ['{"city":"Oslo"}', { city: 'Oslo' }],
    ['null', null],
    ['false', false],
  ])('sends %s as JSON with --json', async (text, value) => {
    const service = await startService([() => ({ status: 200, json: {} })]);
    const { code } = await service.hogctl(['persons', 'set', '42', 'key', '--json', text]);
    expect(code).toBe(0);
    expect(service.log[0]?.json).toEqual({ key: 'key', value });
  });

  it('keeps the digits of a number in JSON', async () => {
    const service = await startService([() => ({ status: 200, json: {} })]);
    await service.hogctl(['persons', 'set', '42', 'key', '--json', '12345678901234567890']);
    await service.hogctl(['persons', 'update', '42', '--properties', '{"a":12345678901234567890,"b":1.0}']);
    expect(service.log.map(({ body }) => body)).toEqual([
      '{"key":"key","value":12345678901234567890}',
      '{"properties":{"a":12345678901234567890,"b":1.0}}',
    ]);
  });

  it.each([
    ['persons update 42 --set null=null', 'cannot be set to a plain null'],
    ['persons update 42 --set plan=null', `send null with --properties '{"plan":null}'`],
    ['persons set 42 plan null', 'send null with --json null'],
    ['persons update 42 --set =x', 'key=value'],
    ['persons update 42 --set x', 'key=value'],
    ['persons update 42', 'there is nothing to set'],
    ['persons set 42 key', '<value> is missing'],
    [`persons update 42 --properties '{"a":'`, 'not valid'],
    [`persons update 42 --properties '[]'`, 'JSON object'],
    ['persons update 42 --properties @nowhere.json', 'nowhere.json'],
    ['persons update 42 --properties -', 'empty'],
  ])('refuses %s before anything is sent', async (line, words) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl(line);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(service.log).toEqual([]);
  });
});
