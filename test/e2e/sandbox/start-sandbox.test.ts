import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { readOwnFile } from '../../../src/system/own-files.ts';
import { KEYS, NOW, openSandbox, send } from '../../support/open-sandbox.ts';

describe('starting', () => {
  const start = (settings: Partial<Parameters<typeof startSandbox>[0]>) =>
    startSandbox({ dialect: 'live', keys: KEYS, data: 'empty', now: NOW, ...settings });

  it.each([
    [{ now: 'soon' }, '"soon" is not a time'],
    [{ data: 'everything' }, '"everything" is not sandbox content'],
    [{ data: { persons: [{}] } }, 'persons[0] has no distinct_ids'],
    [
      { data: { events: [{ event: 'x', distinct_id: 'a' }] } },
      'events[0].timestamp is not an ISO 8601 time: null',
    ],
    [
      { data: { persons: [{ distinct_ids: ['a'] }, { distinct_ids: ['a'] }] } },
      'persons[1] has the distinct id "a", which is taken',
    ],
    [
      { data: { project: { cohorts: [{ id: 1, name: 'x', distinct_ids: ['z'] }] } } },
      'cohort "x" lists the distinct id "z", which no person has',
    ],
  ])('refuses %j', async (settings, message) => {
    await expect(start(settings)).rejects.toMatchObject({
      name: 'CliError',
      kind: 'usage',
      message: expect.stringContaining(message),
    });
  });

  describe('with a file', () => {
    const newFile = () => {
      const directory = mkdtempSync(join(tmpdir(), 'sandbox-keys-'));
      onTestFinished(() => rmSync(directory, { recursive: true }));
      return join(directory, 'shop.duckdb');
    };
    const keysAfter = async (file: string) => {
      const { keys, stop } = await startSandbox({ dialect: 'live', data: 'empty', file });
      await stop();
      return keys;
    };

    it('lets the same keys in after another start, and keeps them for its owner only', async () => {
      const file = newFile();
      const keys = await keysAfter(file);
      expect(new Set(keys.map(({ key }) => key)).size).toBe(3);
      expect(await keysAfter(file)).toEqual(keys);
      for (const path of [file, `${file}.keys`]) expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readFileSync(file).includes(keys[0]?.key ?? '')).toBe(false);
    });

    it.each([
      ['a link', (path: string) => symlinkSync('/dev/null', path), 'is not a regular file'],
      ['something else', (path: string) => writeFileSync(path, 'hello\n'), 'does not contain 3 keys'],
      [
        'a file of short ones',
        (path: string) => writeFileSync(path, 'phx_a\nphx_b\nphx_c\n'),
        'does not contain 3 keys',
      ],
      [
        'a file with one key thrice',
        (path: string) => writeFileSync(path, `phx_${'a'.repeat(40)}\n`.repeat(3)),
        'does not contain 3 keys',
      ],
    ])('takes no keys from %s', async (_, make, message) => {
      const file = newFile();
      make(`${file}.keys`);
      await expect(keysAfter(file)).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringContaining(message),
      });
    });
  });

  // Only root gives files away.
  it.skipIf(process.getuid?.() !== 0)('takes no keys from a file that others may write', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-keys-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'shop.duckdb');
    const settings = { keys: undefined, file, readOwn: (path: string) => readOwnFile(path, 4711) };
    await (await start(settings)).stop();
    chownSync(`${file}.keys`, 4711, 4711);
    chmodSync(`${file}.keys`, 0o666);
    await expect(start(settings)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('can be changed by other users (mode 666)'),
    });
    chmodSync(`${file}.keys`, 0o600);
    chownSync(`${file}.keys`, 4712, 4712);
    await expect(start(settings)).rejects.toMatchObject({
      message: expect.stringContaining('belongs to another user (uid 4712)'),
    });
  });

  it.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a device', (path: string) => symlinkSync('/dev/zero', path)],
    ['a directory', (path: string) => mkdirSync(path)],
  ])('refuses %s in place of a file', async (_, make) => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-file-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'shop.duckdb');
    make(file);
    await expect(start({ file })).rejects.toMatchObject({
      kind: 'usage',
      message: `${file} is not a regular file`,
    });
  });

  it('refuses a port that is taken', async () => {
    const first = await openSandbox({ data: 'empty' });
    const port = Number(new URL(first.sandbox.origin).port);
    await expect(start({ port })).rejects.toMatchObject({ kind: 'usage', message: /cannot listen/ });
  });

  it('stops although a caller never ends its request', async () => {
    const sandbox = await start({});
    const { hostname, port } = new URL(sandbox.origin);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('PATCH /api/projects/1/persons/1/ HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
    await send('GET', new URL('/api/projects/1/persons/', sandbox.origin), { key: 'phx_everything' });
    const closed = once(socket, 'close');
    await sandbox.stop();
    await closed;
  });

  it('answers many at once, each with its own answer', async () => {
    const { get } = await openSandbox();
    const ids = Array.from({ length: 30 }, (_, index) => (index % 3) + 1);
    const answers = await Promise.all(ids.map((id) => get(`persons/${id}/`)));
    expect(answers.map(({ body }) => body.id)).toEqual(ids);
  });

  it('lets a running request end before it stops', async () => {
    const sandbox = await start({ data: 'sample' });
    const running = send('GET', new URL('/api/projects/1/persons/?limit=1000', sandbox.origin), {
      key: 'phx_everything',
    });
    await send('GET', new URL('/api/projects/1/persons/1/', sandbox.origin), { key: 'phx_everything' });
    await sandbox.stop();
    expect((await running).body.results).toHaveLength(1000);
  });
});
