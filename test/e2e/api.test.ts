import { describe, expect, it } from 'vitest';
import { golden } from '../support/golden.ts';
import { listOf, people, requestsTo, startService } from '../support/service.ts';

describe.each(['specification', 'live'] as const)('free requests to the sandbox, %s', (dialect) => {
  const { shows } = golden(`api-${dialect}`, { dialect });
  shows(
    'reads relative to the project',
    'api GET insights/ -f limit=1 --columns count,results.0.short_id -o csv',
  );
  shows('misses a path', 'api GET nowhere/');
  shows('asks before it changes anything', 'api PATCH insights/1/ -f name=Renamed', { answers: ['n'] });
  shows('needs yes without a terminal', 'api PATCH insights/1/ -f name=Renamed');
  shows('changes after a yes', 'api PATCH insights/1/ -f name=Renamed --yes --columns name -o csv');
  shows('prints a change in a dry run', 'api PATCH insights/1/ -f name=x -f tags[]=a --dry-run');
  shows('prints the curl command', `api POST query/ --input - --curl`, { stdin: `{"a":"it's"}` });
  shows('refuses the path of another project', 'api GET /api/projects/2/persons/');
});

describe('a free request', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'post'])(
    'is printed and not sent in a dry run: %s',
    async (method) => {
      const service = await startService([]);
      const { code, stdout } = await service.hogctl(`api ${method} query/ --dry-run`);
      expect(code).toBe(0);
      expect(stdout).toContain(`${method.toUpperCase()} ${service.origin}/api/projects/1/query/`);
      expect(service.log).toEqual([]);
    },
  );

  it('shows JSON with its digits and its head when asked', async () => {
    const body = '{"a":1.0,"b":12345678901234567890,"c":"\\u001b[31m"}';
    const service = await startService([
      () => ({ body, headers: { 'content-type': 'application/json', 'x-of-the-service': 'yes' } }),
    ]);
    const text = '{\n  "a": 1.0,\n  "b": 12345678901234567890,\n  "c": "\\u001b[31m"\n}\n';
    expect(await service.hogctl('api GET x/')).toMatchObject({ code: 0, stdout: text, stderr: '' });
    const { stdout } = await service.hogctl('api get x/ --include');
    expect(stdout).toMatch(/^HTTP 200\n/);
    expect(stdout).toContain('\nx-of-the-service: yes\n');
    expect(stdout.endsWith(`\n\n${text}`)).toBe(true);
  });

  it('passes on what is not JSON', async () => {
    const service = await startService([() => ({ body: 'a,b\n', headers: { 'content-type': 'text/csv' } })]);
    expect((await service.hogctl('api GET x/')).stdout).toBe('a,b\n');
  });

  it.each([
    ['text/html; charset=utf-8', '<html>', 'a web page'],
    ['application/json', '<html>', 'not JSON'],
  ])('passes on %s with %s, and warns', async (type, body, words) => {
    const service = await startService([() => ({ body, headers: { 'content-type': type } })]);
    const { code, stdout, stderr } = await service.hogctl('api GET x/ -q');
    expect([code, stdout]).toEqual([0, body]);
    expect(stderr).toMatch(new RegExp(`^warning: the answer \\(status 200\\) is ${words}.*\n$`));
  });

  it.each([
    ['GET x/ -f a=1 -f "b=c d" -f l[]=1', 'GET /api/projects/1/x/?a=1&b=c%20d&l=%5B1%5D', ''],
    ['GET "/api/users/@me/?x=1" -f y=2', 'GET /api/users/@me/?x=1&y=2', ''],
    ['DELETE x/ -f a=true --yes', 'DELETE /api/projects/1/x/?a=true', ''],
    ['POST x/ -f a[b]=1 -f c=t --yes', 'POST /api/projects/1/x/', '{"a":{"b":1},"c":"t"}'],
    ['PUT x/ --yes', 'PUT /api/projects/1/x/', ''],
  ])('puts fields where the service reads them: %s', async (line, request, body) => {
    const service = await startService([() => ({ json: {} })]);
    expect((await service.hogctl(`api ${line}`)).code).toBe(0);
    expect(requestsTo(service)).toEqual([request]);
    expect(service.log[0]?.body).toBe(body);
  });

  it('sends a file as it is, with fields beside it in the query', async () => {
    const service = await startService([() => ({ json: {} })]);
    const stdin = '{ "big": 12345678901234567890 }';
    expect((await service.hogctl('api POST x/ --input - -f a=1 --yes', { stdin })).code).toBe(0);
    expect([requestsTo(service), service.log[0]?.body]).toEqual([['POST /api/projects/1/x/?a=1'], stdin]);
  });

  it('says that a method is unknown before it asks for consent', async () => {
    const service = await startService([]);
    const { stderr } = await service.hogctl('api FETCH x/');
    expect(stderr).toBe(
      'error: unknown method "FETCH"\nhint: the choices are GET, HEAD, POST, PUT, PATCH, DELETE\n',
    );
  });

  it.each([
    ['GET x/ --input -', '{}'],
    ['POST x/ --input - --yes', '{"a":'],
    ['POST x/ --input - --yes', ''],
    ['POST x/ --paginate --yes', ''],
    ['GET x/ --paginate --include', ''],
    ['FETCH x/', ''],
    ['GET ../2/persons/', ''],
    ['GET /api/projects/2/persons/', ''],
    ['GET /api/environments/2/persons/', ''],
    ['GET /API/Projects/2/persons/', ''],
    ['GET /api/organizations/@current/projects/2/', ''],
    ['GET https://elsewhere.example/api/', ''],
    ['GET //elsewhere.example/api/', ''],
    ['GET x/%2e%2e/', ''],
    ['POST x/ -f a=1', ''],
  ])('is refused before anything is sent: %s', async (line, stdin) => {
    const service = await startService([]);
    const { code, stdout } = await service.hogctl(`api ${line}`, { stdin });
    expect([code, stdout]).toEqual([2, '']);
    expect(service.log).toEqual([]);
  });

  it('reads all pages into one document', async () => {
    const service = await startService(listOf([people(2), [], people(1, 3)]));
    const { stdout } = await service.hogctl('api GET persons/ --paginate');
    expect(JSON.parse(stdout)).toEqual(people(3));
    const { stdout: lines } = await service.hogctl('api GET persons/ --paginate -o csv --columns id');
    expect(lines).toBe('id\n1\n2\n3\n');
    const empty = await startService(listOf([[]]));
    expect((await empty.hogctl('api GET persons/ --paginate')).stdout).toBe('[]\n');
  });

  it('follows no page that leads out of the project', async () => {
    const service = await startService([
      () => ({ json: { next: '/api/projects/2/persons/?offset=1', results: people(1) } }),
    ]);
    const { code, stderr } = await service.hogctl('api GET persons/ --paginate');
    expect(code).toBe(6);
    expect(stderr).toContain('the link to the next page leads out of the project');
    expect(service.log).toHaveLength(1);
  });

  it('that changes anything is sent once, and its outcome is unknown when the answer is lost', async () => {
    const service = await startService([() => ({ reset: 'after' })]);
    const { code } = await service.hogctl('api POST x/ -f a=1 --yes');
    expect(code).toBe(8);
    expect(service.log).toHaveLength(1);
  });

  it('that changes anything follows no redirect', async () => {
    const service = await startService([
      () => ({ status: 308, headers: { location: '/api/projects/1/y/' } }),
    ]);
    expect((await service.hogctl('api POST x/ --yes')).code).toBe(5);
    expect(service.log).toHaveLength(1);
  });

  it('wants a protected project named', async () => {
    const service = await startService([() => ({ json: {} })]);
    const environment = { HOGCTL_PROTECTED: '1' };
    expect((await service.hogctl('api POST x/ --yes', { environment })).code).toBe(2);
    expect(service.log).toEqual([]);
    expect((await service.hogctl('api POST x/ --yes --confirm 1', { environment })).code).toBe(0);
  });

  it('is not sent as curl, and shows no key', async () => {
    const service = await startService([]);
    const { code, stdout } = await service.hogctl('api DELETE persons/42/ --curl');
    expect(code).toBe(0);
    expect(stdout).toContain('--header "Authorization: Bearer $HOGCTL_API_KEY"');
    expect(stdout).not.toContain('phx_');
    expect(service.log).toEqual([]);
  });

  it("passes on the service's own format", async () => {
    const service = await startService([
      () => ({ body: 'id\n1\n', headers: { 'content-type': 'text/csv' } }),
    ]);
    expect((await service.hogctl('api GET persons/ --server-format csv')).stdout).toBe('id\n1\n');
    expect(requestsTo(service)).toEqual(['GET /api/projects/1/persons/?format=csv']);
  });
});
