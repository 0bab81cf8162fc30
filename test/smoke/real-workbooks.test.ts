import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';

/** What a person sees of a file, and whether an error is the only right answer to it. */
type Expected = {
  readonly addresses: readonly string[];
  readonly refuse: boolean;
  readonly kind: 'emails' | 'distinct-ids';
  readonly args: readonly string[];
};

// A version manager's Python may come first in the path, without the packages of the system.
const python = ['/usr/bin/python3', 'python3'].find(
  (one) => spawnSync(one, ['-c', 'import openpyxl, xlsxwriter']).status === 0,
);

/** Of two columns called alike but for capitals the one that was named is read, and the other told. */
const TOLD = ['two-columns-by-case.xlsx'];

describe.skipIf(python === undefined)(
  'workbooks of openpyxl and xlsxwriter (skipped without them)',
  { timeout: 240_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'hogctl-books-'));
    let sandbox: Awaited<ReturnType<typeof startSandbox>>;
    beforeAll(async () => {
      sandbox = await startSandbox({ dialect: 'specification' });
      const script = join(import.meta.dirname, '..', 'support', 'make-books.py');
      const { status, stderr } = spawnSync(python ?? '', [script, folder], { encoding: 'utf8' });
      expect(status, stderr).toBe(0);
    });
    afterAll(async () => {
      await sandbox.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    /** What hogctl takes from a file; nothing if it refuses the file. */
    async function read(name: string, { kind, args }: Expected): Promise<readonly string[] | undefined> {
      const column = args.includes('--no-column')
        ? []
        : ['--column', kind === 'emails' ? 'email' : 'distinct_id'];
      const others = args.filter((word) => word !== '--no-column');
      const from = ['persons', 'bulk-delete', '--from', join(folder, name), '--as', kind];
      const words = [...from, ...column, ...others, '--dry-run', '--show-ids', '-o', 'json'];
      const environment = { ...sandboxEnvironment(sandbox, 'specification'), HOGCTL_STATE_DIR: folder };
      const { code, stdout, stderr } = await runProgram(words, { environment });
      if (code === 2) return undefined;
      expect([0, 3], `${name}: ${stderr}`).toContain(code);
      const rows: readonly { readonly given?: string; readonly id?: string }[] = JSON.parse(stdout || '[]');
      return rows.map(({ given, id }) => given ?? id ?? '');
    }

    it('are read as they are seen, or refused', async () => {
      const expected: Record<string, Expected> = JSON.parse(
        readFileSync(join(folder, 'expected.json'), 'utf8'),
      );
      const names = Object.keys(expected).filter((name) => !TOLD.includes(name));
      const normal = (list: readonly string[]) => [...new Set(list.map((one) => one.toLowerCase()))].sort();
      let taken = 0;
      for (const name of names) {
        const seen = expected[name];
        if (seen === undefined) continue;
        const found = await read(name, seen);
        if (found === undefined) continue;
        taken += 1;
        expect(seen.refuse, `${name} was to be refused, and was read as ${found}`).toBe(false);
        expect(normal(found), name).toEqual(normal(seen.addresses));
      }
      expect(names.length).toBeGreaterThan(100);
      expect(taken).toBeGreaterThan(40);
    });
  },
);
