import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { idsOf, summary } from './bulk-deletions.ts';
import { runProgram, type Setting } from './run-program.ts';
import { person, temporaryDirectory } from './service.ts';
import { splitWords } from './split-words.ts';
import { type Received, type StubAnswer, startStub } from './stub-server.ts';
import { conditionOf } from './two-stores.ts';

export const keyOf = (name: string) => `phx_${name.replace('-', '_')}_0123456789abcdef`;
const isDeletion = ({ method, url }: Received) =>
  method === 'DELETE' || url.split('?')[0]?.endsWith('/persons/bulk_delete/') === true;

/** A service with a project of its own, whose people go when they are deleted. */
async function startRegion(name: string, numbers: readonly number[]) {
  const there = new Set(numbers);
  let refusal: StubAnswer | undefined;
  let general: StubAnswer | undefined;
  let onDelete = () => {};
  const stub = await startStub([
    (received) => {
      const { method, url, headers } = received;
      if (url.includes('/personal_api_keys/')) return { status: 404, json: { detail: 'Not found.' } };
      if (headers.authorization !== `Bearer ${keyOf(name)}`)
        return { status: 401, json: { code: 'authentication_failed', detail: 'Invalid.' } };
      if (general !== undefined) return general;
      if (isDeletion(received)) {
        onDelete();
        if (refusal !== undefined) return refusal;
        if (method === 'DELETE') {
          there.delete(Number(/(\d+)\/(?:\?.*)?$/.exec(url)?.[1]));
          return { status: 202, body: '' };
        }
        const found = [...there].filter((one) => idsOf(received).some((id) => isOf(id, one)));
        for (const one of found) there.delete(one);
        const count = found.length;
        // A body is an object here.
        const { delete_events: events = false } = received.json as { readonly delete_events?: boolean };
        return { status: 202, json: summary({ found: count, deleted: count, events }) };
      }
      if (method === 'POST') return { status: 403, json: { code: 'permission_denied', detail: 'No scope.' } };
      // Of a project without people, its name says that the empty list is its own.
      if (/\/projects\/7\/$/.test(url)) return { json: { id: 7, name } };
      if (/\/(cohorts|activity)\//.test(url)) return { json: { results: [], next: null } };
      const one = /\/persons\/([^/?]+)\/(?:\?.*)?$/.exec(url)?.[1];
      if (one !== undefined) {
        const known = [...there].find((number) => isOf(one, number));
        return known === undefined
          ? { status: 404, json: { code: 'not_found', detail: 'Not found.' } }
          : { json: person(known) };
      }
      return { json: { next: null, results: [...there].map(person).filter(conditionOf(received)) } };
    },
  ]);
  onTestFinished(() => stub.close());
  return {
    name,
    origin: stub.origin,
    log: stub.log,
    there,
    deletions: () => stub.log.filter(isDeletion),
    refuse: (answer: StubAnswer | undefined) => {
      refusal = answer;
    },
    refuseAll: (answer: StubAnswer) => {
      general = answer;
    },
    whenDeleting: (act: () => void) => {
      onDelete = act;
    },
  };
}

function isOf(id: string, number: number): boolean {
  const { uuid, distinct_ids: ids } = person(number);
  return id === String(number) || id === uuid || ids.includes(id);
}

/** Projects eu and us, each on a service of its own, and a program that holds a key for both. */
export async function twoRegions(
  { eu = [1, 2], us = [2, 3] }: { readonly eu?: readonly number[]; readonly us?: readonly number[] } = {},
  login: Readonly<Record<string, string>> = {},
) {
  const regions = [await startRegion('eu', eu), await startRegion('us', us)] as const;
  const state = temporaryDirectory();
  const config = temporaryDirectory();
  let minute = 0;
  let chance = 0;
  const hogctl = (line: string, { environment, ...setting }: Setting = {}) => {
    minute += 1;
    const now = Date.UTC(2026, 2, 2, 12, minute);
    return runProgram(splitWords(line), {
      now: () => now,
      random: () => {
        chance = (chance + 0.0137) % 1;
        return chance;
      },
      ...setting,
      environment: { HOGCTL_CONFIG_DIR: config, HOGCTL_STATE_DIR: state, ...environment },
    });
  };
  for (const { name, origin } of regions) {
    const words = `auth login --host ${origin} --project 7 --name ${name} --key-stdin ${login[name] ?? ''}`;
    expect(await hogctl(words, { stdin: keyOf(name) })).toMatchObject({ code: 0 });
  }
  const [first, second] = regions;
  const runs = () => (existsSync(join(state, 'runs')) ? readdirSync(join(state, 'runs')).sort() : []);
  const planOf = (run: string) => JSON.parse(readFileSync(join(state, 'runs', run, 'plan.json'), 'utf8'));
  const requests = () => [...new Set(runs().map((run): string => planOf(run).request))].filter(Boolean);
  const sent = () => regions.map(({ deletions }) => deletions().map(idsOf));
  return { hogctl, eu: first, us: second, state, runs, planOf, requests, sent };
}

export const addresses = (...numbers: readonly number[]) =>
  numbers.map((number) => `user_${number}@example.org`).join(',');
