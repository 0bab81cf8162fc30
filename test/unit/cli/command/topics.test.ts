import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../../../src/cli/command/topics.ts';
import { BUG, DONE, EXIT_CODES } from '../../../../src/cli/run.ts';
import { groups } from '../../../../src/commands/index.ts';
import { tryCommand } from '../../../support/documented-commands.ts';
import { runProgram } from '../../../support/run-program.ts';

const source = join(import.meta.dirname, '..', '..', '..', '..', 'src');

async function textOf(topic: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(['help', topic]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('hogctl help', () => {
  it('lists the topics', async () => {
    const { stdout: help } = await runProgram(['help']);
    expect(help).toContain(`\nTopics: hogctl help ${TOPICS.map(({ name }) => name).join('|')}\n`);
    const { stdout } = await runProgram(['help', 'help']);
    for (const { name, summary } of TOPICS)
      expect(stdout).toMatch(new RegExp(`^ {2}help ${name} +${summary}$`, 'm'));
  });

  it('alone leaves room for the next prompt on 24 lines', async () => {
    const { stdout } = await runProgram([]);
    const remedy = 'a new noun takes the line of an example in describeRoot of src/cli/command/help.ts';
    expect(stdout.split('\n').length, remedy).toBeLessThanOrEqual(24);
  });

  it.each(['persons help list', 'help persons list'])('is asked for by %s too', async (line) => {
    const { code, stdout } = await runProgram(line.split(' '));
    expect(code).toBe(0);
    expect(stdout).toBe((await runProgram(['persons', 'list', '--help'])).stdout);
  });

  it('of a noun is asked for by persons help', async () => {
    const { code, stdout } = await runProgram(['persons', 'help']);
    expect(code).toBe(0);
    expect(stdout).toBe((await runProgram(['persons', '--help'])).stdout);
    expect(stdout).not.toContain('display help');
  });

  it('leaves a noun its own help: no topic has the name of one', () => {
    const nouns = groups.map(({ name }) => name);
    expect(TOPICS.filter(({ name }) => nouns.includes(name))).toEqual([]);
  });

  it('refuses a topic that is not there', async () => {
    const { code, stdout, stderr } = await runProgram(['help', 'weather']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe("error: unknown command 'weather'\nhint: hogctl --help lists the commands\n");
  });

  it.each([
    ['erasure', 'erasure'],
    ['help exitcodes', 'exit-codes'],
    ['env', 'environment'],
  ])('is where somebody is sent who types %s', async (line, topic) => {
    const { code, stderr } = await runProgram(line.split(' '));
    expect(code).toBe(2);
    expect(stderr).toContain(`hint: hogctl help ${topic} explains it\n`);
  });

  it('says in one way which word was meant', async () => {
    expect((await runProgram(['person', 'list'])).stderr).toContain('\nhint: did you mean persons?\n');
    expect((await runProgram(['persons', 'lst'])).stderr).toContain('\nhint: did you mean list?\n');
    expect((await runProgram(['persons', 'list', '--serch', 'a'])).stderr).toContain(
      '\nhint: did you mean --search?\n',
    );
  });

  it.each([
    ['persons update 5 plan=x', 'did you mean --set plan=x?'],
    ['persons list plan=x', 'did you mean --property plan=x?'],
    ['runs find ana@example.org', 'did you mean --emails ana@example.org?'],
    ['persons get ana@example.org', 'did you mean --email=ana@example.org?'],
  ])('tells of %s which option was meant', async (line, hint) => {
    const { code, stderr } = await runProgram(line.split(' '));
    expect(code).toBe(2);
    expect(stderr).toContain(`\nhint: ${hint}`);
  });
});

describe.each(TOPICS.map(({ name }) => name))('hogctl help %s', (name) => {
  it('has lines of 80 characters, but for what is copied', async () => {
    const lines = (await textOf(name)).split('\n').filter((line) => !line.startsWith('  $ '));
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it('shows commands that parse', async () => {
    for (const [, command = ''] of (await textOf(name)).matchAll(/^ {2}\$ hogctl ([^|\n]+)/gm))
      await tryCommand(command.trim());
  });
});

describe('hogctl help environment', () => {
  it('names every variable that the sources read', async () => {
    const text = await textOf('environment');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(source, path), 'utf8'));
    const read = files.flatMap((file) => [
      ...[...file.matchAll(/\b(?:HOGCTL|POSTHOG_CLI|XDG)_[A-Z]+(?:_[A-Z]+)*\b/g)].map(([found]) => found),
      ...[...file.matchAll(/\benvironment\.([A-Z_]+)\b/g)].map(([, found = '']) => found),
    ]);
    expect(read).toEqual(expect.arrayContaining(['HOGCTL_API_KEY', 'NO_COLOR', 'XDG_STATE_HOME']));
    // What names the home directory is the system's to explain.
    const own = [...new Set(read)].filter((variable) => !['HOME', 'USERPROFILE'].includes(variable));
    expect(own.filter((variable) => !text.includes(variable)).sort()).toEqual([]);
  });
});

describe('the texts of help', () => {
  it('are each shown by a command or a topic', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).map((path) =>
      path.replaceAll('\\', '/'),
    );
    const code = files
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(source, path), 'utf8'));
    const topics = TOPICS.map(({ name }) => `cli/topics/${name}`);
    const names = files.filter((path) => path.endsWith('.txt')).map((path) => path.slice(0, -4));
    const unused = names.filter(
      (name) => !topics.includes(name) && !code.some((text) => text.includes(`helpText('${name}')`)),
    );
    expect(unused, 'name each with helpText, or remove it').toEqual([]);
  });
});

describe('hogctl help exit-codes', () => {
  it('has the codes of the program, with their kinds', async () => {
    const found = (await textOf('exit-codes')).matchAll(/^ {2}(\d+) +([a-z-]+):? /gm);
    const shown = Object.fromEntries([...found].map(([, code, kind = '']) => [kind, Number(code)]));
    expect(shown).toEqual({ done: DONE, bug: BUG, ...EXIT_CODES });
  });
});
