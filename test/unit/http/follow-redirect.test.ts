import { describe, expect, it } from 'vitest';
import { insights } from '../../../src/service/insights.ts';
import { persons } from '../../../src/service/persons.ts';
import { failureOf, type Watched } from './make-client.ts';
import { clientFor, stubFor } from './open-stubs.ts';

const read = ({ client }: Watched) => client.call(persons.get, { id: '42' });
const create = ({ client }: Watched) => client.call(insights.create, { name: 'x' });
const erase = ({ client }: Watched) => client.call(persons.delete, { id: '42' });
const PERSON = { json: { id: 42 } };

describe('redirects', () => {
  const to = (location: string, status = 302) => ({ status, headers: { location } });

  it('of a read are followed on the same origin', async () => {
    const stub = await stubFor([to('/x/?a=1'), to('y/', 308), PERSON]);
    expect(await read(clientFor(stub.origin))).toEqual({ id: 42 });
    expect(stub.log.map(({ url }) => url)).toEqual(['/api/projects/7/persons/42/', '/x/?a=1', '/x/y/']);
  });

  it('to another origin are refused, and the key does not go there', async () => {
    const other = await stubFor([() => PERSON]);
    const stub = await stubFor([to(`${other.origin}/api/?token=secret`)]);
    const error = await failureOf(read(clientFor(stub.origin)));
    expect(error).toMatchObject({ kind: 'refused', status: 302, outcome: 'not-done' });
    expect(error.message).toContain(`${other.origin}/api/`);
    expect(error.message).not.toContain('secret');
    expect(other.connections()).toBe(0);
  });

  it.each([
    ['write', create],
    ['deletion', erase],
  ])('of a %s are an error that names the new address', async (_, call) => {
    const stub = await stubFor([to('/elsewhere/', 307), () => PERSON]);
    const error = await failureOf(call(clientFor(stub.origin)));
    expect(error).toMatchObject({ kind: 'refused', status: 307, outcome: 'not-done' });
    expect(error.message).toContain(`redirects to ${stub.origin}/elsewhere/ (status 307)`);
    expect(stub.log).toHaveLength(1);
  });

  it('of a POSTed read are followed only where the method stays', async () => {
    const stub = await stubFor([to('/a/', 303), to('/b/', 307), { json: { results: [] } }]);
    const { client } = clientFor(stub.origin);
    expect(await failureOf(client.call(persons.funnel, {}))).toMatchObject({ status: 303 });
    await client.call(persons.funnel, {});
    expect(stub.log.at(-1)).toMatchObject({ method: 'POST', url: '/b/', body: '{}' });
  });

  it('in circles end after a few hops', async () => {
    const stub = await stubFor([() => to('/again/')]);
    const error = await failureOf(read(clientFor(stub.origin)));
    expect(error.kind).toBe('unavailable');
    expect(error.message).toContain('in circles');
    expect(stub.log).toHaveLength(4);
  });

  it('without an address are an error', async () => {
    const stub = await stubFor([{ status: 302 }, to('http://[')]);
    const watched = clientFor(stub.origin);
    expect(await failureOf(read(watched))).toMatchObject({ kind: 'refused', status: 302 });
    expect(await failureOf(read(watched))).toMatchObject({ kind: 'refused', status: 302 });
  });
});
