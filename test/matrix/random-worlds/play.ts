import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChance } from '../../support/failing-deletions.ts';
import { startStub } from '../../support/stub-server.ts';
import { createService, type Setting } from './service.ts';
import { createChanceOf, createWorld, type World } from './world.ts';

const START = Date.UTC(2026, 2, 2, 12);
const KEY = 'phx_TESTONLY_0123456789abcdef';
const root = join(import.meta.dirname, '..', '..', '..');

/** The clock of the program that is tried is the one of its world. */
const CLOCK = `const Real = Date; const start = Real.now(); const base = Number(process.env.WORLD_NOW);
const now = () => base + Real.now() - start;
globalThis.Date = class extends Real { constructor(...parts) { parts.length > 0 ? super(...parts) : super(now()); } static now() { return now(); } };
`;

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** What a world came to, if something is wrong. */
export type Fault = { readonly seed: number; readonly fault: string; readonly story: readonly string[] };

/** What a run was asked for. */
type Request = {
  readonly ids: readonly string[];
  readonly excepted: ReadonlySet<string>;
  readonly keep: boolean;
};

type Row = { readonly run: string; readonly owed: string | null };

/**
 * Carries out one deletion of a random world with the built program, to its end: planned, resumed, verified, with people
 * who move, stores and answers that are wrong, and processes that are killed; then with an honest service.
 */
