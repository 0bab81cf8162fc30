import * as undici from 'undici';
import { describe, expect, it } from 'vitest';
import { insights } from '../../../src/service/insights.ts';
import { persons } from '../../../src/service/persons.ts';
import { readCertificate } from '../../support/read-certificate.ts';
import { failureOf, makeClient, type Watched } from './make-client.ts';
import { CLOSED_PORT, clientFor, stubFor } from './open-stubs.ts';

const read = ({ client }: Watched) => client.call(persons.get, { id: '42' });
const create = ({ client }: Watched) => client.call(insights.create, { name: 'x' });
const PERSON = { json: { id: 42 } };

describe('no connection', () => {
  it('that is refused is tried again for every row, and known not to have run', async () => {
    const watched = clientFor(`http://127.0.0.1:${CLOSED_PORT}`, { retries: 2 });
    const error = await failureOf(create(watched));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
    expect(error.message).toBe(`127.0.0.1:${CLOSED_PORT} refused the connection`);
    expect(watched.waits).toHaveLength(2);
  });

  it('because the port speaks no https', async () => {
    const stub = await stubFor([() => PERSON]);
    const error = await failureOf(create(clientFor(stub.origin.replace('http:', 'https:'))));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
    expect(error.message).toContain('no secure connection');
    expect(error.hint).not.toMatch(/http:/);
  });
});

describe('a private certificate authority', () => {
  const { key, cert, authority } = readCertificate('server');

  it('that is not trusted: names the problem and both remedies, never switching checks off', async () => {
    const stub = await stubFor([() => PERSON], { tls: { key, cert } });
    const watched = clientFor(stub.origin);
    const error = await failureOf(create(watched));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
    expect(error.message).toMatch(
      /certificate of 127\.0\.0\.1:\d+ is not accepted: the certificate that signed it is neither trusted here/,
    );
    expect(error.hint).toMatch(/--ca-file or NODE_EXTRA_CA_CERTS/);
    expect(`${error.message}${error.hint}`).not.toMatch(/reject|insecure|NODE_TLS/i);
    expect(watched.waits).toEqual([]);
    expect(stub.log).toEqual([]);
  });

  it('that is trusted works', async () => {
    const stub = await stubFor([PERSON], { tls: { key, cert } });
    expect(await read(clientFor(stub.origin, { ca: [authority] }))).toEqual({ id: 42 });
  });

  it('that has remarks around it works', async () => {
    const stub = await stubFor([PERSON], { tls: { key, cert } });
    const ca = `# ours\n${authority}\n# until 2040\n`;
    expect(await read(clientFor(stub.origin, { ca: [ca] }))).toEqual({ id: 42 });
  });

  it('whose certificate is for another name', async () => {
    const other = readCertificate('elsewhere');
    const stub = await stubFor([() => PERSON], { tls: other });
    const error = await failureOf(read(clientFor(stub.origin, { ca: [authority] })));
    expect(error.message).toContain('it is for another name (ERR_TLS_CERT_ALTNAME_INVALID)');
    expect(error.hint).toBe('check the host: the certificate says which names it is for');
  });

  it.each(['', 'no certificate', '-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n'])(
    'that cannot be read is a usage error: %j',
    async (ca) => {
      const error = await failureOf(read(clientFor('https://127.0.0.1:9', { ca: [ca] })));
      expect(error.kind).toBe('usage');
      expect(error.hint).toContain('--ca-file');
    },
  );
});

describe('undici', () => {
  it('is loaded with the first request, once, and without its own limits of 300 seconds', async () => {
    const stub = await stubFor([() => PERSON]);
    const options: unknown[] = [];
    let loads = 0;
    class Pool extends undici.Pool {
      constructor(origin: string, settings: undici.Pool.Options) {
        super(origin, settings);
        options.push(settings);
      }
    }
    const watched = clientFor(stub.origin, {
      timeout: 3_600_000,
      loadUndici: async () => {
        loads += 1;
        return { ...undici, Pool };
      },
    });
    watched.client.describe(persons.list, {});
    expect(loads).toBe(0);
    await Promise.all([read(watched), read(watched)]);
    await read(watched);
    expect(loads).toBe(1);
    expect(options).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }]);
  });

  it('keeps connections for the next request', async () => {
    const stub = await stubFor([() => PERSON]);
    const watched = clientFor(stub.origin);
    for (let count = 0; count < 3; count += 1) await read(watched);
    expect(stub.connections()).toBe(1);
  });

  it('is not needed to close a client that sent nothing', async () => {
    await expect(makeClient('http://127.0.0.1:9').client.close()).resolves.toBeUndefined();
  });
});
