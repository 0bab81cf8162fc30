import { describe, expect, it } from 'vitest';
import { defineCommand, defineSingle } from '../../../../src/cli/command/define-command.ts';
import { parseArguments } from '../../../../src/cli/command/program.ts';
import { readOptions } from '../../../../src/cli/command/read-input.ts';
import { CliError } from '../../../../src/errors.ts';

const command = defineCommand({
  name: 'ask',
  endpoints: [],
  summary: 'Ask',
  examples: [],
  options: {
    event: { type: 'steps', description: 'Event' },
    events: { type: 'steps', description: 'Events' },
    actions: { type: 'steps', description: 'Actions' },
    where: { type: 'steps', description: 'Condition' },
    exclude: { type: 'steps', description: 'Exclusion' },
    excludeFrom: { type: 'steps', description: 'From' },
    excludeTo: { type: 'steps', description: 'To' },
    tag: { type: 'repeated', description: 'Tag' },
  },
  run: async () => {},
});
const groups = [defineSingle('ask', 'Ask', async () => command)];

async function read(...words: string[]): Promise<Record<string, unknown>> {
  const parsed = await parseArguments(['ask', ...words], groups);
  if (parsed.kind !== 'command') throw new Error('it is no command');
  return readOptions(command.options, parsed.options, async () => '');
}

describe('options whose order counts', () => {
  it('give each of them the words of all, as they were typed', async () => {
    const line =
      '--event a,b --where=n:gte=5 -q --events=c,d --tag x --actions 1,2 --exclude e --exclude-from 1 --exclude-to=2';
    const words = [
      { option: 'event', event: 'a,b' },
      { option: 'where', condition: { key: 'n', operator: 'gte', value: 5 } },
      { option: 'events', events: ['c', 'd'] },
      { option: 'actions', actions: [1, 2] },
      { option: 'exclude', event: 'e' },
      { option: 'exclude-from', step: 1 },
      { option: 'exclude-to', step: 2 },
    ];
    const found = await read(...line.split(' '));
    expect(found).toEqual({
      event: words,
      events: words,
      actions: words,
      where: words,
      exclude: words,
      excludeFrom: words,
      excludeTo: words,
      tag: ['x'],
    });
  });

  it('are absent where none was given, and start afresh with every command line', async () => {
    expect(await read('--tag', 'x')).toEqual({ tag: ['x'] });
    await read('--event', 'a');
    expect(await read('--event', 'b')).toEqual({ event: [{ option: 'event', event: 'b' }] });
  });

  it('keep names as they are', async () => {
    const name = ' a=b --where ';
    expect(await read(`--event=${name}`)).toEqual({ event: [{ option: 'event', event: name }] });
  });

  it.each([
    ['--event=', 'an event name of --event is empty'],
    ['--events=a,', 'an event name of --events is empty'],
    ['--exclude=', 'an event name of --exclude is empty'],
    ['--event=-', '--event does not read standard input'],
    ['--actions=1,x', '--actions takes a whole number from 1, not "x"'],
    ['--exclude-to=0', '--exclude-to takes a whole number from 1, not "0"'],
    ['--where=plan', '"plan" is not a condition'],
  ])('refuse %s', async (word, message) => {
    const failure = await read(word).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(CliError);
    expect(failure).toMatchObject({ kind: 'usage', message });
  });
});