export async function play(seed: number, home: string): Promise<Fault | undefined> {
  const chance = createChanceOf(createChance(seed));
  const world = createWorld(chance, START);
  const setting: Setting = {
    isLive: chance.happens(0.5),
    hasSql: chance.happens(0.6),
    hasDate: chance.happens(0.85),
    skew: chance.happens(0.2) ? (chance() - 0.5) * 8 * 3_600_000 : 0,
    isMoving: chance.happens(0.75),
    withEvents: chance.happens(0.35),
  };
  const service = createService(world, setting, chance);
  const stub = await startStub([service.answer]);
  const folder = mkdtempSync(join(tmpdir(), 'hogctl-world-'));
  const story: string[] = [JSON.stringify(setting)];
  const run = async (...words: string[]): Promise<Ended> => {
    world.pass(chance.happens(0.2) ? 2 * 86_400_000 : 60_000 * chance.below(40));
    if (setting.isMoving) for (let count = chance.below(3); count > 0; count -= 1) world.change();
    const ended = await start(words, { service, folder, home, origin: stub.origin, world, setting });
    story.push(`$ hogctl ${words.join(' ')} -> ${ended.code}`, ended.stderr.trim(), peopleText(world));
    return ended;
  };
  try {
    mkdirSync(join(folder, 'state'));
    writeFileSync(join(folder, 'clock.cjs'), CLOCK);
    story.push(peopleText(world));
    const fault = await carryOut(run, { world, service, chance, setting, folder });
    return fault === undefined ? undefined : { seed, fault, story };
  } finally {
    await stub.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Stage = {
  readonly world: World;
  readonly service: ReturnType<typeof createService>;
  readonly chance: ReturnType<typeof createChanceOf>;
  readonly setting: Setting;
  readonly folder: string;
};

async function carryOut(
  run: (...words: string[]) => Promise<Ended>,
  { world, service, chance, setting, folder }: Stage,
): Promise<string | undefined> {
  const { ledger } = service;
  const ids = world.ids.filter(() => chance.happens(0.6));
  if (ids.length === 0) ids.push(world.ids[0] ?? '');
  const excepted = chance.happens(0.3)
    ? world.ids.filter((id) => !ids.includes(id) || chance.happens(0.3))
    : [];
  const request: Request = { ids, excepted: new Set(excepted), keep: false };
  writeFileSync(join(folder, 'list.txt'), `${ids.join('\n')}\n`);
  writeFileSync(join(folder, 'hold.txt'), `${excepted.join('\n')}\n`);
  const except =
    excepted.length === 0 ? [] : ['--except', join(folder, 'hold.txt'), '--except-as', 'distinct-ids'];
  const size = chance.happens(0.5) ? ['--batch-size', String(1 + chance.below(3))] : [];
  const lanes = chance.happens(0.3) ? ['--concurrency', '2'] : [];
  const isPlanOnly = chance.happens(0.25);
  const before = new Map(ids.map((id) => [id, world.holder(id)?.data.get(id)]));
  const first = await run(
    'persons',
    'bulk-delete',
    '--from',
    join(folder, 'list.txt'),
    '--as',
    'distinct-ids',
    '--yes',
    ...except,
    ...(setting.withEvents ? ['--delete-events'] : []),
    ...size,
    ...lanes,
    ...(isPlanOnly ? ['--plan-only'] : []),
  );
  service.endPlan();
  const { shown: shownFirst } = ledger;
  const judge = (ended: Ended, kind: 'deletion' | 'verify') =>
    judgeEnd(ended, kind, { request, ledger, shown: shownFirst, withEvents: setting.withEvents });
  let fault = judgeHits(request, ledger, shownFirst) ?? (isPlanOnly ? undefined : judge(first, 'deletion'));
  if (fault !== undefined) return fault;
  const rows = async (): Promise<readonly Row[]> =>
    JSON.parse((await run('runs', 'list', '-o', 'json', '-q')).stdout || '[]') as readonly Row[];
  const [row] = await rows();
  if (row === undefined) return ledger.calls > 0 ? 'a call was made without a run' : undefined;
  const { run: name } = row;
  for (let count = chance.below(4); count > 0; count -= 1) {
    const isVerify = chance.happens(0.4);
    const ended = await run('runs', isVerify ? 'verify' : 'resume', name, ...(isVerify ? [] : ['--yes']));
    fault = judgeHits(request, ledger, shownFirst) ?? judge(ended, isVerify ? 'verify' : 'deletion');
    if (fault !== undefined) return fault;
  }
  service.beHonest();
  // Whoever was said to be deleted, and is there a day later, is sent again.
  for (const verb of ['resume', 'verify', 'verify', 'resume', 'verify']) {
    const isVerify = verb === 'verify';
    const ended = await run('runs', verb, name, ...(isVerify ? [] : ['--yes']));
    fault = judgeHits(request, ledger, shownFirst) ?? judge(ended, isVerify ? 'verify' : 'deletion');
    if (fault !== undefined) return fault;
    world.workOff();
    world.sync();
    if (isVerify) world.pass(2 * 86_400_000);
  }
  const [end] = await rows();
  if (end?.owed === null) {
    const lost = ids.filter((id) => isOf(before.get(id)) && !isExcepted(id, request, shownFirst));
    if (lost.length > 0 && !setting.isMoving) return `lost, and nothing is owed: ${lost.join(', ')}`;
  } else if (!setting.isMoving && (setting.hasSql || !setting.withEvents))
    return `honest at last, people who do not move, and still owed: ${end?.owed}`;
  return undefined;
}

const isOf = (data: { readonly isDeleted: boolean } | undefined) => data !== undefined && !data.isDeleted;

type Shown = ReturnType<typeof createService>['ledger']['shown'];
type Ledger = ReturnType<typeof createService>['ledger'];

/** Persons who hold an excepted id, or were shown with one, are not asked for. */
function isExcepted(id: string, { excepted }: Request, shown: Shown): boolean {
  return (
    excepted.has(id) ||
    shown.some(({ data }) => data.has(id) && [...data.keys()].some((own) => excepted.has(own)))
  );
}

function judgeHits({ ids, excepted }: Request, ledger: Ledger, shown: Shown): string | undefined {
  const named = shown.filter(({ id }) => ids.includes(id));
  for (const { profile, look } of ledger.hit) {
    if (look === undefined) return `somebody was sent without a look in that session: ${profile.uuid}`;
    // Who changed since is nobody's fault.
    if (look.serial !== profile.serial) continue;
    const isNamed = named.some(
      // Merged and split off again, somebody may be just as planned.
      (one) => one.profile === profile || (one.profile.uuid === profile.uuid && one.created === look.created),
    );
    if (!isNamed) return `somebody unasked was deleted: ${profile.uuid}`;
    const own = look.ids.filter((id) => excepted.has(id));
    if (own.length > 0) return `somebody excepted was deleted: ${profile.uuid} by ${own.join(', ')}`;
  }
  return undefined;
}

function judgeEnd(
  { code, stderr }: Ended,
  kind: 'deletion' | 'verify',
  {
    request,
    ledger,
    shown,
    withEvents,
  }: {
    readonly request: Request;
    readonly ledger: Ledger;
    readonly shown: Shown;
    readonly withEvents: boolean;
  },
): string | undefined {
  if (code === 1 || stderr.includes('    at ')) return `a bug: ${stderr}`;
  if (code !== 0) return undefined;
  for (const { id, profile, data } of shown) {
    if (!request.ids.includes(id) || isExcepted(id, request, shown)) continue;
    const left = [...data.values()].filter(({ isDeleted }) => !isDeleted);
    const events = [...data.values()].filter((one) => !one.events.areGone);
    if (kind === 'verify' && withEvents && events.length > 0)
      return `proven, though the events of ${events.map((one) => one.id).join(', ')} are there`;
    if (left.length === 0) continue;
    if (kind === 'verify')
      return `proven, though the data of ${left.map((one) => one.id).join(', ')} are there`;
    if (![profile.uuid, String(profile.serial)].some((one) => ledger.claimed.has(one)))
      return `ended with 0, though nobody said that ${profile.uuid} is deleted`;
  }
  return undefined;
}

function peopleText(world: World): string {
  const text = ({ uuid, data, created, isQueued, serial }: ReturnType<World['people']>[number]) =>
    `${serial}:${uuid.slice(-6)} ${[...data.keys()].join('+')} ${new Date(created).toISOString()}${isQueued ? ' queued' : ''}`;
  return `  [${world.people().slice(1).map(text).join(' | ')}]`;
}

type Starting = {
  readonly service: ReturnType<typeof createService>;
  readonly folder: string;
  readonly home: string;
  readonly origin: string;
  readonly world: World;
  readonly setting: Setting;
};

async function start(
  words: readonly string[],
  { service, folder, home, origin, world, setting }: Starting,
): Promise<Ended> {
  const child = spawn(
    process.execPath,
    ['--require', join(folder, 'clock.cjs'), join(root, 'bin', 'hogctl.js'), ...words, '--retries', '0'],
    {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        HOGCTL_CONFIG_DIR: join(folder, 'config'),
        HOGCTL_STATE_DIR: join(folder, 'state'),
        HOGCTL_HOST: origin,
        HOGCTL_PROJECT: '1',
        HOGCTL_API_KEY: KEY,
        HOGCTL_DIALECT: setting.isLive ? 'live' : 'specification',
        WORLD_NOW: String(world.now()),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  service.startSession(() => child.kill('SIGKILL'));
  const [stdout, stderr]: [string[], string[]] = [[], []];
  child.stdout.on('data', (piece: Buffer) => stdout.push(piece.toString()));
  child.stderr.on('data', (piece: Buffer) => stderr.push(piece.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}
