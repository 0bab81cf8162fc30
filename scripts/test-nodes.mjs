// Runs the tests on other versions of Node than the one at hand, all but those that say nothing about Node:
//   node scripts/test-nodes.mjs [version…] [-- test files, folders or options of vitest…]
// Each version is installed as the npm package `node` into a folder of its own that is removed again.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const words = process.argv.slice(2);
const end = words.includes('--') ? words.indexOf('--') : words.length;
const versions = end > 0 ? words.slice(0, end) : ['22', '24', '26'];
/** Sources against tables and documents, which are the same on each version, and the run of everything. */
const elsewhere = ['test/contract/**', 'test/smoke/ci-script.test.ts'];
const tests =
  end < words.length ? words.slice(end + 1) : elsewhere.flatMap((pattern) => ['--exclude', pattern]);
const folder = mkdtempSync(join(tmpdir(), 'hogctl-nodes-'));
// Some tests run a process as another user, which has to find the executable.
chmodSync(folder, 0o755);

/** The executable of a version, or why there is none. */
function install(version) {
  const prefix = join(folder, version);
  const { status, stderr } = spawnSync(
    'npm',
    [
      'install',
      '--prefix',
      prefix,
      '--no-save',
      '--no-package-lock',
      '--no-audit',
      '--no-fund',
      `node@${version}`,
    ],
    { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' },
  );
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = join(prefix, 'node_modules', 'node', 'bin', name);
  if (status === 0 && existsSync(path)) return { path };
  return { reason: stderr.trim().split('\n').at(-1) || 'it could not be installed' };
}

/** The last lines of vitest tell how many passed. */
function test(node) {
  const environment = {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
    NO_COLOR: '1',
  };
  const { status, stdout, stderr } = spawnSync(node, [vitest, 'run', ...tests], {
    cwd: root,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const counts = /^ +Tests +(.*)$/m.exec(stdout)?.[1] ?? 'no test was run';
  const isPassed = status === 0 && /\d+ passed/.test(counts);
  if (!isPassed) console.log(stdout.slice(-20_000), stderr.slice(-5_000));
  return { isPassed, counts };
}

let failures = 0;
try {
  if (!existsSync(join(root, 'dist', 'main.cjs')))
    throw new Error('there is no built program: npm run build first');
  for (const version of versions) {
    const { path, reason } = install(version);
    const own = path && spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.trim();
    const { isPassed, counts } = path ? test(path) : { isPassed: false, counts: reason };
    if (!isPassed) failures += 1;
    console.log(`${isPassed ? 'passed' : 'FAILED'}  node ${own || version}  ${counts}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
