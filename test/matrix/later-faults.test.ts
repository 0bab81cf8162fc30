import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram, type Transcript } from '../support/run-program.ts';
import { type Received, type Stub, type StubAnswer, startStub } from '../support/stub-server.ts';
import { FAULTS } from './faults.ts';
import { flawsOf, type Manner } from './flaws.ts';
import { type Nature, natureOf, startGoodService } from './good-service.ts';
import { allInvocations, type Effect, furnish, type Invocation, longerInvocations } from './invocations.ts';
import { makePlaces } from './place.ts';
import { HARD_KEY } from './secrets.ts';
import { showCounts } from './show-counts.ts';

type Answerer = (received: Received) => StubAnswer;

const places = makePlaces();
/** Each call has an address of its own, so that many can be made at once. */
const answerers = new Map<string, Answerer>();
/** How many requests each fault met. */
const counts = new Map<string, number>();
let stub: Stub;

beforeAll(async () => {
  stub = await startStub([
    (received) => {
      const [, prefix = '', url = ''] = /^\/(call-\d+)(.*)$/s.exec(received.url) ?? [];
      return answerers.get(prefix)?.({ ...received, url }) ?? { status: 599 };
    },
  ]);
});

afterAll(async () => {
  await stub.close();
  places.remove();
  showCounts('Later requests met by each fault', counts);
});

/** A command in one manner, and the requests that it sends where all goes well. */
type Case = {
  readonly invocation: Invocation;
  readonly manner: Manner;
  readonly good: Transcript;
  readonly requests: readonly Received[];
};

/** The fault meets the request of that number (from 1), and all after it unless it is met once. */
type Meeting = { readonly name: string; readonly at: number; readonly once: boolean };

type Called = Transcript & { readonly requests: readonly Received[] };

async function call(
  { words, stdin, wantsRun }: Invocation,
  { output, dialect }: Manner,
  meeting?: Meeting,
): Promise<Called> {
  const folder = places.next();
  const prefix = `call-${answerers.size}`;
  const origin = `${stub.origin}/${prefix}`;
  const requests: Received[] = [];
  const good = startGoodService();
  const environment = {
    HOGCTL_HOST: origin,
    HOGCTL_PROJECT: '1',
    HOGCTL_API_KEY: HARD_KEY,
    HOGCTL_DIALECT: dialect,
    HOGCTL_CONFIG_DIR: join(folder, 'config'),
    HOGCTL_STATE_DIR: join(folder, 'state'),
  };
  furnish(folder, undefined);
  answerers.set(prefix, good);
  if (wantsRun) {
    const plan = ['persons', 'bulk-delete', '--distinct-ids', 'user_1,user_2', '--batch-size', '1'];
    expect(await runProgram([...plan, '--yes', '--plan-only'], { environment })).toMatchObject({ code: 0 });
  }
  const fault = meeting && FAULTS[meeting.name];
  answerers.set(prefix, (received) => {
    requests.push(received);
    const isMet = meeting && (meeting.once ? requests.length === meeting.at : requests.length >= meeting.at);
    return isMet && fault?.answer ? fault.answer(received) : good(received);
  });
  // Long enough for the requests that go well, also on a busy computer.
  const patience = fault?.words ? ['--timeout', '8'] : [];
  const transcript = await runProgram([...words({ origin, folder }), '-o', output, ...patience], {
    environment,
    ...(stdin === undefined ? {} : { stdin }),
  });
  return { ...transcript, requests };
}

const manners: readonly Manner[] = [
  { output: 'ndjson', dialect: 'specification' },
  { output: 'table', dialect: 'live' },
];

/** Faults of a whole address cannot begin with a later request. */
const faults = Object.keys(FAULTS).filter((name) => FAULTS[name]?.host === undefined);

/** What one more try gets over. A write or a deletion is tried again only where it is known not to have run. */
const passing: Readonly<Record<string, readonly Effect[]>> = {
  '429 always': ['read', 'write', 'destroy', 'run'],
  '500': ['read'],
  'cut body': ['read'],
  'reset connection': ['read'],
};

