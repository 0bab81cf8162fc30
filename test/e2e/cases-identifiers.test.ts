import { describe, expect, it } from 'vitest';
import { person, queryOf, requestsTo, startService } from '../support/service.ts';

const UUID = '12300000-1234-4abc-8def-0123456789ab';

describe('person ids are integers or UUIDs', () => {
  it.each([UUID, '42'])('asks for %s as it was written', async (id) => {
    const service = await startService([
      { on: `GET /api/projects/1/persons/${id}/`, json: { ...person(42), id: UUID, uuid: UUID } },
    ]);
    const { code, stdout } = await service.hogctl(`persons get ${id} -o json`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).id).toBe(UUID);
    expect(requestsTo(service)).toEqual([`GET /api/projects/1/persons/${id}/`]);
  });

  it.each([
    ['acct-77', 'if it is a distinct id, write --distinct-id=acct-77'],
    ["a $b'", `if it is a distinct id, write --distinct-id='a $b'\\'''`],
    ['ana@x.org', 'did you mean --email=ana@x.org? For a distinct id write --distinct-id=ana@x.org'],
    ['', 'give an id, or --distinct-id or --email'],
  ])('names the option for distinct ids before anything is sent: %j', async (id, hint) => {
    const service = await startService([]);
    expect(await service.hogctl(['persons', 'get', id])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: "${id}" is not a person id, which is an integer or a UUID\nhint: ${hint}\n`,
    });
    const twice = await service.hogctl(['persons', 'get', '1', '--email', 'ana@x.org']);
    expect(twice.stderr).toContain('hint: --email gives the <person>: leave out one of the two\n');
    expect(service.log).toEqual([]);
  });

  it('points to the option where the service takes an id for a distinct id', async () => {
    const service = await startService([
      {
        status: 400,
        json: {
          detail:
            'The ID provided does not look like a personID. If you are using a distinctId, please use /persons?distinct_id=42 instead.',
        },
      },
    ]);
    const { code, stderr } = await service.hogctl('persons get 42');
    expect(code).toBe(5);
    expect(stderr).toContain('--distinct-id');
  });

  it.each(['', '.', '..', '../1', '4/2', '4?2', '4#2', '4\\2', '4%2F2', '4\n2', '-1', '0x1F', '1e5', ' 42'])(
    'refuses %j as an id before anything is sent',
    async (id) => {
      const service = await startService([]);
      const { code } = await service.hogctl(['persons', 'get', '--', id]);
      expect(code).toBe(2);
      expect(service.log).toEqual([]);
    },
  );

  it.each(['.', '..', 'a/b', 'a?b', 'a\nb'])('refuses a project id %j', async (id) => {
    const service = await startService([]);
    const { code } = await service.hogctl('persons get 1', { environment: { HOGCTL_PROJECT: id } });
    expect(code).toBe(2);
    expect(service.log).toEqual([]);
  });
});

const DISTINCT_IDS = [
  'a b',
  'org/7/user',
  'x?y#z',
  '50%off',
  '"quoted"',
  'Zoë-日本-😀',
  ' lead',
  'trail ',
  'a+b',
  'a&b=c',
  "it's",
  '%2B',
];

describe('distinct ids with signs and letters of every kind', () => {
  const answering = (name: 'distinct_id' | 'email', wanted: string) =>
    startService([
      (received) => {
        const found = queryOf(received).get(name) === wanted;
        const properties = name === 'email' ? { email: wanted } : {};
        const hit = { ...person(7), distinct_ids: [wanted], properties };
        return received.url.startsWith('/api/projects/1/persons/7/')
          ? { json: hit }
          : { json: { next: null, results: found ? [hit] : [] } };
      },
    ]);

  it.each(DISTINCT_IDS)('finds %j', async (distinctId) => {
    const service = await answering('distinct_id', distinctId);
    const list = await service.hogctl(['persons', 'list', '--distinct-id', distinctId, '-o', 'json']);
    expect(list.code).toBe(0);
    expect(JSON.parse(list.stdout)[0].distinct_ids).toEqual([distinctId]);
    const get = await service.hogctl(['persons', 'get', `--distinct-id=${distinctId}`, '-o', 'json']);
    expect(JSON.parse(get.stdout).id).toBe(7);
    expect(service.log.slice(0, 2).map((received) => queryOf(received).get('distinct_id'))).toEqual([
      distinctId,
      distinctId,
    ]);
  });

  it('sends a plus as %2B, never as a space', async () => {
    const service = await answering('email', 'ana+test@example.org');
    const { code, stdout } = await service.hogctl('persons list --email ana+test@example.org -o json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(1);
    expect(service.log[0]?.url).toContain('email=ana%2Btest%40example.org');
  });
});

describe('an id that begins with a hyphen', () => {
  const service = () =>
    startService([
      (received) => {
        const found = queryOf(received).get('distinct_id') === '-Ab12';
        return { json: { next: null, results: found ? [{ ...person(7), distinct_ids: ['-Ab12'] }] : [] } };
      },
    ]);

  it.each([['--distinct-id', '-Ab12'], ['--distinct-id=-Ab12']])('is taken as %s %s', async (...words) => {
    const { code, stdout } = await (await service()).hogctl(['persons', 'list', ...words, '-o', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  it('is an argument after --, where it is no person id', async () => {
    const { code, stderr } = await (await service()).hogctl(['persons', 'get', '--', '-Ab12']);
    expect(code).toBe(2);
    expect(stderr).toContain('write --distinct-id=-Ab12');
  });

  it('says how to write it where it stands as an argument', async () => {
    const { code, stderr } = await (await service()).hogctl(['persons', 'get', '-Ab12']);
    expect(code).toBe(2);
    expect(stderr).toContain('an argument after --');
  });

  it('never becomes an option', async () => {
    const stub = await service();
    const get = await stub.hogctl(['persons', 'get', '--distinct-id', '-y9Kq']);
    expect(get.code).toBe(3);
    expect(get.stderr).toContain('no person has the distinct id "-y9Kq"');
    const deletion = await stub.hogctl(['persons', 'delete', '--distinct-id', '-y9Kq']);
    expect(deletion.code).not.toBe(0);
    expect(stub.log.every(({ method }) => method === 'GET')).toBe(true);
  });
});
