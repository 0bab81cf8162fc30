import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startService, temporaryDirectory } from '../support/service.ts';

describe('a file in the place of a directory', () => {
  it.each([
    ['runs', 'runs list'],
    ['runs', 'runs verify last'],
    ['runs', 'runs verify --due'],
    ['runs', 'runs find --distinct-ids a'],
  ])('is told and nothing is sent, if it is %s: %s', async (name, line) => {
    const state = temporaryDirectory();
    writeFileSync(join(state, name), 'x');
    const { hogctl, log } = await startService([]);
    const { code, stderr } = await hogctl(line, { environment: { HOGCTL_STATE_DIR: state } });
    expect(code).toBe(2);
    expect(stderr).toContain(`${join(state, name)}: `);
    expect(stderr).toContain('not a directory');
    expect(log).toEqual([]);
  });

  it('and a directory in the place of a file are told of the settings', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'config.json'));
    const { hogctl } = await startService([]);
    const { code, stderr } = await hogctl('auth list', { environment: { HOGCTL_CONFIG_DIR: directory } });
    expect(code).toBe(2);
    expect(stderr).toContain('config.json: it is a directory');
  });
});

describe.skipIf(process.platform === 'win32')('what stands where a file is to be saved', () => {
  it.each([
    ['a loop of links', (path: string) => symlinkSync(path, path), 'its links form a loop'],
    [
      'a pipe that nobody reads',
      (path: string) => execFileSync('mkfifo', [path]),
      'no program reads this pipe',
    ],
  ])('is told if it is %s', async (_, make, message) => {
    const file = join(temporaryDirectory(), 'rows.csv');
    make(file);
    const { hogctl } = await startService([() => ({ json: { results: [], next: null } })]);
    const { code, stderr } = await hogctl(['persons', 'list', '--save', file]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
