import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChance } from '../../support/failing-deletions.ts';
import { startStub } from '../../support/stub-server.ts';
import { createService, type Setting } from './service.ts';
import { createChanceOf, createWorld, uuidOf, type World } from './world.ts';

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
type Request = { readonly ids: readonly string[]; readonly excepted: ReadonlySet<string> };

/**
 * How people are named: by a list of distinct ids, of UUIDs and integers, or of addresses, or one by the command for one
 * person.
 */
const WAYS = ['distinct-ids', 'distinct-ids', 'ids', 'emails', 'one'] as const;

type Row = { readonly run: string; readonly owed: string | null };

/**
 * Carries out one deletion of a random world with the built program, to its end: planned, resumed, verified, with people
 * who move, stores and answers that are wrong, and processes that are killed; then with an honest service.
 */
export async function play(seed: number, home: string): Promise<Fault | undefined> {
  const chance = createChanceOf(createChance(seed));
  const world = createWorld(chance, START);
  const way = chance.pick(WAYS) ?? 'one';
  const withEvents = chance.happens(0.35);
  const setting: Setting = {
    isLive: chance.happens(0.5),
    hasSql: chance.happens(0.6),
    hasDate: chance.happens(0.85),
    skew: chance.happens(0.2) ? (chance() - 0.5) * 8 * 3_600_000 : 0,
    // Whoever has an address is looked up again by UUID, and may have been merged meanwhile.
    isMoving: way !== 'emails' && chance.happens(0.75),
    withEvents,
    keeps: withEvents && chance.happens(0.3),
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
    const fault = await carryOut(run, { way, world, service, chance, setting, folder });
    return fault === undefined ? undefined : { seed, fault, story };
  } finally {
    await stub.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Stage = {
  readonly way: (typeof WAYS)[number];
  readonly world: World;
  readonly service: ReturnType<typeof createService>;
  readonly chance: ReturnType<typeof createChanceOf>;
  readonly setting: Setting;
  readonly folder: string;
};

async function carryOut(
  run: (...words: string[]) => Promise<Ended>,
  { way, world, service, chance, setting, folder }: Stage,
): Promise<string | undefined> {
  const { ledger } = service;
  const chosen = world.ids.filter(() => way !== 'one' && chance.happens(0.6));
  if (chosen.length === 0) chosen.push(chance.pick(world.ids) ?? '');
  const asGiven = (id: string) => {
    if (way === 'ids') return personIdOf(id, { world, chance });
    return way === 'emails' ? (world.holder(id)?.email ?? `${id}@example.org`) : id;
  };
  const ids = [...new Set(chosen.map(asGiven))];
  const excepted =
    way !== 'one' && chance.happens(0.3)
      ? world.ids.filter((id) => !chosen.includes(id) || chance.happens(0.3))
      : [];
  const request: Request = { ids, excepted: new Set(excepted) };
  const list = join(folder, 'list.txt');
  writeFileSync(list, `${ids.join('\n')}\n`);
  writeFileSync(join(folder, 'hold.txt'), `${excepted.join('\n')}\n`);
  const isPlanOnly = way !== 'one' && chance.happens(0.25);
  const before = new Map(ids.map((id) => [id, dataBehind(id, world)]));
  const events = [
    ...(setting.withEvents ? ['--delete-events'] : []),
    ...(setting.keeps ? ['--keep-person'] : []),
  ];
  const bulk = [
    ...['persons', 'bulk-delete', '--from', list, '--as', way, '--yes', ...events],
    ...(excepted.length === 0 ? [] : ['--except', join(folder, 'hold.txt'), '--except-as', 'distinct-ids']),
    ...(chance.happens(0.5) ? ['--batch-size', String(1 + chance.below(3))] : []),
    ...(chance.happens(0.3) ? ['--concurrency', '2'] : []),
    ...(isPlanOnly ? ['--plan-only'] : []),
    ...(way === 'emails' ? ['--max', '50'] : []),
  ];
  const one = ['persons', 'delete', '--distinct-id', ids[0] ?? '', '--yes', ...events];
  const first = await run(...(way === 'one' ? one : bulk));
  service.endPlan();
  const { shown: shownFirst } = ledger;
  const judging = { request, ledger, shown: shownFirst, setting };
  const judge = (ended: Ended, kind: 'deletion' | 'verify') => judgeEnd(ended, kind, judging);
  let fault = judgeHits(request, ledger, shownFirst) ?? (isPlanOnly ? undefined : judge(first, 'deletion'));
  if (fault !== undefined) return fault;
  const rows = async (): Promise<readonly Row[]> =>
    JSON.parse((await run('runs', 'list', '-o', 'json', '-q')).stdout || '[]') as readonly Row[];
  const [row] = await rows();
  if (row === undefined) return ledger.calls > 0 ? 'a call was made without a run' : undefined;
  const { run: name } = row;
  const receipt = join(folder, 'receipt.json');
  const answering =
    way === 'one' ? [] : ['--from', list, '--as', way, '--receipt', receipt, '--force', '-o', 'json'];
  const next = async (verb: 'verify' | 'resume') => {
    rmSync(receipt, { force: true });
    const isAnswered = chance.happens(0.5);
    const ended = await run(
      ...['runs', verb, name, ...(verb === 'resume' ? ['--yes'] : []), ...(isAnswered ? answering : [])],
    );
    const lines = existsSync(receipt) ? (JSON.parse(readFileSync(receipt, 'utf8')) as readonly Line[]) : [];
    return (
      judgeHits(request, ledger, shownFirst) ??
      judge(ended, verb === 'verify' ? 'verify' : 'deletion') ??
      judgeReceipt(lines, judging)
    );
  };
  for (let count = chance.below(4); count > 0; count -= 1) {
    fault = await next(chance.happens(0.4) ? 'verify' : 'resume');
    if (fault !== undefined) return fault;
  }
  service.beHonest();
  // Whoever was said to be deleted, and is there a day later, is sent again.
  for (const verb of ['resume', 'verify', 'verify', 'resume', 'verify'] as const) {
    fault = await next(verb);
    if (fault !== undefined) return fault;
    world.workOff();
    world.sync();
    if (verb === 'verify') world.pass(2 * 86_400_000);
  }
  const [end] = await rows();
  if (end?.owed === null) {
    const lost = ids.filter(
      (id) => before.get(id)?.some((one) => isLeft(one, setting)) && !isExcepted(id, request, shownFirst),
    );
    if (lost.length > 0 && !setting.isMoving) return `lost, and nothing is owed: ${lost.join(', ')}`;
    // Events that were said to be queued are not asked for again.
  } else if (!setting.isMoving && !setting.keeps && (setting.hasSql || !setting.withEvents))
    return `honest at last, people who do not move, and still owed: ${end?.owed}`;
  return undefined;
}

type Data = {
  readonly id: string;
  readonly isDeleted: boolean;
  readonly events: { readonly areGone: boolean };
};

const isLeft = ({ isDeleted, events }: Data, { keeps }: Setting) => (keeps ? !events.areGone : !isDeleted);

/** A UUID, or an integer, of whoever has a distinct id; or the UUID that they would have. */
function personIdOf(id: string, { world, chance }: Pick<Stage, 'world' | 'chance'>): string {
  const { uuid = uuidOf(id), serial } = world.holder(id) ?? {};
  return serial !== undefined && chance.happens(0.3) ? String(serial) : uuid;
}

function dataBehind(id: string, world: World): readonly Data[] {
  const person = world.people().find(({ uuid, email, serial }) => [uuid, email, String(serial)].includes(id));
  if (person !== undefined) return [...person.data.values()];
  const own = world.holder(id)?.data.get(id);
  return own === undefined ? [] : [own];
}

type Shown = ReturnType<typeof createService>['ledger']['shown'];
type Ledger = ReturnType<typeof createService>['ledger'];

/** Persons who hold an excepted id, or were shown with one, are not asked for. */
function isExcepted(id: string, { excepted }: Request, shown: Shown): boolean {
  return (
    excepted.has(id) ||
    shown.some(
      ({ data, profile: { uuid, email, serial } }) =>
        (data.has(id) || [uuid, email, String(serial)].includes(id)) &&
        [...data.keys()].some((own) => excepted.has(own)),
    )
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

type Judging = {
  readonly request: Request;
  readonly ledger: Ledger;
  readonly shown: Shown;
  readonly setting: Setting;
};

function judgeEnd(
  { code, stderr }: Ended,
  kind: 'deletion' | 'verify',
  { request, ledger, shown, setting }: Judging,
): string | undefined {
  if (code === 1 || stderr.includes('    at ')) return `a bug: ${stderr}`;
  if (code !== 0) return undefined;
  for (const { id, profile, data } of shown) {
    if (!request.ids.includes(id) || isExcepted(id, request, shown)) continue;
    const unproven = kind === 'verify' ? unprovenOf([...data.values()], setting) : undefined;
    if (unproven !== undefined) return unproven;
    if (![...data.values()].some((one) => isLeft(one, setting))) continue;
    if (![profile.uuid, String(profile.serial)].some((one) => ledger.claimed.has(one)))
      return `ended with 0, though nobody said that ${profile.uuid} is deleted`;
  }
  return undefined;
}

/** What is there of somebody who is called proven. */
function unprovenOf(data: readonly Data[], { withEvents, keeps }: Setting): string | undefined {
  const left = data.filter(({ isDeleted }) => !keeps && !isDeleted);
  const events = data.filter((one) => withEvents && !one.events.areGone);
  if (left.length > 0) return `proven, though the data of ${left.map(({ id }) => id).join(', ')} are there`;
  if (events.length > 0)
    return `proven, though the events of ${events.map(({ id }) => id).join(', ')} are there`;
  return undefined;
}

/** A row of a receipt. */
type Line = { readonly given: string; readonly outcome: string; readonly proven?: string | null };

function judgeReceipt(
  lines: readonly Line[],
  { request, ledger, shown, setting }: Judging,
): string | undefined {
  if (lines.length === 0) return undefined;
  const missing = request.ids.filter((id) => !lines.some(({ given }) => given === id));
  if (missing.length > 0) return `not in the receipt: ${missing.join(', ')}`;
  for (const { given, outcome, proven } of lines) {
    if (outcome === 'excepted' && !isExcepted(given, request, shown)) return `called excepted: ${given}`;
    for (const { id, profile, data } of shown) {
      if (id !== given || isExcepted(id, request, shown)) continue;
      const isProven = proven !== undefined && proven !== null && proven !== 'no';
      const unproven = isProven ? unprovenOf([...data.values()], setting) : undefined;
      if (unproven !== undefined) return `a receipt calls ${given} ${unproven}`;
      const isClaimed = [profile.uuid, String(profile.serial)].some((one) => ledger.claimed.has(one));
      if (outcome === 'deleted' && !isClaimed) return `called deleted, which nobody said: ${given}`;
    }
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
