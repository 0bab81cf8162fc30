import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram, type Transcript } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';
import { type Stub, startStub } from '../support/stub-server.ts';
import { allLeaves } from '../unit/cli/command-leaves.ts';
import { FAULTS, type Fault } from './faults.ts';
import { flawsOf, type Manner } from './flaws.ts';
import { startGoodService } from './good-service.ts';
import { allInvocations, furnish, type Invocation, LOCAL } from './invocations.ts';
import { makePlaces } from './place.ts';
import { HARD_KEY } from './secrets.ts';
import { showCounts } from './show-counts.ts';

const invocations = await allInvocations();
const places = makePlaces();
/** The folder of a run that is planned. */
const planned = places.next();
const counts = new Map<string, number>();
let stub: Stub;
let answer = startGoodService();

beforeAll(async () => {
  stub = await startStub([(received) => answer(received)]);
  const words = splitWords('persons bulk-delete --distinct-ids user_1,user_2 --yes --plan-only');
  expect(await runProgram(words, { environment: environmentOf(planned) })).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await stub.close();
  places.remove();
  showCounts('Commands met by each fault', counts);
});

function environmentOf(folder: string, host = stub.origin, dialect = 'specification') {
  return {
    HOGCTL_HOST: host,
    HOGCTL_PROJECT: '1',
    HOGCTL_API_KEY: HARD_KEY,
    HOGCTL_DIALECT: dialect,
    HOGCTL_CONFIG_DIR: join(folder, 'config'),
    HOGCTL_STATE_DIR: join(folder, 'state'),
  };
}

const NO_FAULT: Fault = { codes: { read: 0, write: 0, destroy: 0, run: 0 } };

async function call(invocation: Invocation, fault: Fault, { output, dialect }: Manner): Promise<Transcript> {
  const folder = places.next();
  const origin = fault.host ?? stub.origin;
  furnish(folder, invocation.wantsRun ? join(planned, 'state') : undefined);
  const words = [...invocation.words({ origin, folder }), ...(fault.words ?? [])];
  const { stdin } = invocation;
  const setting = {
    environment: environmentOf(folder, origin, dialect),
    ...(stdin === undefined ? {} : { stdin }),
  };
  return runProgram([...words, '-o', output], setting);
}

function expectedOf(invocation: Invocation, name: string, dialect: Manner['dialect']): number {
  const effect = invocation.effect[dialect];
  const { codes, empty } = FAULTS[name] ?? NO_FAULT;
  // It looks people up before it sends anything; a 404 is of an endpoint, and of nobody who is gone.
  if (invocation.path === 'runs resume') {
    if (name === '404') return 5;
    return invocation.copes(name) ? 0 : codes.read;
  }
  const isDone = empty && effect !== 'read' && invocation.takesNothing;
  return invocation.copes(name) || isDone ? 0 : codes[effect];
}

/** Rejects for a command that does not end by itself. */
function late(path: string): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${path} does not end`)), 50_000).unref();
  });
}

const manners: readonly Manner[] = [
  { output: 'json', dialect: 'specification' },
  { output: 'table', dialect: 'live' },
];

describe('every command that sends requests', () => {
  it('is called by its first example, or stands in the list of those that send nothing', async () => {
    const paths = (await allLeaves()).map(({ path }) => path);
    expect(Object.keys(LOCAL).filter((path) => !paths.includes(path))).toEqual([]);
    expect(invocations.length + Object.keys(LOCAL).length).toBe(paths.length);
    const silent: string[] = [];
    for (const invocation of invocations) {
      let received = 0;
      answer = () => {
        received += 1;
        return { status: 400, json: { code: 'invalid_input', detail: 'No.' } };
      };
      await call(invocation, NO_FAULT, { output: 'json', dialect: 'live' });
      if (received === 0) silent.push(invocation.path);
    }
    expect(silent).toEqual([]);
  });

  it.each(Object.entries(FAULTS))('ends as it should: %s', async (name, fault) => {
    answer = fault.answer ?? (() => ({ status: 599 }));
    const found = await Promise.all(
      // A host that cannot be reached plans no run.
      invocations
        .filter(({ wantsRun }) => !(wantsRun && fault.host))
        .flatMap((invocation) =>
          manners.map(async (manner) => {
            const transcript = await Promise.race([call(invocation, fault, manner), late(invocation.path)]);
            const { output, dialect } = manner;
            const expected = expectedOf(invocation, name, dialect);
            const isPassedOn = invocation.path === 'api' && expected === 0;
            const flaws = flawsOf(isPassedOn ? { ...transcript, stdout: '' } : transcript, {
              expected,
              output,
            });
            counts.set(name, (counts.get(name) ?? 0) + 1);
            return flaws.map(
              (flaw) =>
                `${invocation.path} (${manner.output}) ${flaw}: ${transcript.stdout}${transcript.stderr}`,
            );
          }),
        ),
    );
    expect(found.flat()).toEqual([]);
  });
});
