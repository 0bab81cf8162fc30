import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { findSqlFault } from '../../src/semantics/sql-parser.ts';
import { documentedCommands } from '../support/documented-commands.ts';
import { splitWords } from '../support/split-words.ts';
import { allLeaves } from '../unit/cli/command-leaves.ts';

const root = join(import.meta.dirname, '../..');

const filesOf = (folder: string, ending: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`);

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Texts of a source; what is put into a template stands there as a name. */
function* textsIn(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const { type, value, quasis } = node as Record<string, unknown>;
  if (type === 'Literal' && typeof value === 'string') yield value;
  if (type === 'TemplateLiteral' && Array.isArray(quasis))
    yield quasis.map((quasi) => String(quasi.value.cooked)).join('x');
  for (const part of Object.values(node)) yield* textsIn(part);
}

const SQL = /^\s*select\b.*\bfrom [a-z_]+/is;

function sourceTexts(): readonly (readonly [string, string])[] {
  const sources = filesOf('src', '.ts').filter((path) => !path.startsWith('src/sandbox/'));
  return sources.flatMap((path) => {
    const { program } = parseSync(path, read(path));
    return [...textsIn(program)].filter((text) => SQL.test(text)).map((text) => [path, text] as const);
  });
}

/** The SQL of a command, if it stands in it. */
function sqlOf(command: string): readonly string[] {
  const [name, sql = ''] = splitWords(command);
  return name === 'query' && /\s/.test(sql) ? [sql] : [];
}

async function documentTexts(): Promise<readonly (readonly [string, string])[]> {
  const documents = ['README.md', ...filesOf('docs', '.md')];
  const inDocuments = documents.flatMap((path) =>
    documentedCommands(read(path)).flatMap((command) => sqlOf(command).map((sql) => [path, sql] as const)),
  );
  const leaves = await allLeaves();
  const inHelp = leaves.flatMap(({ path, command }) =>
    (command.examples ?? []).flatMap((example) => sqlOf(example).map((sql) => [path, sql] as const)),
  );
  return [...inDocuments, ...inHelp];
}

const faultOf = (text: string) => findSqlFault(text, AbortSignal.timeout(20_000));

describe('SQL for the service', () => {
  it.each(sourceTexts())('in %s is as the service takes it: %s', async (_, text) => {
    expect(await faultOf(text)).toBeUndefined();
  });

  it('stands in many places', async () => {
    expect(sourceTexts().length).toBeGreaterThan(12);
    expect((await documentTexts()).length).toBeGreaterThan(5);
  });

  it('in documents and help is as the service takes it', async () => {
    for (const [path, text] of await documentTexts())
      expect(await faultOf(text), `${path}: ${text}`).toBeUndefined();
  });

  it.each([
    'select strftime(a, b) from events',
    'select age(now(), now()) from events',
    'select event from events limit 2 offset 1',
    'select properties.`a\\`b` from events',
  ])('is refused if it is not: %s', async (text) => {
    expect(await faultOf(text)).toBeDefined();
  });
});
