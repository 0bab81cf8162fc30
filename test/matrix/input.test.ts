import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram, type Setting, type Transcript } from '../support/run-program.ts';
import { type Stub, startStub } from '../support/stub-server.ts';
import { CONTROLS, HOSTILE_TEXTS } from './hostile-values.ts';
import { makePlaces } from './place.ts';
import { HARD_KEY } from './secrets.ts';

/** Random inputs of one kind; more of them with HOGCTL_FUZZ. */
const RUNS = Number(process.env.HOGCTL_FUZZ ?? 40);

const places = makePlaces();
let stub: Stub;
let targets: string[] = [];
let next: string | null = null;

beforeAll(async () => {
  stub = await startStub([
    ({ url, method }) => {
      targets.push(`${method} ${url}`);
      const link = next;
      next = null;
      return {
        json: {
          id: 42,
          uuid: 'u',
          created_at: '2026-01-02T03:04:05Z',
          distinct_ids: [],
          next: link,
          results: [],
          columns: [],
        },
      };
    },
  ]);
});

afterAll(async () => {
  await stub.close();
  places.remove();
});

async function hogctl(words: readonly string[], setting: Setting = {}): Promise<Transcript> {
  const folder = places.next();
  targets = [];
  const environment = {
    HOGCTL_HOST: stub.origin,
    HOGCTL_PROJECT: '1',
    HOGCTL_API_KEY: HARD_KEY,
    HOGCTL_CONFIG_DIR: join(folder, 'config'),
    HOGCTL_STATE_DIR: join(folder, 'state'),
    NO_COLOR: '1',
    ...setting.environment,
  };
  return runProgram([...words, '--retries', '0'], { ...setting, environment });
}

