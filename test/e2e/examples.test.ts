import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/service/endpoint.ts';
import { ANSWERS, ENDS_WITH, LIVE, NOT_RUN, PUT_IN_PLACE } from '../support/example-exceptions.ts';
import { inOrder } from '../support/in-order.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, type Setting, waitShortly } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';
import { inlineRows, makeWorkbook } from '../support/workbook.ts';
import { allLeaves } from '../unit/cli/command-leaves.ts';

type Sandbox = Awaited<ReturnType<typeof borrowSandbox>>;
type Place = {
  readonly sandbox: Sandbox;
  readonly key: string;
  readonly environment: Record<string, string>;
};

const leaves = await allLeaves();
let home: string;
const before = process.cwd();
let places: Readonly<Record<Dialect, Place>>;
let count = 0;
/** The sandboxes whose project is stored as shop: an example of `auth` may remove or protect it. */
const stored = new Set<Place>();

async function makePlace(dialect: Dialect): Promise<Place> {
  const sandbox = await borrowSandbox({ dialect, now: '2026-06-18T12:00:00Z' });
  const folder = mkdtempSync(join(home, 'place-'));
  const environment = {
    HOME: folder,
    SHELL: '/bin/bash',
    HOGCTL_CONFIG_DIR: folder,
    HOGCTL_STATE_DIR: folder,
    HOGCTL_DIALECT: dialect,
  };
  return { sandbox, key: sandbox.keys[0]?.key ?? '', environment };
}

/** Stores the project of the sandbox as shop, whatever the example before has made of it. */
async function storeProject(place: Place): Promise<void> {
  if (stored.has(place)) return;
  const { sandbox, key, environment } = place;
  // Stored again it would stay protected, if one of the examples made it that.
  await runProgram(['auth', 'logout', 'shop', '--yes', '--confirm', 'shop'], { environment });
  const login = `auth login --host ${sandbox.origin} --project ${sandbox.projectId} --name shop --key-stdin`;
  const { code, stderr } = await runProgram(splitWords(login), { environment, stdin: key });
  expect(code, stderr).toBe(0);
  stored.add(place);
}

/** Somebody whom no example names. */
const newPerson = () => `shopper-0${500 + count}`;

/** The files that examples name, with people that nobody asked for before. */
function furnish(example: string, { key }: Place): void {
  count += 2;
  const events = ['product_viewed', 'added_to_basket', 'order_completed'].map((id, order) => ({ id, order }));
  const person = { id: 5001, distinct_ids: ['new-1'], properties: {}, created_at: '2026-06-01T00:00:00Z' };
  const files = {
    'people.csv': `distinct_id\n${newPerson()}\n`,
    'ids.csv': `distinct_id\n${newPerson()}\n`,
    'requests.csv': 'ticket,email\nR-1,LUIS.Cohen@example.org\n',
    'hold.csv': 'case,email\nC-1,nobody@example.org\n',
    'funnel.json': JSON.stringify({ events }),
    'correlation.json': JSON.stringify({ events, funnel_correlation_person_entity: { id: 'signed_up' } }),
    'checkout.json': '{"kind":"InsightVizNode","source":{"kind":"TrendsQuery","series":[]}}',
    'checks.yaml': 'checks: [{insight: 4, refresh: true, expect: conversion >= 1}]',
    'signups.sql': 'select count() from persons',
    'query.json': '{"query":{"kind":"HogQLQuery","query":"select 1"}}',
    'people.ndjson': `${JSON.stringify(person)}\n`,
    'key.txt': key,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(name, text);
  if (!example.includes('people.xlsx')) return;
  const rows = inlineRows([['Customer ID'], [newPerson()]]);
  writeFileSync('people.xlsx', makeWorkbook({ rows }));
}

/** Each example has a second of its own, so that each run has a name of its own. */
const now = () => Date.parse('2026-06-18T13:00:00Z') + count * 1000;

/** A run of the people in the file: planned where the example carries it out. */
async function makeRun(example: string, { environment }: Place): Promise<string> {
  const person = 'persons bulk-delete --from people.csv --as distinct-ids --column distinct_id -p shop --yes';
  const wish = example.startsWith('runs resume') ? ['--plan-only'] : [];
  await runProgram([...splitWords(person), ...wish], { environment, now });
  const { stdout } = await runProgram(['runs', 'list', '-o', 'json'], { environment });
  return JSON.parse(stdout).at(-1).run;
}

/** The example as it can be run, and what is piped into it. */
async function asTyped(example: string, place: Place): Promise<{ line: string; setting: Setting }> {
  const [words = '', file] = (PUT_IN_PLACE.examples[example] ?? example).split(' < ');
  const names: Readonly<Record<string, string>> = {
    ...PUT_IN_PLACE.words,
    '--host eu': `--host ${place.sandbox.origin}`,
    'https://posthog.example.org': place.sandbox.origin,
  };
  let line = Object.entries(names).reduce((text, [name, becomes]) => text.replaceAll(name, becomes), words);
  if (line.includes('20261128T120000Z'))
    line = line.replace('20261128T120000Z', await makeRun(example, place)).replace('PERSON', newPerson());
  const answers = ANSWERS[example]?.map((answer) => (answer === 'KEY' ? place.key : answer));
  const stdin = file === undefined ? {} : { stdin: readFileSync(file) };
  return {
    line,
    setting: {
      environment: place.environment,
      now,
      wait: waitShortly,
      readProgram: async () => ({ code: 0, output: place.key }),
      ...stdin,
      ...(answers ? { answers } : {}),
    },
  };
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'hogctl-examples-'));
  process.chdir(home);
  places = { specification: await makePlace('specification'), live: await makePlace('live') };
});
afterAll(async () => {
  process.chdir(before);
  for (const { sandbox } of Object.values(places)) await sandbox.stop();
  rmSync(home, { recursive: true, force: true });
});

describe('the examples of a command', () => {
  const inTurn = inOrder();
  const cases = leaves.flatMap(({ path, command }) => {
    const examples = command.examples.filter((one) => !(one in NOT_RUN));
    const run = inTurn(async () => {
      const place = places[path in LIVE ? 'live' : 'specification'];
      for (const example of examples) {
        await storeProject(place);
        furnish(example, place);
        if (path.startsWith('auth')) stored.delete(place);
        const { line, setting } = await asTyped(example, place);
        const { code, stderr } = await runProgram(splitWords(line), setting);
        expect(code, `${line}\n${stderr}`).toBe(ENDS_WITH[example]?.code ?? 0);
      }
    });
    return examples.length > 0 ? [{ path, run }] : [];
  });
  it.each(cases)('work on the sandbox: $path', ({ run }) => run());

  it('are all that exceptions speak of', () => {
    const examples = leaves.flatMap(({ command }) => command.examples);
    const named = [NOT_RUN, ANSWERS, ENDS_WITH, PUT_IN_PLACE.examples].flatMap((list) => Object.keys(list));
    expect(named.filter((name) => !examples.includes(name))).toEqual([]);
    const words = Object.keys(PUT_IN_PLACE.words);
    expect(words.filter((word) => !examples.some((example) => example.includes(word)))).toEqual([]);
    expect(Object.keys(LIVE).filter((path) => !leaves.some((leaf) => leaf.path === path))).toEqual([]);
  });
});
