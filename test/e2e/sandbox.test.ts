import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { golden } from '../support/golden.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/service.ts';

describe('the sandbox from the command line', () => {
  const { shows } = golden('sandbox');
  shows('says what time it is after moving on', 'sandbox advance --to 2026-06-21T06:00:00Z');
  shows('says so as json', 'sandbox advance --to 2026-06-21T07:00:00Z -o json');
  shows('does not go back', 'sandbox advance --to 2026-06-20T07:00:00Z');
  shows('does not know a time', 'sandbox advance --to tomorrow');
  shows('wants a time', 'sandbox advance');
  shows('imports nothing', 'sandbox import');
  shows('does not import from a file that is not there', 'sandbox import --persons /nowhere.ndjson');
  shows('asks before starting over', 'sandbox reset', { answers: ['n'] });
  shows('starts over', 'sandbox reset --yes');
  shows('wants a command', 'sandbox exec');
  shows('takes data or nothing', 'sandbox exec --empty --data {} -- true');

  it('names host, project and key to the command that it runs, and ends with its exit code', async () => {
    const children: { words: readonly string[]; names: readonly string[] }[] = [];
    const spawn = async (
      words: readonly string[],
      variables: Readonly<Record<string, string | undefined>>,
    ) => {
      children.push({ words, names: Object.keys(variables).sort() });
      return { code: 42 };
    };
    const { code, stdout } = await runProgram(['sandbox', 'exec', '--', 'hogctl', 'persons', 'list', '-q'], {
      spawn,
    });
    expect({ code, stdout }).toEqual({ code: 42, stdout: '' });
    const names = ['API_KEY', 'DIALECT', 'HOST', 'NO_NAMES', 'PROJECT', 'STATE_DIR'].map(
      (name) => `HOGCTL_${name}`,
    );
    expect(children).toEqual([
      { words: ['hogctl', 'persons', 'list', '-q'], names: [...names, 'POSTHOG_PROJECT_TOKEN'] },
    ]);
  });

  it('keeps the runs of a command apart, unless a place is named', async () => {
    const places: (string | undefined)[] = [];
    const spawn = async (_: unknown, variables: Readonly<Record<string, string | undefined>>) => {
      const place = variables.HOGCTL_STATE_DIR;
      places.push(place);
      if (place !== undefined) mkdirSync(join(place, 'runs'));
      return { code: 0 };
    };
    const exec = ['sandbox', 'exec', '--empty', '--', 'true'];
    const { stderr } = await runProgram(exec, { spawn });
    const [own = ''] = places;
    expect(stderr).toBe(`Runs on this sandbox are kept in ${own}; set HOGCTL_STATE_DIR to change that.\n`);
    rmSync(own, { recursive: true });
    const named = await runProgram(exec, { spawn, environment: { HOGCTL_STATE_DIR: temporaryDirectory() } });
    expect([named.stderr, places[1]]).toEqual(['', undefined]);
    const without = async (_: unknown, variables: Readonly<Record<string, string | undefined>>) => {
      places.push(variables.HOGCTL_STATE_DIR);
      return { code: 0 };
    };
    expect((await runProgram(exec, { spawn: without })).stderr).toBe('');
    expect(existsSync(places[2] ?? '')).toBe(false);
  });

  it('hands the command no real key of any name', async () => {
    const directory = temporaryDirectory();
    const project = { name: 'shop', host: 'https://eu.posthog.com', id: '1', protected: false };
    const stored = JSON.stringify({ projects: [{ ...project, key: 'own-form-of-key-1' }] });
    writeFileSync(join(directory, 'config.json'), stored, { mode: 0o600 });
    const environment = {
      HOGCTL_CONFIG_DIR: directory,
      POSTHOG_CLI_API_KEY: 'phx_real_of_the_vendor',
      POSTHOG_PERSONAL_API_KEY: 'self-hosted',
      MY_COPY: 'own-form-of-key-1',
      MY_HEADER: 'Bearer self-hosted',
      LANG: 'C.UTF-8',
    };
    const given: unknown[] = [];
    const spawn = async (_: unknown, variables: unknown) => {
      given.push(variables);
      return { code: 0 };
    };
    const { stderr } = await runProgram(['sandbox', 'exec', '--empty', '--', 'true'], { environment, spawn });
    const names = ['POSTHOG_CLI_API_KEY', 'POSTHOG_PERSONAL_API_KEY', 'MY_COPY', 'MY_HEADER'];
    expect(given).toMatchObject([Object.fromEntries(names.map((name) => [name, undefined]))]);
    expect(given[0]).not.toHaveProperty('LANG');
    expect(stderr).toBe(`Not passed to the command, which has a key of the sandbox: ${names.join(', ')}.\n`);
  });

  it('says where it runs, answers there, and stops when it is told to', async () => {
    const stop = new AbortController();
    const printed = new PassThrough({ encoding: 'utf8' });
    const running = runProgram(['sandbox', 'start', '-o', 'json', '--empty'], {
      signal: stop.signal,
      stdout: printed,
    });
    const [text] = await once(printed, 'data');
    const { HOGCTL_HOST: host, HOGCTL_PROJECT: project, HOGCTL_API_KEY: key } = JSON.parse(text);
    const ask = () =>
      fetch(`${host}/api/projects/${project}/persons/`, { headers: { authorization: `Bearer ${key}` } });
    expect(await (await ask()).json()).toMatchObject({ results: [] });
    stop.abort('SIGTERM');
    expect((await running).code).toBe(0);
    await expect(ask()).rejects.toThrow('fetch failed');
  });
});
