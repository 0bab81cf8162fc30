import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseProjectList } from '../../../src/settings/project-file.ts';
import { errorOf, fileHolding, readIn, storedProject, storeIn, temporaryDirectory } from './store-fixture.ts';

const secret = 'phx_very_secret_0123456789';
const shop = storedProject('shop', { key: secret });
const whole = JSON.stringify({ projects: [shop], default: 'shop' }, undefined, '\t');

function withEntry(change: object): string {
  return JSON.stringify({ projects: [storedProject('blog'), { ...shop, ...change }] });
}

/** What a text holds, undefined for a damaged one. */
function listIn(text: string) {
  try {
    return parseProjectList(text, 'config.json', { platform: 'linux' }).list;
  } catch {
    return undefined;
  }
}

const damaged: readonly (readonly [title: string, text: string, fault: string])[] = [
  ['truncated to half', whole.slice(0, whole.length / 2), 'it is not a complete JSON object'],
  [
    'truncated inside the key',
    whole.slice(0, whole.indexOf(secret) + 10),
    'it is not a complete JSON object',
  ],
  ['empty', '', 'it is empty'],
  ['blank', ' \n', 'it is empty'],
  ['two documents joined', whole + whole, 'it is not a complete JSON object'],
  ['another kind of file', `key = ${secret}`, 'it is not a complete JSON object'],
  ['a list', JSON.stringify([shop]), 'it is not a complete JSON object'],
  ['a text', JSON.stringify(secret), 'it is not a complete JSON object'],
  ['null', 'null', 'it is not a complete JSON object'],
  ['zeroes', '\0'.repeat(100), 'it is not a complete JSON object'],
  ['projects by name', JSON.stringify({ projects: { shop } }), 'its "projects" is not a list'],
  [
    'a default that is no name',
    JSON.stringify({ projects: [shop], default: 1 }),
    'its "default" is not a name',
  ],
  [
    'an entry that is no object',
    JSON.stringify({ projects: [secret] }),
    'entry 1 of its "projects" has no valid "name"',
  ],
  ['a name of digits', withEntry({ name: '12' }), 'entry 2 of its "projects" has no valid "name"'],
  ['a name that is a number', withEntry({ name: 12 }), 'entry 2 of its "projects" has no valid "name"'],
  [
    'a name with spaces around it',
    withEntry({ name: ' shop' }),
    'entry 2 of its "projects" has no valid "name"',
  ],
  ['a name twice', withEntry({ name: 'blog' }), 'entry 2 of its "projects" repeats a name'],
  ['no host', withEntry({ host: undefined }), 'entry 2 of its "projects" has no valid "host"'],
  [
    'a host with a password',
    withEntry({ host: `https://a:${secret}@example.com` }),
    'entry 2 of its "projects" has no valid "host"',
  ],
  [
    'a host that is not in its final form',
    withEntry({ host: 'us' }),
    'entry 2 of its "projects" has no valid "host"',
  ],
  ['an id that is a number', withEntry({ id: 1 }), 'entry 2 of its "projects" has no valid "id"'],
  ['an id of letters', withEntry({ id: 'one' }), 'entry 2 of its "projects" has no valid "id"'],
  ['no key', withEntry({ key: undefined }), 'entry 2 of its "projects" has no valid "key"'],
  ['an empty key', withEntry({ key: '' }), 'entry 2 of its "projects" has no valid "key"'],
  [
    'a key of two lines',
    withEntry({ key: `${secret}\n${secret}` }),
    'entry 2 of its "projects" has no valid "key"',
  ],
  ['a project token', withEntry({ key: `phc_${secret}` }), 'entry 2 of its "projects" has no valid "key"'],
  [
    'no protection',
    withEntry({ protected: undefined }),
    'entry 2 of its "projects" has no valid "protected"',
  ],
  ['an unknown dialect', withEntry({ dialect: secret }), 'entry 2 of its "projects" has no valid "dialect"'],
  ['a label that is a number', withEntry({ label: 1 }), 'entry 2 of its "projects" has no valid "label"'],
];

describe('a damaged configuration file', () => {
  it.each(damaged)('is named and left as it is: %s', async (_title, text, fault) => {
    const { directory, file } = fileHolding(text);
    const store = storeIn(directory);
    const works = [
      () => readIn(directory),
      () => store.list(),
      () => store.login(storedProject('new')),
      () => store.use('shop'),
      () => store.logout('shop'),
    ];
    for (const work of works) {
      const error = await errorOf(work);
      expect(error.kind).toBe('usage');
      expect(error.message).toBe(`the configuration file ${file} is damaged: ${fault}`);
      expect(error.hint).toContain('move it away and store your projects again with hogctl auth login');
      expect(inspect(error, { depth: 9 })).not.toContain('secret');
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('works again once it is moved away', async () => {
    const { directory, file } = fileHolding(whole + whole);
    const store = storeIn(directory);
    rmSync(file);
    await store.login(shop);
    expect(store.list().projects).toEqual([shop]);
  });

  it('shows nothing of its text, wherever it was cut or changed', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'config.json');
    const store = storeIn(directory);
    const cut = fc.record({
      from: fc.nat(whole.length),
      length: fc.nat(40),
      put: fc.string({ maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(cut, async ({ from, length, put }) => {
        const text = whole.slice(0, from) + put + whole.slice(from + length);
        writeFileSync(file, text, { mode: 0o600 });
        const found = listIn(text);
        if (found !== undefined) {
          expect(store.list()).toMatchObject({ ...found, warnings: [] });
          return;
        }
        for (const error of [await errorOf(() => store.list()), await errorOf(() => store.use('shop'))]) {
          // Nothing but these words, so nothing of the text.
          expect(error.message).toMatch(
            /^the configuration file \S+ is damaged: (it is empty|it is not a complete JSON object|its "(projects" is not a list|default" is not a name)|entry 1 of its "projects" (repeats a name|has no valid "\w+"))$/,
          );
          expect(inspect(error, { depth: 9 })).not.toContain('very_secret');
        }
        expect(readFileSync(file, 'utf8')).toBe(text);
      }),
      { numRuns: 150 },
    );
  });

  it('is not one that holds nothing yet, or fields of a later version', () => {
    expect(storeIn(fileHolding('{}').directory).list().projects).toEqual([]);
    const text = JSON.stringify({ version: 2, projects: [{ ...shop, color: 'red' }] });
    expect(storeIn(fileHolding(text).directory).list().projects).toEqual([shop]);
  });
});
