import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { parseBase } from '../../../src/http/build-request.ts';
import { persons } from '../../../src/service/persons.ts';
import { platform } from '../../../src/service/platform.ts';
import { failureOf, makeClient } from './make-client.ts';
import { openForFile } from './open-stubs.ts';

const { stub, watched } = await openForFile();

describe('the base address', () => {
  it.each(['/ph', '/ph/', '/ph//'])('keeps %s as its path, with single slashes', async (path) => {
    const { client } = makeClient(` ${stub.origin}${path} `);
    await client.call(persons.list, {});
    await client.close();
    expect(stub.log.at(-1)?.url).toBe('/ph/api/projects/7/persons/');
  });

  it('holds the rows beside projects, too', async () => {
    await watched.client.call(platform.ownKey, {});
    expect(stub.log.at(-1)?.url).toBe('/api/personal_api_keys/@current/');
    await watched.client.call(platform.project, {});
    expect(stub.log.at(-1)?.url).toBe('/api/projects/7/');
  });

  it.each(['', 'posthog', 'ftp://h', 'http://user:secret@h', 'h:8000'])('%j is a usage error', (base) => {
    expect(() => makeClient(base)).toThrow(CliError);
    expect(() => makeClient(base)).not.toThrow(/secret/);
  });

  it.each([
    ['http://h', 80, false],
    ['https://h:8443', 8443, false],
    ['http://localhost:1', 1, true],
    ['http://127.8.9.1', 80, true],
    ['https://[::1]', 443, true],
  ])('%s has port %i, loopback %s', (address, port, loopback) => {
    expect(parseBase(address)).toMatchObject({ port, loopback });
  });
});

describe('the body', () => {
  it.each([
    ['of the input if none is given', undefined, { query: { kind: 'TrendsQuery' } }],
    [
      'that is given in place of the input',
      { query: { kind: 'HogQLQuery' } },
      { query: { kind: 'HogQLQuery' } },
    ],
  ])('is the one %s', async (_title, body, sent) => {
    await watched.client.call(platform.query, { query: { kind: 'TrendsQuery' } }, { body });
    expect(JSON.parse(stub.log.at(-1)?.body ?? '')).toEqual(sent);
  });
});

describe('the project', () => {
  it('must be named for the rows under it', async () => {
    const { client } = makeClient(stub.origin, { projectId: undefined });
    expect((await failureOf(client.call(persons.list, {}))).hint).toContain('--project');
    expect(client.describe(platform.projects, {}).url).toBe(`${stub.origin}/api/projects/`);
  });

  it('may be @current, and may not climb', async () => {
    expect(makeClient(stub.origin, { projectId: '@current' }).client.describe(persons.list, {}).url).toMatch(
      /projects\/@current\/persons\/$/,
    );
    const { client } = makeClient(stub.origin, { projectId: '../8' });
    expect(await failureOf(client.call(persons.list, {}))).toMatchObject({ kind: 'usage' });
  });
});
