import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { System } from '../../src/system/system.ts';
import { startService } from '../support/service.ts';

const rows = { results: [['a', 1]], columns: ['event', 'n'], hasMore: false };

/** An editor that writes a text, and tells what it was given. */
function editor(text: string | undefined, code = 0) {
  const seen: { before?: string; mode?: number; file?: string; command?: readonly string[] } = {};
  const spawn: System['spawn'] = async (command) => {
    const file = command.at(-1) ?? '';
    const mode = statSync(file).mode & 0o777;
    Object.assign(seen, { file, mode, before: readFileSync(file, 'utf8'), command });
    // Editors keep what was there before.
    writeFileSync(`${file}~`, 'before');
    if (text !== undefined) writeFileSync(file, text);
    return { code };
  };
  return { spawn, seen };
}

const atTerminal = { answers: [] };

describe('query --edit', () => {
  it('asks what was written in the editor, in a file that only its owner reads and that is gone then', async () => {
    const service = await startService([{ json: rows }]);
    const { spawn, seen } = editor('select 1;\n');
    const environment = { VISUAL: 'code --wait', EDITOR: 'vi' };
    const { code } = await service.hogctl('query --edit -o csv', { ...atTerminal, spawn, environment });
    expect(code).toBe(0);
    expect(service.log[0]?.json).toEqual({ query: { kind: 'HogQLQuery', query: 'select 1;\n' } });
    expect(seen).toMatchObject({ mode: 0o600, before: expect.stringMatching(/^-- [^\n]*\n$/) });
    expect(seen.command).toEqual(['sh', '-c', 'code --wait "$@" < /dev/tty > /dev/tty', 'sh', seen.file]);
    expect(existsSync(dirname(seen.file ?? ''))).toBe(false);
  });

  it('begins with the query that was given', async () => {
    const service = await startService([{ json: rows }]);
    const { spawn, seen } = editor('select 2');
    await service.hogctl(['query', '--edit', 'select 1'], { ...atTerminal, spawn });
    expect(seen.before).toBe('select 1');
    expect(service.log).toHaveLength(1);
  });

  it('prints what was written if the service refuses it, since it is kept nowhere', async () => {
    const service = await startService([{ status: 400, json: { detail: 'Unknown table' } }]);
    const { spawn } = editor('select 1 from nowhere');
    const { code, stderr } = await service.hogctl('query --edit', { ...atTerminal, spawn });
    expect(code).toBe(5);
    expect(stderr).toContain('The query was:\nselect 1 from nowhere');
  });

  it.each([
    ['is left as it was', undefined, 0],
    ['holds only a comment', '-- nothing; at all', 0],
    ['is written by an editor that fails', 'select 1', 3],
  ])('sends nothing if the query %s', async (_, text, status) => {
    const service = await startService([]);
    const { spawn, seen } = editor(text, status);
    const { code, stderr } = await service.hogctl('query --edit', { ...atTerminal, spawn });
    expect([code, stderr]).toEqual([7, expect.stringContaining('so nothing was sent')]);
    expect(service.log).toEqual([]);
    expect(existsSync(dirname(seen.file ?? ''))).toBe(false);
  });

  it('needs a terminal', async () => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl('query --edit');
    expect([code, stderr]).toEqual([2, 'error: --edit needs a terminal\nhint: give the query, or @file\n']);
  });
});

describe('several statements', () => {
  it.each([
    'select 1; select 2',
    "select ';'; select 1",
    'select 1;\n-- and\nselect 2;',
    '; select 1;; select 2 /* ; */',
  ])('are refused before anything is sent: %s', async (sql) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl(['query', sql]);
    expect([code, stderr.split('\n')[0]]).toEqual([2, 'error: the query contains several statements']);
    expect(service.log).toEqual([]);
  });

  it.each([
    'select 1;',
    "select ';' as a, \"b;c\", `d;e`, 'it''s; \\'; x' -- f; g",
    'select /* ; */ 1 ;; -- ; the end',
    'select 1 // one; two',
    "select 'never; ends",
  ])('are none where semicolons lie in texts and comments: %s', async (sql) => {
    const service = await startService([{ json: rows }]);
    expect((await service.hogctl(['query', sql])).code).toBe(0);
    expect(service.log).toHaveLength(1);
  });
});

describe('query --tables', () => {
  it.each(['--limit 3', '--edit', '--chart', '--value a=1', '--async'])(
    'takes nothing else: %s',
    async (more) => {
      const service = await startService([]);
      expect((await service.hogctl(`query --tables events ${more}`, atTerminal)).code).toBe(2);
      expect(service.log).toEqual([]);
    },
  );

  it('shows where columns lead to, and says if the service names no tables', async () => {
    const fields = {
      id: { name: 'id', hogql_value: '`id`', type: 'string', schema_valid: true },
      pdi: { name: 'pdi', hogql_value: 'pdi', type: 'lazy_table', table: 'person_distinct_ids', fields: [] },
      who: { name: 'who', hogql_value: 'who', type: 'field_traverser', chain: ['pdi', 'person'] },
    };
    const tables = { events: { type: 'posthog', id: 'events', name: 'events', fields, row_count: 9 } };
    const service = await startService([{ times: 2, json: { tables, joins: [] } }, { json: rows }]);
    expect((await service.hogctl('query --tables -o csv')).stdout).toBe(
      'name,type,columns,row_count\nevents,posthog,3,9\n',
    );
    expect((await service.hogctl('query --tables events -o ndjson')).stdout.split('\n')).toEqual([
      '{"name":"`id`","type":"string"}',
      '{"name":"pdi","type":"lazy_table","table":"person_distinct_ids"}',
      '{"name":"who","type":"field_traverser","chain":["pdi","person"]}',
      '',
    ]);
    expect((await service.hogctl('query --tables')).code).toBe(6);
  });

  it('is missing neither the query nor the table of a name that objects have', async () => {
    const service = await startService([{ json: { tables: {} } }]);
    expect((await service.hogctl('query')).code).toBe(2);
    expect((await service.hogctl('query --tables constructor')).code).toBe(3);
  });
});