type Met = Case & { readonly at: number; readonly natures: readonly Nature[] };
let met: readonly Met[] = [];

beforeAll(async () => {
  const invocations = [...(await allInvocations()), ...longerInvocations];
  const found = invocations.flatMap((invocation) =>
    manners.map(async ({ dialect, output }): Promise<Case> => {
      const manner = { dialect, output: invocation.output ?? output };
      const { requests, ...good } = await call(invocation, manner);
      return { invocation, manner, good, requests };
    }),
  );
  // Every list is read in one of the manners, the other commands are called in both.
  const isChosen = (one: Met, index: number) => !isReading(one) || (index >> 1) % 2 === index % 2;
  const all = await Promise.all(found);
  // Looked at when all have ended: what still ran would fail in the next file of tests.
  const failed = all.filter(({ good }) => good.code !== 0 && good.code !== 9);
  expect(failed.map(({ invocation, good }) => `${invocation.path}: ${good.stderr}`)).toEqual([]);
  met = all.flatMap((one, index) => meetings(one).filter((each) => isChosen(each, index)));
});

/** Every request but the first; of requests to one path, which are the pages of a list, the second alone. */
function meetings(one: Case): readonly Met[] {
  const natures = one.requests.map(natureOf);
  const paths = one.requests.map(({ method, url }) => `${method} ${url.replace(/\?.*/s, '')}`);
  return paths.flatMap((path, index) => {
    const isFurtherPage = natures[index]?.effect === 'read' && paths[index - 2] === path;
    return index === 0 || isFurtherPage ? [] : [{ ...one, natures, at: index + 1 }];
  });
}

function natureAt({ natures, at }: Met): Nature {
  return natures[at - 1] ?? { effect: 'write', takesNothing: false };
}

function isReading({ natures }: Met): boolean {
  return natures.every(({ effect }) => effect === 'read');
}

const isDeletion = ({ invocation: { path } }: Met) => /^(persons (bulk-)?delete|runs resume)/.test(path);

/** Each fault meets every fourth request of a deletion, every eighth of the other commands. */
const turnOf = (turn: number) => (one: Met, index: number) =>
  index % (isDeletion(one) ? 4 : 8) === turn % (isDeletion(one) ? 4 : 8);

/** Once something was done, the end is that a part of the work was. */
function expectedOf(one: Met, name: string): number {
  const { invocation, natures, good, at, requests } = one;
  const { effect, takesNothing } = natureAt(one);
  const { codes, empty } = FAULTS[name] ?? {};
  const isChange = (nature: Nature) => nature.effect !== 'read';
  const [before, after] = [natures.slice(0, at - 1), natures.slice(at)];
  // Nothing is an answer to this one, but not to what is asked after it; a deletion looks then, and ends as it was told.
  const isTaken = after.every((each) => each.takesNothing || (isDeletion(one) && !isChange(each)));
  // A session that goes on has to look before each call.
  const isStuck = invocation.path === 'runs resume' && after.some(isChange);
  const isLook = isDeletion(one) && before.some(isChange);
  if (empty && (takesNothing || isLook)) return isTaken && !isStuck ? good.code : 8;
  if (isDeletion(one) && effect === 'read' && !after.some(isChange) && before.some(isChange))
    return good.code;
  if (before.some(isChange)) return 8;
  // Without SQL an address is looked up in the list, which meets the fault next.
  const isOfAddress = invocation.path.includes('--email') && requests[at - 1]?.url.endsWith('/query/');
  if (isOfAddress && requests[at]?.method === 'GET') return expectedOf({ ...one, at: at + 1 }, name);
  // Without SQL the list is enough, so that the deletion meets the fault.
  if (isDeletion(one) && requests[at - 1]?.url.endsWith('/query/') && after.some(isChange))
    return expectedOf({ ...one, at: at + after.findIndex(isChange) + 1 }, name);
  // A query that the service has forgotten is no answer about what was asked for.
  if (name === '404' && invocation.path.startsWith('query')) return 6;
  const { method, url = '' } = one.requests[at - 1] ?? {};
  // What SQL showed is written by then, and the list may have more.
  const isOfRest = invocation.path.startsWith('persons export') && before.length > 0 && /limit=1$/.test(url);
  if (isOfRest && name.startsWith('403')) return 8;
  // Looked up one by one: if one is not there, nor is the list that would tell who is, nothing is sent.
  const isPerson = (path = '') => /\/persons\/\d+\/$/.test(path);
  if (name === '404' && method === 'GET' && isPerson(url)) return 3;
  // Without look-ups of many they are looked up one by one, and none of them is there.
  if (name === '404' && url.includes('batch_by')) return 3;
  // Otherwise it is the endpoint of deletions that is not there.
  const isListed = method === 'GET' && url.includes('?');
  const isOfMany = invocation.path.startsWith('persons bulk-delete') || invocation.path === 'runs resume';
  if (name === '404' && at > 1 && isOfMany && !isListed) return 5;
  // Somebody who was just looked up: whether they were deleted is looked at before anything is sent again.
  const isInDoubt = name === '404' || codes?.write === 8;
  if (invocation.path.startsWith('persons delete') && effect === 'destroy' && isInDoubt) return 8;
  return codes?.[effect] ?? good.code;
}

