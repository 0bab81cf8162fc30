import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { golden } from '../support/golden.ts';
import { runProgram } from '../support/run-program.ts';

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
    const spawn = async (words: readonly string[], variables: Readonly<Record<string, string>>) => {
      children.push({ words, names: Object.keys(variables).sort() });
      return { code: 42 };
    };
    const { code, stdout } = await runProgram(['sandbox', 'exec', '--', 'hogctl', 'persons', 'list', '-q'], {
      spawn,
    });
    expect({ code, stdout }).toEqual({ code: 42, stdout: '' });
    const names = ['API_KEY', 'DIALECT', 'HOST', 'NO_NAMES', 'PROJECT'].map((name) => `HOGCTL_${name}`);
    expect(children).toEqual([{ words: ['hogctl', 'persons', 'list', '-q'], names }]);
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
