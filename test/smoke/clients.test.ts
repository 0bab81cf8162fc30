import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostHog } from 'posthog-node';
import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';

// PostHog's own client, which nobody here wrote.
it('an erasure is rehearsed with events from a program of one’s own', async () => {
  const sandbox = await startSandbox({ dialect: 'live', data: 'empty' });
  onTestFinished(() => sandbox.stop());
  const client = new PostHog(sandbox.token, { host: sandbox.origin, flushAt: 100 });
  client.capture({ distinctId: 'user-1', event: 'paid', properties: { total: 5 } });
  client.identify({ distinctId: 'user-1', properties: { email: 'dora@example.org' } });
  client.alias({ distinctId: 'user-1', alias: 'device-1' });
  client.capture({ distinctId: 'user-2', event: 'visited' });
  await client.flush();
  expect(await client.getAllFlags('user-1')).toEqual({});
  await client.shutdown();
  const state = mkdtempSync(join(tmpdir(), 'hogctl-clients-'));
  onTestFinished(() => rmSync(state, { recursive: true }));
  const hogctl = (...words: readonly string[]) =>
    runProgram(words, { environment: { ...sandboxEnvironment(sandbox, 'live'), HOGCTL_STATE_DIR: state } });
  const found = JSON.parse(
    (await hogctl('persons', 'get', '--email', 'dora@example.org', '-o', 'json')).stdout,
  );
  expect(found.distinct_ids).toEqual(['user-1', 'device-1']);
  const line = [
    'persons',
    'delete',
    '--email',
    'dora@example.org',
    '--delete-events',
    '--yes',
    '--project',
    '1',
  ];
  const deleted = await hogctl(...line);
  expect(deleted.code, deleted.stderr).toBe(0);
  const left = JSON.parse((await hogctl('persons', 'list', '-o', 'json')).stdout);
  expect(left.map((one: { readonly distinct_ids: readonly string[] }) => one.distinct_ids)).toEqual([
    ['user-2'],
  ]);
});
