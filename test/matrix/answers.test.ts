import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namedFormats } from '../../src/print/formats.ts';
import { runProgram, type Transcript } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';
import { type Stub, startStub } from '../support/stub-server.ts';
import { startGoodService } from './good-service.ts';
import { answerText, CONTROLS, EXACT_NUMBERS, misfitText } from './hostile-values.ts';
import { allInvocations, furnish, type Invocation, type Place } from './invocations.ts';
import { makePlaces } from './place.ts';
import { HARD_KEY, leaksIn } from './secrets.ts';

/** Random answers of one command; more of them with HOGCTL_FUZZ. */
const RUNS = Number(process.env.HOGCTL_FUZZ ?? 12);

const places = makePlaces();
let planned: string;
let stub: Stub;
let body = '';

beforeAll(async () => {
  const good = startGoodService();
  let isGood = true;
  stub = await startStub([
    (received) => (isGood ? good(received) : { body, headers: { 'content-type': 'application/json' } }),
  ]);
  const words = splitWords('persons bulk-delete --distinct-ids user_1,user_2 --yes --plan-only');
  planned = places.next();
  expect(await runProgram(words, { environment: environmentOf(planned) })).toMatchObject({ code: 0 });
  isGood = false;
});

afterAll(async () => {
  await stub.close();
  places.remove();
});

function environmentOf(folder: string) {
  return {
    HOGCTL_HOST: stub.origin,
    HOGCTL_PROJECT: '1',
    HOGCTL_API_KEY: HARD_KEY,
    HOGCTL_CONFIG_DIR: join(folder, 'config'),
    HOGCTL_STATE_DIR: join(folder, 'state'),
    NO_COLOR: '1',
  };
}

const manners = [
  ['specification', 'json'],
  ['live', 'table'],
  ['specification', 'table'],
  ['live', 'ndjson'],
] as const;

/** The same commands where they look somebody up first, or read a list and act on its rows. */
const LOOKING_UP: readonly string[] = [
  'persons get --email a@example.org',
  'persons update --distinct-id user_42 --set a=1 --yes',
  'persons delete --email a@example.org --yes',
  'persons export 42 -o json',
  'persons list --all',
  'persons bulk-delete --property plan:exact=a --max 5 --yes',
  'persons timeline --distinct-id user_42 --via query',
  'persons funnel --events a,b --step 1 --via query',
  'insights get zeNY2NOU --refresh async --wait --wait-timeout 5',
  "insights check zeNY2NOU --expect 'last >= 1' --max-drop 20%",
  'insights funnel --events a,b --via query',
  'insights last-viewed --via query',
  'query "select 1" --async --wait --wait-timeout 5s',
];

const lookingUp: readonly Invocation[] = LOOKING_UP.map((line) => ({
  path: line,
  effect: { specification: 'read', live: 'read' },
  words: () => splitWords(line),
  wantsRun: false,
  takesNothing: false,
  copes: () => true,
}));

const invocations = [...(await allInvocations()), ...lookingUp];

async function call(
  { words, stdin, wantsRun }: Invocation,
  [dialect, output]: (typeof manners)[number],
): Promise<Transcript> {
  const folder = places.next();
  furnish(folder, wantsRun ? join(planned, 'state') : undefined);
  const place: Place = { origin: stub.origin, folder };
  const given = words(place);
  const format = given.includes('-o') ? [] : ['-o', output];
  return runProgram([...given, ...format, '--retries', '0', '--debug'], {
    environment: { ...environmentOf(folder), HOGCTL_DIALECT: dialect },
    ...(stdin === undefined ? {} : { stdin }),
  });
}

describe('a service that answers anything', () => {
  it.each(invocations.map((invocation) => [invocation.path, invocation] as const))(
    'breaks nothing: %s',
    async (_, invocation) => {
      let turn = 0;
      const answers = fc.oneof(answerText, misfitText, misfitText);
      await fc.assert(
        fc.asyncProperty(answers, async (text) => {
          body = text;
          const manner = manners[turn % manners.length] ?? manners[0];
          turn += 1;
          const { code, stdout, stderr } = await call(invocation, manner);
          expect(code, stderr).not.toBe(1);
          expect(stdout + stderr).not.toMatch(CONTROLS);
          expect(leaksIn(stdout + stderr)).toEqual([]);
        }),
        { numRuns: RUNS },
      );
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(Object.hasOwn(Object.prototype, 'results')).toBe(false);
    },
    60_000,
  );

  it.each(namedFormats)('rounds no number in %s', async (output) => {
    const properties = Object.fromEntries(EXACT_NUMBERS.map((_, index) => [`n${index}`, index]));
    const person = JSON.stringify({ id: 42, uuid: 'u', distinct_ids: ['a'], properties });
    body = EXACT_NUMBERS.reduce(
      (text, digits, index) => text.replace(`"n${index}":${index}`, `"n${index}":${digits}`),
      person,
    );
    const { code, stdout } = await runProgram(['persons', 'get', '42', '-o', output], {
      environment: environmentOf(places.next()),
    });
    expect(code).toBe(0);
    for (const digits of EXACT_NUMBERS) expect(stdout).toContain(digits);
  });

  it.each(['json', 'table'])('copes with 3,000 levels in %s', async (output) => {
    body = `{"id":42,"properties":${'[{"a":'.repeat(1500)}1${'}]'.repeat(1500)}}`;
    const { code } = await runProgram(['persons', 'get', '42', '-o', output], {
      environment: environmentOf(places.next()),
    });
    expect(code).not.toBe(1);
  });

  it('keeps a property that is called __proto__', async () => {
    body =
      '{"id":42,"properties":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}';
    const { stdout } = await runProgram(['persons', 'get', '42', '-o', 'json'], {
      environment: environmentOf(places.next()),
    });
    expect(stdout).toContain('"__proto__"');
    expect(stdout).toContain('"prototype"');
    expect('polluted' in {}).toBe(false);
  });
});