/** What holds for any input: no crash, nothing raw on a terminal, no request that leads out of the project. */
function expectSafe({ code, stdout, stderr }: Transcript): void {
  expect(code, stderr).not.toBe(1);
  expect(stdout + stderr).not.toMatch(CONTROLS);
  for (const target of targets) {
    const path = target.replace(/^\S+ /, '').split('?')[0] ?? '';
    expect(path).toMatch(/^\/api\/projects\/1\//);
    expect(decodeURIComponent(path.replace(/%(?![0-9a-f]{2})/gi, '%25'))).not.toMatch(
      /\/\.\.?(\/|$)|\\|[\u0000-\u001f]/,
    );
  }
}

const text = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .array(
      fc.constantFrom('.', '%2e', '%2E', '%252e', '/', '%2f', '%252F', '\\', '%5c', '?', '#', '%00', 'a'),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    .map((parts) => parts.join('')),
);

const COMMANDS: readonly (readonly [string, (value: string) => readonly string[]])[] = [
  ['a person id', (value) => ['persons', 'get', '--', value]],
  ['a person id of a deletion', (value) => ['persons', 'delete', '--yes', '--', value]],
  ['a distinct id', (value) => ['persons', 'get', `--distinct-id=${value}`]],
  ['an email', (value) => ['persons', 'list', `--email=${value}`]],
  ['a distinct id to split off', (value) => ['persons', 'split', '42', `--only=${value}`, '--yes']],
  ['an insight id', (value) => ['insights', 'get', '--', value]],
  ['a short id', (value) => ['insights', 'get', `--short-id=${value}`]],
  ['a query id', (value) => ['insights', 'cancel', '--yes', '--', value]],
  ['a property key', (value) => ['persons', 'unset', '42', '--', value]],
  ['a property value', (value) => ['persons', 'set', '42', 'key', '--', value]],
  ['a property as JSON', (value) => ['persons', 'set', '42', 'key', '--json', '--', value]],
  ['an assignment', (value) => ['persons', 'update', '42', `--set=${value}`]],
  ['a condition', (value) => ['persons', 'list', `--property=${value}`]],
  ['a date', (value) => ['persons', 'timeline', '42', `--date-from=${value}`]],
  ['an event', (value) => ['insights', 'funnel', `--event=${value}`, '--event=b']],
  ['a body', (value) => ['insights', 'funnel', `--body=${value}`]],
  ['a column path', (value) => ['persons', 'get', '42', `--columns=${value}`]],
  ['an expectation', (value) => ['insights', 'check', '9', `--expect=${value}`]],
  ['a free path', (value) => ['api', 'GET', '--', value]],
  ['a free field', (value) => ['api', 'GET', 'persons/', '-f', value]],
  ['SQL', (value) => ['query', '--', value]],
  ['a project', (value) => ['persons', 'list', `--project=${value}`]],
  ['an option', (value) => ['persons', 'list', `--${value}`]],
  ['ids of a bulk deletion', (value) => ['persons', 'bulk-delete', '--yes', `--distinct-ids=${value}`]],
];

describe('hostile words', () => {
  it.each(COMMANDS)(
    '%s stays what it is',
    async (name, words) => {
      await fc.assert(
        fc.asyncProperty(text, async (value) => {
          const transcript = await hogctl(words(value));
          if (name === 'a free path' || name === 'a project') {
            expect(transcript.code, transcript.stderr).not.toBe(1);
            expect(transcript.stdout + transcript.stderr).not.toMatch(CONTROLS);
          } else expectSafe(transcript);
        }),
        { numRuns: RUNS },
      );
    },
    60_000,
  );

  it('a link to the next page leads nowhere else', async () => {
    const link = fc.oneof(
      text,
      text.map((end) => `${stub.origin}/api/projects/1/persons/${end}`),
      text.map((end) => `https://elsewhere.example/api/projects/2/${end}`),
      text.map((end) => `//elsewhere.example/${end}`),
    );
    await fc.assert(
      fc.asyncProperty(link, async (value) => {
        next = value;
        expectSafe(await hogctl(['persons', 'list', '--all']));
      }),
      { numRuns: RUNS },
    );
  }, 60_000);
});

describe('hostile files', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    text.map((value) => Buffer.from(value)),
    text.map((value) => Buffer.from(`\ufeff${value}\n${value}`, 'utf16le')),
    text.map((value) => Buffer.from(`distinct_id\n"${value}\n${value}"",x\n`)),
    text.map((value) => Buffer.from(`{"distinct_id":${JSON.stringify(value)}}\n{"distinct_id":`)),
  );

  it.each(['list', 'csv', 'ndjson', undefined])(
    'ids in bytes of any kind, read as %s',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(bytes, async (content) => {
          const named = format === undefined ? [] : ['--format', format];
          const words = ['persons', 'bulk-delete', '--from', '-', '--as', 'distinct-ids', '--yes', ...named];
          expectSafe(await hogctl(words, { stdin: content }));
        }),
        { numRuns: RUNS },
      );
    },
    60_000,
  );

  it.each([
    ['properties', ['persons', 'update', '42', '--properties', '-']],
    ['a query', ['query', '-']],
    ['an insight', ['insights', 'create', '--query', '-']],
  ])(
    '%s in bytes of any kind',
    async (_, words) => {
      await fc.assert(
        fc.asyncProperty(bytes, async (content) => expectSafe(await hogctl(words, { stdin: content }))),
        { numRuns: RUNS },
      );
    },
    60_000,
  );

  it('a file of stored projects of any content', async () => {
    const config = fc.oneof(
      fc.json(),
      bytes.map((content) => Buffer.from(content).toString('latin1')),
      text.map((value) =>
        JSON.stringify({ projects: [{ name: value, host: value, id: value, key: value }], default: value }),
      ),
      text.map((value) => JSON.stringify({ projects: { __proto__: value }, version: value })),
    );
    await fc.assert(
      fc.asyncProperty(config, async (content) => {
        const folder = places.next();
        mkdirSync(join(folder, 'config'));
        writeFileSync(join(folder, 'config', 'config.json'), content, { mode: 0o600 });
        const environment = {
          HOGCTL_CONFIG_DIR: join(folder, 'config'),
          HOGCTL_API_KEY: '',
          HOGCTL_HOST: '',
          HOGCTL_PROJECT: '',
        };
        for (const words of [
          ['auth', 'list'],
          ['auth', 'status'],
          ['persons', 'list'],
        ])
          expectSafe(await hogctl(words, { environment }));
      }),
      { numRuns: RUNS },
    );
  }, 60_000);
});
