import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram, type Setting } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';
import { type Stub, startStub } from '../support/stub-server.ts';
import { allInvocations, furnish, type Invocation } from './invocations.ts';
import { makePlaces } from './place.ts';
import { HARD_KEY, leaksIn, quoteKey } from './secrets.ts';

const EMAIL = 'ana.berg@example.org';
const DISTINCT_ID = 'user-4711';
const VALUE = 'secret-plan';
const UUID = '0192f0c1-7a30-7000-8000-000000004711';

const places = makePlaces();
let planned: string;
let stub: Stub;

/** A person, an insight, a page, a key and a summary at once, in which the service quotes the key it was sent. */
beforeAll(async () => {
  stub = await startStub([
    ({ headers, method }) => ({
      headers: { 'x-echo': String(headers.authorization) },
      json:
        method === 'DELETE'
          ? { detail: quoteKey(headers.authorization) }
          : {
              id: 42,
              uuid: UUID,
              distinct_ids: [DISTINCT_ID],
              created_at: '2026-01-02T03:04:05Z',
              properties: { email: EMAIL, plan: VALUE },
              short_id: 'zeNY2NOU',
              result: [],
              columns: [],
              next: null,
              points: [],
              label: 'job',
              scopes: ['*'],
              results: [],
            },
    }),
  ]);
  const words = splitWords('persons bulk-delete 42 --yes --plan-only');
  planned = places.next();
  expect(await runProgram(words, { environment: environmentOf(planned) })).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await stub.close();
  places.remove();
});

function environmentOf(folder: string) {
  return {
    HOME: folder,
    HOGCTL_HOST: stub.origin,
    HOGCTL_PROJECT: '1',
    HOGCTL_API_KEY: HARD_KEY,
    HOGCTL_CONFIG_DIR: join(folder, 'config'),
    HOGCTL_STATE_DIR: join(folder, 'state'),
  };
}

async function call({ words, stdin, wantsRun }: Invocation, more: readonly string[], setting: Setting = {}) {
  const folder = places.next();
  furnish(folder, wantsRun ? join(planned, 'state') : undefined);
  const transcript = await runProgram([...words({ origin: stub.origin, folder }), ...more], {
    ...setting,
    environment: environmentOf(folder),
    ...(stdin === undefined ? {} : { stdin }),
  });
  return { ...transcript, files: filesIn(folder) };
}

/** The path and text of every file below a folder. */
function filesIn(
  folder: string,
): readonly { readonly path: string; readonly text: string; readonly mode: number }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(folder, name);
    const { mode } = statSync(path);
    return statSync(path).isFile()
      ? { path: name, text: readFileSync(path, 'utf8'), mode: mode & 0o777 }
      : [];
  });
}

const invocations = (await allInvocations()).map((invocation) => [invocation.path, invocation] as const);

describe('the key', () => {
  it.each(invocations)('stands nowhere but in its own file: %s --debug', async (_, invocation) => {
    const { stdout, stderr, files } = await call(invocation, ['--debug']);
    expect(stderr).toMatch(/(GET|POST|PATCH|DELETE) \S+/);
    expect(leaksIn(stdout + stderr)).toEqual([]);
    const holding = files.filter(({ text, path }) => leaksIn(text + path).length > 0);
    const own = invocation.path === 'auth login' ? [['config/config.json', 0o600]] : [];
    expect(holding.map(({ path, mode }) => [path, mode])).toEqual(own);
  });

  it.each(invocations)('stands in no printed request: %s --dry-run', async (_, invocation) => {
    const { code, stdout, stderr, files } = await call(invocation, ['--dry-run', '--debug']);
    expect(code, stderr).not.toBe(1);
    expect(leaksIn(stdout + stderr)).toEqual([]);
    expect(files.filter(({ text, path }) => leaksIn(text + path).length > 0)).toEqual([]);
  });

  it.each(invocations)('stands in no crash: %s', async (_, invocation) => {
    const broken = () => {
      throw new Error(`the clock is broken: Bearer ${HARD_KEY}, ${quoteKey(HARD_KEY)}`);
    };
    const { stdout, stderr } = await call(invocation, ['--debug', '-o', 'json'], {
      now: broken,
      random: broken,
    });
    expect(leaksIn(stdout + stderr)).toEqual([]);
  });
});

/** Calls that carry who somebody is in the command line, in an address or in a body. */
const PERSONAL: readonly string[] = [
  `persons list --email ${EMAIL} --distinct-id ${DISTINCT_ID} --search ${VALUE}`,
  `persons list --property plan:exact=${VALUE}`,
  `persons get ${UUID}`,
  `persons activity ${UUID}`,
  `persons timeline ${UUID} --property email:exact=${EMAIL}`,
  `persons update ${UUID} --set plan=${VALUE}`,
  `persons update-property ${UUID} plan ${VALUE}`,
  `persons delete-property ${UUID} plan`,
  `persons delete ${UUID} --yes`,
  `persons split ${UUID} --main ${DISTINCT_ID} --yes`,
  `persons bulk-delete --distinct-ids ${DISTINCT_ID} --yes`,
  `persons bulk-delete --ids ${UUID} --yes`,
  `persons cohorts ${UUID}`,
  `persons reset-distinct-id ${DISTINCT_ID}`,
  `query "select 1 from persons where properties.email = {email}" --value email=${EMAIL}`,
  `api GET persons/${UUID}/ -f search=${VALUE}`,
  `api GET persons/?email=${EMAIL}`,
  `api GET persons/ -f email=${EMAIL}`,
];

describe.each(['specification', 'live'])('the trace of the %s dialect', (dialect) => {
  it.each(PERSONAL)('names nobody: %s', async (line) => {
    const folder = places.next();
    const { stderr } = await runProgram([...splitWords(line), '--debug'], {
      environment: { ...environmentOf(folder), HOGCTL_DIALECT: dialect },
    });
    const trace = stderr.split('\n').filter((text) => /^(GET|POST|PATCH|DELETE) \//.test(text));
    expect(trace).not.toEqual([]);
    for (const word of [EMAIL, DISTINCT_ID, VALUE, UUID, encodeURIComponent(EMAIL)])
      expect(trace.join('\n')).not.toContain(word);
  });
});
