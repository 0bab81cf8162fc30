import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { cleanEnvironment, hogctl } from './built-program.ts';

const key = 'phx_everything';
let sandbox: Awaited<ReturnType<typeof startSandbox>>;

beforeAll(async () => {
  const keys = [{ key, label: 'all', scopes: ['*'] }];
  sandbox = await startSandbox({ dialect: 'specification', keys });
});

afterAll(() => sandbox.stop());

/**
 * Carries bytes to the sandbox, and closes each connection up to 4 ms after a part of an answer: often while the next
 * request is being written, so that nobody can tell whether it arrived.
 */
async function startRelay(how: 'end' | 'reset') {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  let cut = 0;
  const server = createServer((client) => {
    const onward = connect(Number(new URL(sandbox.origin).port), '127.0.0.1');
    let timer: NodeJS.Timeout | undefined;
    let isClosed = false;
    const close = () => {
      isClosed = true;
      cut += 1;
      if (how === 'reset') client.resetAndDestroy();
      else client.end();
      onward.destroy();
    };
    client.on('data', (bytes) => {
      clearTimeout(timer);
      if (!isClosed) onward.write(bytes);
    });
    onward.on('data', (bytes) => {
      if (!isClosed) client.write(bytes);
      clearTimeout(timer);
      timer = setTimeout(close, random() * 4);
    });
    for (const socket of [client, onward])
      socket
        .on('error', () => undefined)
        .on('close', () => {
          clearTimeout(timer);
          client.destroy();
          onward.destroy();
        });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, cut: () => cut };
}

const environmentFor = (host: string): Record<string, string> => ({
  ...cleanEnvironment(),
  HOGCTL_HOST: host,
  HOGCTL_PROJECT: '1',
  HOGCTL_API_KEY: key,
});
const shoppers = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `shopper-${String(from + index).padStart(4, '0')}`);
const deletion = (from: string) =>
  ['persons', 'bulk-delete', '--from', from, '--as', 'distinct-ids', '--yes', '-o', 'json'] as const;

/** How many of them the sandbox still knows. */
async function countLeft(ids: readonly string[]): Promise<number> {
  const list = ids.map((id) => `'${id}'`).join(', ');
  const sql = `select count() from person_distinct_ids where distinct_id in (${list})`;
  const { stdout } = await hogctl(
    ['query', sql, '-o', 'csv', '--no-headers'],
    environmentFor(sandbox.origin),
  );
  return Number(String(stdout));
}

describe('a relay that cuts connections', { timeout: 240_000 }, () => {
  it.each([
    ['end', 100],
    ['reset', 200],
  ] as const)('by %s leaves nobody who was to be deleted', async (how, from) => {
    const relay = await startRelay(how);
    const environment = environmentFor(relay.origin);
    const ids = shoppers(from, 21);
    const file = join(environment.HOME ?? '', 'ids');
    writeFileSync(file, ids.join('\n'));
    expect(await countLeft(ids)).toBe(21);
    const erase = () => hogctl([...deletion(file), '--batch-size', '3'], environment);
    let { code, stdout, stderr } = await erase();
    // A call that was lost twice is left for the same command, typed again.
    for (let tries = 0; code === 8 && tries < 5; tries += 1) ({ code, stdout, stderr } = await erase());
    expect({ code, left: await countLeft(ids) }, stderr).toEqual({ code: 0, left: 0 });
    const { deleted, gone } = JSON.parse(String(stdout));
    expect(gone).toBe(21);
    // Of a call whose answer was cut it is not told.
    expect(deleted).toBeLessThanOrEqual(21);
    expect(relay.cut()).toBeGreaterThan(5);
  });
});

describe('eight processes in one state directory', { timeout: 240_000 }, () => {
  it('each delete whom they were given, and list all runs', async () => {
    const environment = environmentFor(sandbox.origin);
    const groups = Array.from({ length: 8 }, (_, index) => shoppers(300 + index * 5, 5));
    const ended = await Promise.all(
      groups.map((ids, index) => {
        const file = join(environment.HOME ?? '', `ids-${index}`);
        writeFileSync(file, ids.join('\n'));
        return hogctl(deletion(file), environment);
      }),
    );
    expect(ended.map(({ code }) => code)).toEqual(Array(8).fill(0));
    expect(await countLeft(groups.flat())).toBe(0);
    const listed = await hogctl(['runs', 'list', '-o', 'json'], environment);
    expect(JSON.parse(String(listed.stdout))).toHaveLength(8);
  });

  it('delete the same people once, whoever is first', async () => {
    const environment = environmentFor(sandbox.origin);
    const file = join(environment.HOME ?? '', 'ids');
    const ids = shoppers(400, 5);
    writeFileSync(file, ids.join('\n'));
    const ended = await Promise.all(Array.from({ length: 8 }, () => hogctl(deletion(file), environment)));
    const codes = ended.map(({ code }) => code ?? -1).sort((left, right) => left - right);
    // One does it; the others find its lock, or nobody any more.
    expect(codes[0]).toBe(0);
    for (const code of codes) expect([0, 3, 5, 8]).toContain(code);
    expect(await countLeft(ids)).toBe(0);
  });
});
