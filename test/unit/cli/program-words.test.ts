import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../src/cli/command/program.ts';
import { groups } from '../../../src/commands/index.ts';
import { CliError } from '../../../src/errors.ts';
import { runProgram } from '../../support/run-program.ts';
import { splitWords } from '../../support/split-words.ts';
import { allLeaves, parse, value } from './command-leaves.ts';

describe('the program', () => {
  it('has commands to hold to all this', async () => {
    expect((await allLeaves()).map(({ path }) => path)).toEqual(
      expect.arrayContaining(['persons list', 'insights get', 'endpoints', 'sandbox exec']),
    );
  });

  it.each(groups.filter(({ single }) => !single).map(({ name }) => name))(
    'ends the noun %s alone with exit code 2 and its help',
    async (name) => {
      const { code, stdout, stderr } = await runProgram([name]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`hogctl ${name} <command> [options]`);
      expect((await runProgram([name, '--help'])).code).toBe(0);
      expect((await runProgram([name, 'nope'])).code).toBe(2);
    },
  );

  it.each([
    ['persons list --yes=false', 2],
    ['persons list --nope', 2],
    ['persons list extra', 2],
    ['persons list -o xml', 2],
    ['persons list --limit', 2],
    ['persons lst', 2],
    ['person list', 2],
    ['--yes', 2],
    ['-p x', 2],
    ['--help', 0],
    ['', 0],
    ['--version', 0],
    ['-p x --version', 0],
    ['help', 0],
    ['help persons', 0],
    ['help persons list', 0],
    ['persons --help', 0],
  ])('ends "%s" with exit code %i', async (line, code) => {
    expect((await runProgram(splitWords(line))).code).toBe(code);
  });

  it.each(['-p --yes persons list', 'persons list --search --yes', 'persons list --save --'])(
    'says how to write a value that looks like an option: %s',
    async (line) => {
      const { code, stderr } = await runProgram(splitWords(line));
      expect(code).toBe(2);
      expect(stderr).toContain('if it is the value, write ');
    },
  );

  it('takes an argument that ends in the letter of an option for an argument', async () => {
    const { stderr } = await runProgram(splitWords('runs show case-2yj4fo --yes'));
    expect(stderr).toContain('no directory was found for the record of the run');
  });

  it.each(['persons -o json', '-o ndjson persons', '-qo json persons', 'persons -ojson'])(
    'says in one line of JSON that a noun alone lacks a command: %s',
    async (line) => {
      const { code, stdout, stderr } = await runProgram(splitWords(line));
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(JSON.parse(stderr).error).toMatchObject({
        kind: 'usage',
        message: 'a command is missing after persons',
        exit_code: 2,
      });
    },
  );

  it.each([
    '-qp shop persons list',
    'persons -qp shop list',
    'persons list -qp shop',
    '-qpshop persons list',
  ])('takes switches and an option in one word: %s', async (line) => {
    const { path, globals } = (await parse(splitWords(line))) as Record<string, unknown>;
    expect({ path, globals }).toEqual({ path: 'persons list', globals: { quiet: true, project: ['shop'] } });
  });

  it.each(['persons list --save -', 'persons list --ca-file -', 'persons bulk-delete 1 --receipt -'])(
    'takes no hyphen for the name of a file: %s',
    async (line) => {
      const { code, stderr } = await runProgram(splitWords(line));
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: --[a-z-]+ takes the name of a file, not -\nhint: /);
    },
  );

  it('lets no value decide how to talk', async () => {
    const environment = { HOGCTL_API_KEY: 'phx_TESTONLY', HOGCTL_PROJECT: '1' };
    const { code, stderr } = await runProgram(['persons', 'list', '--search', '-ojson'], { environment });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: /);
    await expect(parse(['persons', 'list', '--search', '-q'])).resolves.toMatchObject({ globals: {} });
  });

  it('throws nothing but usage errors, whatever the words', async () => {
    const word = fc.oneof(
      value,
      fc.constantFrom(
        'persons',
        'insights',
        'list',
        'get',
        'auth',
        'sandbox',
        'exec',
        '--limit',
        '--refresh',
        '-p',
      ),
    );
    const property = fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (line) => {
      try {
        await parseArguments(line, groups);
      } catch (failure) {
        expect(failure).toBeInstanceOf(CliError);
        expect(failure).toHaveProperty('kind', 'usage');
      }
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