/** Without the address and the folder of the call, and what their lengths do to a table. */
function plain(text: string): string {
  return text
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/call-\d+/g, 'call')
    .replaceAll(/hogctl-matrix-\w+\/\d+/g, 'folder');
}

async function tryAll(
  some: readonly Met[],
  { name, once }: Pick<Meeting, 'name' | 'once'>,
  judge: (one: Met, transcript: Called) => readonly string[],
): Promise<readonly string[]> {
  const found = some.map(async (one) => {
    const { invocation, manner, at, requests } = one;
    const transcript = await call(invocation, manner, { name, at, once });
    const { method, url = '' } = requests[at - 1] ?? {};
    const where = `${invocation.path} (${manner.output}, request ${at}: ${method} ${url.slice(0, 80)})`;
    return judge(one, transcript).map((flaw) => `${where} ${flaw}: ${transcript.stdout}${transcript.stderr}`);
  });
  counts.set(name, (counts.get(name) ?? 0) + some.length);
  return (await Promise.all(found)).flat();
}

describe('a fault that begins with a later request', () => {
  it.each(faults)('ends as it should, with whole rows: %s', async (name) => {
    // A limit of time is waited for, so that few are made to wait, each at its last request.
    const isWaitedFor = ({ invocation, at, requests }: Met) =>
      longerInvocations.includes(invocation) && at === requests.length;
    const some = met.filter(FAULTS[name]?.words ? isWaitedFor : turnOf(faults.indexOf(name)));
    const flaws = await tryAll(some, { name, once: false }, (one, transcript) => {
      const { output } = one.manner;
      const rows = plain(transcript.stdout);
      const isStart = !isReading(one) || output === 'table' || plain(one.good.stdout).startsWith(rows);
      return [
        ...flawsOf(transcript, { expected: expectedOf(one, name), output }),
        ...(isStart ? [] : ['prints rows that the service did not send']),
      ];
    });
    expect(flaws).toEqual([]);
  });

  it.each(Object.entries(passing))('is got over when it passes: %s', async (name, effects) => {
    const turn = turnOf(Object.keys(passing).indexOf(name));
    const some = met.filter((one, index) => effects.includes(natureAt(one).effect) && turn(one, index));
    const judge = (one: Met, { code, stdout, requests }: Called) => [
      ...(code === one.good.code ? [] : [`ends with ${code}`]),
      ...(!isReading(one) || plain(stdout) === plain(one.good.stdout) ? [] : ['prints other rows']),
      ...(requests.length === one.requests.length + 1 ? [] : [`sends ${requests.length} requests`]),
    ];
    expect(await tryAll(some, { name, once: true }, judge)).toEqual([]);
  });
});
