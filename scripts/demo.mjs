// Shows the main job on a sandbox of its own: look somebody up, correct them, erase them, prove it.
// Needs no account, no network and no terminal, and leaves nothing behind.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(import.meta.dirname, '..', 'bin', 'hogctl.js');
const folder = mkdtempSync(join(tmpdir(), 'hogctl-demo-'));
const running = new Set();
let stoppedBy;

/** The environment without anybody's own projects and keys. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(HOGCTL|POSTHOG_CLI)_/.test(name))),
  HOGCTL_CONFIG_DIR: join(folder, 'config'),
  HOGCTL_STATE_DIR: join(folder, 'state'),
  HOGCTL_CACHE_DIR: join(folder, 'cache'),
};

function start(words, stdio) {
  const child = spawn(process.execPath, [program, ...words], { stdio, env: environment });
  running.add(child);
  child.ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal);
    });
  });
  return child;
}

/** Resolves to all that a stream of a child says, or as soon as `isEnough` says so. */
function read(stream, isEnough = () => false) {
  return new Promise((resolve) => {
    let text = '';
    stream.setEncoding('utf8').on('data', (part) => {
      text += part;
      if (isEnough(text)) resolve(text);
    });
    stream.once('end', () => resolve(text));
  });
}

async function startSandbox() {
  say('A sandbox: the service on this computer, with a thousand invented customers of a shop.');
  console.log('$ hogctl sandbox start');
  const sandbox = start(['sandbox', 'start'], ['ignore', 'pipe', 'pipe']);
  // The next step may begin only once the sandbox has said all that it says at its start.
  const [text, note] = await Promise.all([
    read(sandbox.stdout, (sofar) => /HOGCTL_DIALECT=.*\n/.test(sofar)),
    read(sandbox.stderr, (sofar) => sofar.includes('\n')),
  ]);
  const found = Object.fromEntries(
    [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  if (!found.HOGCTL_HOST || !found.HOGCTL_API_KEY) throw new Error(`the sandbox did not start: ${note}`);
  console.log(text.replace(found.HOGCTL_API_KEY, '(not shown)').trimEnd());
  console.error(note.trimEnd());
  sandbox.stderr.pipe(process.stderr);
  return { sandbox, host: found.HOGCTL_HOST, project: found.HOGCTL_PROJECT, key: found.HOGCTL_API_KEY };
}

function say(text) {
  console.log(`\n# ${text}`);
}

/** Shows a command as it would be typed, runs it, and holds it to the exit code that it has to end with. */
async function step(text, words, { stdin, expected = 0 } = {}) {
  if (stoppedBy) throw new Error(`stopped by ${stoppedBy}`);
  say(text);
  console.log(
    `$ ${stdin === undefined ? '' : 'printenv HOGCTL_API_KEY | '}hogctl ${words.map(quote).join(' ')}`,
  );
  const child = start(words, [stdin === undefined ? 'ignore' : 'pipe', 'inherit', 'inherit']);
  if (stdin !== undefined) child.stdin.end(stdin);
  const code = await child.ended;
  if (code !== expected) throw new Error(`hogctl ended with ${code} instead of ${expected}`);
  if (code !== 0) console.log(`(exit code ${code})`);
}

function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

async function lastRun() {
  const list = start(['runs', 'list', '-o', 'json'], ['ignore', 'pipe', 'inherit']);
  const [text, code] = await Promise.all([read(list.stdout), list.ended]);
  const run = code === 0 ? JSON.parse(text).at(-1)?.run : undefined;
  if (run === undefined) throw new Error('the run is not on record');
  return run;
}

async function walkThrough({ host, project, key }) {
  const ana = ['--email', 'ana.berg@example.org'];
  const erase = ['persons', 'bulk-delete', '--distinct-ids', 'shopper-0001,shopper-0002', '--delete-events'];
  const shop = ['--project', 'shop'];
  await step(
    'Store the key of the project; it comes from standard input, never from an option.',
    ['auth', 'login', '--host', host, ...['--project', project], '--name', 'shop', '--key-stdin'],
    { stdin: key },
  );
  await step('Who is there?', ['persons', 'list', '--limit', '5']);
  await step('Look one person up.', ['persons', 'get', ...ana]);
  await step('Correct a property.', ['persons', 'set', ...ana, 'plan', 'pro']);
  await step('Where do shoppers drop out?', [
    ...['insights', 'funnel', '--events', 'product_viewed,added_to_basket,order_completed'],
    ...['--date-from', '2026-06-01', '--date-to', '2026-06-14', '--chart'],
  ]);
  await step('Show a saved insight, calculated now.', ['insights', 'get', '4', '--refresh', '--chart']);
  await step('Plan an erasure; nothing is sent that changes anything.', [...erase, ...shop, '--dry-run']);
  await step('Carry it out.', [...erase, ...shop, '--yes']);
  await step('The person has gone.', ['persons', 'get', ...ana], { expected: 3 });
  await step('Every run is on record.', ['runs', 'list']);
  const run = await lastRun();
  await step('Events are deleted on Sundays; the sandbox can move its clock there.', [
    ...['sandbox', 'advance', '--to', '2026-06-22T06:00:00Z'],
  ]);
  await step('Ask the service whether anybody or anything is left.', ['runs', 'verify', run]);
  await step('Write the evidence. It names no person.', ['runs', 'report', run]);
}

function stop(reason) {
  stoppedBy ??= reason;
  for (const child of running) child.kill('SIGTERM');
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
// The reader has gone, as after `npm run demo | head`; the sandbox must not outlive that.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop('a closed pipe'));

try {
  const { sandbox, ...access } = await startSandbox();
  await walkThrough(access);
  sandbox.kill('SIGTERM');
  await sandbox.ended;
  console.log(
    '\nDone: looked up, corrected, drawn, planned, erased, verified. Nothing is left on this computer.',
  );
} catch (failure) {
  console.error(`demo failed: ${failure.message}`);
  process.exitCode = 1;
} finally {
  for (const child of running) child.kill('SIGTERM');
  await Promise.all([...running].map((child) => child.ended));
  rmSync(folder, { recursive: true, force: true });
}
