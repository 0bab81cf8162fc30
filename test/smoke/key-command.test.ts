import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BINARY, hogctl, KEY, start, startService } from './built-program.ts';

/** A service, a stored project whose key a program prints, and what changes that program. */
async function stored() {
  const { environment, log } = await startService([
    { on: 'GET /api/personal_api_keys/@current/', times: 9, status: 404, json: {} },
    {
      json: {
        id: 1,
        uuid: '00000000-0000-4000-8000-000000000001',
        created_at: '2026-01-02T03:04:05Z',
        distinct_ids: [],
        properties: {},
      },
    },
  ]);
  const { HOGCTL_HOST = '', HOGCTL_PROJECT: _, HOGCTL_API_KEY: __, ...bare } = environment;
  const program = join(String(bare.HOME), 'get-key');
  const print = (text: string) => {
    writeFileSync(program, `#!/bin/sh\n${text}\n`);
    chmodSync(program, 0o755);
  };
  print(`echo ${KEY}`);
  const words = ['auth', 'login', '--host', HOGCTL_HOST, '--project', '1', '--name', 'shop'];
  const login = await hogctl([...words, '--key-command', `${program} 'a b'`], bare);
  expect(login).toMatchObject({ code: 0 });
  return { bare, print, log };
}

describe.skipIf(process.platform === 'win32')(
  'a key command of the built program',
  { timeout: 60_000 },
  () => {
    it('prints the key for a request, with its words and without our variables', async () => {
      const { bare, print, log } = await stored();
      print(`[ "$#$1" = '1a b' ] && [ -z "$POSTHOG_API_KEY" ] && echo ${KEY}`);
      const ended = await hogctl(['persons', 'get', '1'], { ...bare, POSTHOG_API_KEY: 'phx_another' });
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(log.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    });

    it.each([
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)('ends with %s, and its program too', async (name, code) => {
      const { bare, print, log } = await stored();
      const pipe = join(String(bare.HOME), 'pid');
      execFileSync('mkfifo', [pipe]);
      print(`echo $$ > ${pipe}; exec sleep 60`);
      const { child, ended } = start([process.execPath, BINARY, 'persons', 'get', '1'], bare);
      const pid = Number(await readFile(pipe, 'utf8'));
      child.kill(name);
      expect((await ended).code).toBe(code);
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
      expect(log).toHaveLength(1);
    });

    // Elsewhere there may be no program that leaves the terminal behind.
    it.skipIf(process.platform !== 'linux')(
      'ends what its program has started, where cannot ask without a terminal',
      async () => {
        const { bare, print } = await stored();
        const pipe = join(String(bare.HOME), 'started');
        const held = join(String(bare.HOME), 'held');
        execFileSync('mkfifo', [pipe, held]);
        // The child of the program holds the pipe open until it ends.
        print(`(exec 3> ${held}; echo > ${pipe}; exec sleep 60) & wait`);
        const { child, ended } = start(['setsid', process.execPath, BINARY, 'persons', 'get', '1'], bare);
        const closed = readFile(held, 'utf8');
        await readFile(pipe, 'utf8');
        child.kill('SIGTERM');
        expect((await ended).code).toBe(143);
        expect(await closed).toBe('');
      },
    );
  },
);
