import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/erasure/record/digest.ts';
import { createMemberOf } from '../../src/erasure/record/members.ts';
import { numbered, uuid } from '../support/bulk-deletions.ts';
import { type Call, createChance, createFailingService } from '../support/failing-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import type { Received } from '../support/stub-server.ts';
import { BINARY, hogctl, start, startService, temporaryDirectory } from './built-program.ts';

const BATCHES = 50;
const BATCH = 100;
const KILLS = 14;
const MOST_SESSIONS = KILLS + 60;

type ReportedCall = { readonly persons: number; readonly deleted: number | null };

const asked = numbered(BATCHES * BATCH, 'user_').map((distinctId, index) => ({
  distinctId,
  uuid: uuid(index + 1),
}));
const others = numbered(500, 'other_').map((distinctId, index) => ({
  distinctId,
  uuid: uuid(900_000 + index),
}));

const headers = { date: 'Mon, 02 Mar 2026 12:00:00 GMT' };
const show = (uuid: string) => ({ uuid, distinct_ids: [], created_at: '2026-01-02T03:04:05Z' });

describe('a run that is killed again and again', () => {
  it('ends with everybody deleted who was asked for, and tells no more than was done', {
    timeout: 400_000,
  }, async () => {
    const chance = createChance(20261128);
    const { answer, calls, isLiving } = createFailingService([...asked, ...others], chance);
    let heard: () => void = () => undefined;
    const lookUp = ({ json }: Received) => {
      const { uuids } = json as { readonly uuids: readonly string[] };
      const found = uuids.filter((one) => isLiving({ uuid: one, distinctId: '' }));
      return { headers, json: { results: Object.fromEntries(found.map((one) => [one, show(one)])) } };
    };
    const [bystander] = others;
    const known = { ...show(bystander?.uuid ?? ''), distinct_ids: ['somebody-else'] };
    const service = await startService([
      { on: /batch_by_uuids/, times: Number.POSITIVE_INFINITY, answer: lookUp },
      { on: /\?limit=10$/, times: Number.POSITIVE_INFINITY, headers, json: { next: null, results: [known] } },
      { on: /query/, times: Number.POSITIVE_INFINITY, status: 403, json: { code: 'permission_denied' } },
      (received) => {
        heard();
        return answer(received);
      },
    ]);
    const environment = {
      ...service.environment,
      HOGCTL_DIALECT: 'live',
      HOGCTL_STATE_DIR: temporaryDirectory(),
    };
    const run = () => runsOf({ environment })[0] ?? '';
    const file = join(temporaryDirectory(), 'ids.txt');
    writeFileSync(file, asked.map((one) => `${one.uuid}\n`).join(''));
    const carrying = ['--yes', '--quiet', '--retries', '2', '--concurrency', '2'];
    const words = ['persons', 'bulk-delete', '--from', file, '--as', 'ids', '--batch-size', String(BATCH)];
    const first = [...words, ...carrying];
    const again = () => ['runs', 'resume', run(), ...carrying];

    const ends: (number | string | null)[] = [];
    let kills = 0;
    let isDone = false;
    while (!isDone && ends.length < MOST_SESSIONS) {
      const { child, ended } = start(
        [process.execPath, BINARY, ...(ends.length === 0 ? first : again())],
        environment,
      );
      // At a call, right after it, while its answer is written down, or in a wait: by chance.
      let left = kills < KILLS ? 1 + Math.floor(chance() * 12) : Number.POSITIVE_INFINITY;
      heard = () => {
        left -= 1;
        if (left !== 0) return;
        setTimeout(() => child.kill('SIGKILL'), chance() < 0.3 ? 0 : chance() * 30);
      };
      const { code, signal, stderr } = await ended;
      // Whom a lost call may have deleted is owed until it is proven, and nothing is left to send.
      isDone = code === 0 || (code === 8 && !stderr.includes('hogctl runs resume'));
      if (signal === 'SIGKILL') kills += 1;
      ends.push(signal ?? code);
    }

    expect(isDone).toBe(true);
    // A fast computer does more before each, and may come to the end early.
    expect(kills).toBeGreaterThan(KILLS / 4);
    expect(['SIGKILL', 0, 5, 6, 8]).toEqual(expect.arrayContaining(ends));
    expect(asked.filter(isLiving)).toEqual([]);
    expect(others.filter((person) => !isLiving(person))).toEqual([]);
    await expectTruth({ run: run(), environment, calls });
  });
});

type Evidence = {
  readonly run: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly calls: readonly Call[];
};

/** Report, rows and journal against what the service did. */
async function expectTruth({ run, environment, calls }: Evidence): Promise<void> {
  const { stdout } = await hogctl(['runs', 'report', run, '-o', 'json'], environment);
  const report = JSON.parse(String(stdout));
  expect(report.outcome).toMatchObject({
    unique: asked.length,
    unknown: 0,
    refused: 0,
    not_sent: 0,
    failed: 0,
  });
  expect(report.outcome.deleted).toBeLessThanOrEqual(asked.length);
  const reported = (report.calls as readonly ReportedCall[]).filter(({ deleted }) => deleted !== null);
  expect(report.outcome.deleted).toBe(sum(reported.map(({ deleted }) => deleted ?? 0)));
  // No answer is told that the service did not give, and none twice.
  const told = calls.map((call) => `${call.told} of ${call.ids.length}`);
  for (const { persons, deleted } of reported) {
    const at = told.indexOf(`${deleted} of ${persons}`);
    expect(at, `${deleted} of ${persons}`).not.toBe(-1);
    told.splice(at, 1);
  }
  const rows = String((await hogctl(['runs', 'report', run, '-o', 'csv'], environment)).stdout)
    .trim()
    .split('\n');
  expect(rows).toHaveLength(asked.length + 1);
  const outcomes = new Set(rows.slice(1).map((row) => row.split(',')[4]));
  expect(['deleted', 'sent', 'accepted', 'gone when looked up']).toEqual(
    expect.arrayContaining([...outcomes]),
  );
  expect((await hogctl(['runs', 'check', run], environment)).code).toBe(0);
  expect((await hogctl(['runs', 'verify', run], environment)).code).toBe(0);
  expectWrittenDown(run, calls);
}

/** Nothing was ever sent that had not been written down before. */
function expectWrittenDown(run: string, calls: readonly Call[]): void {
  const key = Buffer.from(readFileSync(join(run, 'check-key'), 'utf8').trim(), 'hex');
  const journal = readFileSync(join(run, 'journal.ndjson'), 'utf8');
  const written = new Set([...journal.matchAll(/"digest":"([0-9a-f]{64})"/g)].map(([, digest]) => digest));
  for (const { ids } of calls) {
    const members = ids.map((id) => createMemberOf(key)('ids', id));
    expect(written.has(digestOf(members))).toBe(true);
  }
  expect(journal).not.toMatch(/user_\d/);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
