// Everything that a change has to pass before it is committed, each part whether or not one before it failed: types,
// formatting and lint, contracts, unused code, and the tests of what was changed since the branch left main.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { rooms } from './rooms.mjs';

const root = join(import.meta.dirname, '..');

function git(...words) {
  try {
    const how = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', words, how).trim().split('\n').filter(Boolean);
  } catch {
    // A package has no history, and a clone may have no main.
    return [];
  }
}

function changedFiles() {
  const [base = 'HEAD'] = git('merge-base', 'HEAD', 'main');
  const files = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
  return [...new Set(files)].filter((file) => existsSync(join(root, file)));
}

/** Of `test/e2e`, `test/unit` and the like: those that changed, and those of the rooms that changed. */
function testsOf(changed) {
  const touched = Object.entries(rooms).filter(([room]) =>
    changed.some((file) => file.startsWith(`src/${room}/`)),
  );
  const names = ['unit', 'e2e', 'smoke', 'matrix'].flatMap((folder) =>
    readdirSync(join(root, 'test', folder), { recursive: true })
      .map((path) => `test/${folder}/${path.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.test.ts')),
  );
  const isOf = (path, { tests }) => tests.some((beginning) => path.startsWith(`test/${beginning}`));
  const ofRooms = names.filter((path) => touched.some(([, room]) => isOf(path, room)));
  const own = changed.filter((file) => names.includes(file));
  const quick = [...new Set([...own, ...ofRooms])].filter((path) => /^test\/(?:unit|e2e)\//.test(path));
  return { touched, quick };
}

function run(title, command, words) {
  process.stdout.write(`\n== ${title}\n`);
  const { status } = spawnSync(join(root, 'node_modules/.bin', command), words, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  return status === 0 ? [] : [title];
}

/** For whoever runs all tests next. */
const isWithoutTests = process.argv.includes('--without-tests');
const changed = changedFiles();
const { touched, quick } = testsOf(changed);
const failed = [
  ...run('types', 'tsc', ['-p', '.']),
  ...run('formatting and lint', 'biome', ['ci', '--colors=off', '.']),
  ...(isWithoutTests ? [] : run('contracts', 'vitest', ['run', '--project', 'contract', '--reporter=dot'])),
  ...run('unused code', 'knip', []),
  ...(isWithoutTests || quick.length === 0
    ? []
    : run('tests of what was changed', 'vitest', ['run', '--reporter=dot', ...quick])),
];

process.stdout.write('\n');
for (const [room, { also }] of touched)
  process.stdout.write(`src/${room} was changed${also === undefined ? '' : `: also run ${also}`}\n`);
if (changed.some((file) => file.startsWith('src/')))
  process.stdout.write('npm test runs the tests of all rooms\n');
if (failed.length > 0) process.stdout.write(`failed: ${failed.join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
