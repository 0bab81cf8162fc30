import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scripts } from '../../package.json' with { type: 'json' };
// @ts-expect-error: a script has no types.
import { rooms as untyped } from '../../scripts/rooms.mjs';

const rooms = untyped as Readonly<
  Record<string, { readonly tests: readonly string[]; readonly also?: string }>
>;
const root = join(import.meta.dirname, '../..');
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.test.ts'));

it('each room of src has its tests in scripts/rooms.mjs', () => {
  const entries = readdirSync(join(root, 'src'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(Object.keys(rooms).sort()).toEqual(folders.sort());
});

it('each test of test/e2e is one of a room', () => {
  const all = Object.values(rooms).flatMap(({ tests: own }) => own);
  const missing = tests.filter(
    (path) => path.startsWith('e2e/') && !all.some((beginning) => path.startsWith(beginning)),
  );
  expect(missing, 'name it in scripts/rooms.mjs, so that npm run check finds it').toEqual([]);
});

it.each(Object.entries(rooms))('%s names tests that are there', (_, { tests: own, also = '' }) => {
  const named = [...own, ...Array.from(also.matchAll(/test\/(\w+\/[\w-]+)/g), ([, path = '']) => path)];
  const missing = named.filter((beginning) => !tests.some((path) => path.startsWith(beginning)));
  const lines = Array.from(also.matchAll(/npm run ([\w:]+)/g), ([, name = '']) => name);
  expect([...missing, ...lines.filter((name) => !(name in scripts))], 'mend scripts/rooms.mjs').toEqual([]);
});
