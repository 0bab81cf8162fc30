import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

describe('npm run demo', () => {
  let folder: string;
  afterAll(() => rmSync(folder, { recursive: true }));
  let code: number | null = null;
  let text = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hogctl-demo-test-'));
    // Somebody's own project must play no part, nor may a terminal.
    const environment = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, HOGCTL_PROJECT: '999' };
    // One pipe for both streams, so that the order of what they say is kept.
    const words = ['-c', 'exec "$0" "$1" 2>&1', process.execPath, join(root, 'scripts', 'demo.mjs')];
    const demo = spawn('sh', words, { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
    demo.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    code = await new Promise((resolve) => demo.once('close', resolve));
  }, 120_000);

  it('goes through to the end without a terminal', () => {
    expect(text).toContain('\nDone: looked up, corrected, drawn, planned, erased, verified.');
    expect(text).not.toContain('demo failed');
    expect(code).toBe(0);
  });

  it('shows what each step came to', () => {
    expect(text).toMatch(/\$ hogctl persons set .*\nRequested for person 1: set plan/);
    expect(text).toMatch(/\$ hogctl persons bulk-delete .* --yes\n(?:.*\n)*deleted +2/);
    expect(text).toMatch(/\$ hogctl persons get .*\nerror: no person has the email/);
    expect(text).toMatch(/\$ hogctl insights funnel .*\n(?:.*\n)*.*773/);
    expect(text).toMatch(/\$ hogctl insights get 4 --refresh .*\n(?:.*\n)*.*order_completed/);
    expect(text).toMatch(/\$ hogctl runs verify .*\n(?:.*\n)*holds +true/);
  });

  it('leaves no file and no sandbox behind', async () => {
    expect(readdirSync(folder)).toEqual([]);
    const port = Number(/HOGCTL_HOST=http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
    const answer = await new Promise((resolve) => {
      const socket = createConnection({ host: '127.0.0.1', port });
      socket.once('connect', () => resolve('connected')).once('error', ({ message }) => resolve(message));
    });
    expect(answer).toContain('ECONNREFUSED');
  });

  it('stops its sandbox when its reader has gone', async () => {
    const demo = spawn(process.execPath, [join(root, 'scripts', 'demo.mjs')], {
      env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise((resolve) => demo.once('exit', resolve));
    demo.stdout.once('data', () => {
      demo.stdout.destroy();
      demo.stderr.destroy();
    });
    expect(await ended).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  }, 60_000);

  it('shows no key', () => {
    expect(text).toContain('HOGCTL_API_KEY=(not shown)');
    expect(text).not.toMatch(/phx_\w{8}/);
  });
});
