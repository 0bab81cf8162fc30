import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { readZip } from '../support/read-zip.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/service.ts';

const MANY = 10_003;

const data = {
  project: { cohorts: [{ id: 1, name: 'Internal <b>watch list</b>', distinct_ids: ['ana-1'] }] },
  persons: [
    { distinct_ids: ['ana-1'], properties: { email: 'Ana@example.org', note: '<script>alert(1)</script>' } },
    { distinct_ids: ['ana-2'], properties: { email: 'ana@example.org', plan: 'pro' } },
    { distinct_ids: ['ben'], properties: { email: 'ben@example.org' } },
  ],
  events: [
    { event: 'first <i>', distinct_id: 'ana-1', timestamp: '2026-06-10T08:00:00Z' },
    {
      event: 'order_placed',
      distinct_id: 'ana-1',
      timestamp: '2026-06-11T09:30:00Z',
      properties: { $session_id: 'one', '<u>': '&' },
    },
    ...Array.from({ length: MANY }, (_, at) => ({
      event: at === 0 ? 'oldest' : 'viewed',
      distinct_id: 'ben',
      timestamp: new Date(Date.UTC(2026, 4, 1) + at * 60_000).toISOString(),
    })),
  ],
};

describe.each(['specification', 'live'] as const)(
  'a file for a person who asks for their data, %s',
  (dialect) => {
    let sandbox: Awaited<ReturnType<typeof borrowSandbox>>;
    beforeAll(async () => {
      sandbox = await borrowSandbox({ dialect, data, now: '2026-06-18T12:00:00Z' });
    });
    afterAll(() => sandbox.stop());
    const save = async (name: string, line: string) => {
      const file = join(temporaryDirectory(), name);
      const words = ['persons', 'export', ...line.split(' '), '--save', file];
      const environment = sandboxEnvironment(sandbox, dialect);
      return { file, ...(await runProgram(words, { environment })) };
    };

    it('is one page about all persons of the address, whose texts are no markup', async () => {
      const { file, code, stderr } = await save('ana.html', '--email ANA@example.org');
      expect([code, stderr]).toEqual([0, `Saved to ${file}.\n`]);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const page = readFileSync(file, 'utf8');
      expect(page).toContain('Profile 1 of 2');
      expect(page).toContain('Profile 2 of 2');
      expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(page).toMatch(/first &lt;i&gt;.*|order_placed/);
      expect(page).toContain('<li>&lt;u&gt;: &amp;</li>');
      expect(page).toContain('<td>2026-06-11 09:30 UTC</td><td>2026-06-11 09:30 UTC</td><td>1</td>');
      expect(page.indexOf('<h4>2026-06-11</h4>')).toBeLessThan(page.indexOf('<h4>2026-06-10</h4>'));
      expect(page).not.toMatch(/<script|<i>|<u>|watch list|@hogctl|sandbox/);
    });

    it('shows the newest 10,000 events and says so; the archive holds all of them as JSON', async () => {
      const { file, code } = await save('ben.zip', '--email ben@example.org');
      expect(code).toBe(0);
      const files = await readZip(readFileSync(file));
      expect(Object.keys(files)).toEqual(['ben.html', 'ben.json']);
      const page = files['ben.html'] ?? '';
      expect(page).toContain('The newest 10,000 of 10,003 events');
      expect(page).toContain('<code>ben.json</code> has all of them');
      expect(page.match(/<td>viewed<\/td>/g)).toHaveLength(10_000);
      expect(page).not.toContain('oldest');
      const { profiles } = JSON.parse(files['ben.json'] ?? '');
      expect(profiles).toHaveLength(1);
      expect(Object.keys(profiles[0])).toEqual(['person', 'events']);
      expect(profiles[0].events).toHaveLength(MANY);
      expect(profiles[0].events[0].event).toBe('oldest');
    });

    it('names cohorts only if that is asked for', async () => {
      const { file, code } = await save('ana.zip', '--distinct-id ana-1 --with-cohorts');
      expect(code).toBe(0);
      const files = await readZip(readFileSync(file));
      expect(files['ana.html']).toContain('<li>Internal &lt;b&gt;watch list&lt;/b&gt;</li>');
      expect(JSON.parse(files['ana.json'] ?? '').profiles[0].cohorts).toEqual(['Internal <b>watch list</b>']);
    });

    it.each([
      ['ana.html', '--email nobody@example.org', 3, 'no person has the email'],
      ['ana.html', '--email ana@example.org -o csv', 2, 'ana.html cannot contain csv'],
      ['all.zip', '--search ana', 2, 'all.zip is about one person'],
      ['ana.json', '--distinct-id ana-1 --with-cohorts', 2, '--with-cohorts needs an .html or .zip file'],
      ['ana.json', '--email ana@example.org', 2, '--save <name>.zip for all of them in one file'],
    ])('is not written as %s for %s', async (name, line, exit, message) => {
      const { file, code, stderr } = await save(name, line);
      expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
      expect(existsSync(file)).toBe(false);
    });
  },
);

it('holds what is in several projects', async () => {
  const config = temporaryDirectory();
  const environment = { HOGCTL_CONFIG_DIR: config };
  for (const name of ['eu', 'us', 'empty']) {
    const content = name === 'empty' ? { persons: [] } : { persons: data.persons };
    const sandbox = await borrowSandbox({ dialect: 'live', data: content, now: '2026-06-18T12:00:00Z' });
    onTestFinished(() => sandbox.stop());
    const {
      HOGCTL_HOST: host,
      HOGCTL_PROJECT: id,
      HOGCTL_API_KEY: key,
    } = sandboxEnvironment(sandbox, 'live');
    const login = `auth login --host ${host} --project ${id} --name ${name} --key-stdin`;
    expect(await runProgram(login.split(' '), { environment, stdin: `${key}\n` })).toMatchObject({ code: 0 });
  }
  const file = join(config, 'ana.zip');
  const words = `persons export --email ana@example.org --projects eu,us,empty --save ${file}`.split(' ');
  const { code, stderr } = await runProgram(words, { environment });
  expect([code, stderr]).toEqual([0, `empty: the person was not found.\nSaved to ${file}.\n`]);
  const files = await readZip(readFileSync(file));
  expect(files['ana.html']).toContain('Profile 4 of 4');
  expect(JSON.parse(files['ana.json'] ?? '').profiles).toHaveLength(4);
});
