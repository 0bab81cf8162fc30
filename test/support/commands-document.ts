import type { Command, Group } from '../../src/cli/command/command.ts';
import { topicHelp } from '../../src/cli/command/help.ts';
import { parseArguments } from '../../src/cli/command/program.ts';
import { argumentUsage } from '../../src/cli/command/spelling.ts';
import { TOPICS } from '../../src/cli/command/topics.ts';
import type { Endpoint } from '../../src/service/endpoint.ts';

/** docs/commands.md: every command as its own help has it, with the operations and scopes it needs. */
export async function commandsDocument(groups: readonly Group[]): Promise<string> {
  const loaded = await Promise.all(groups.map(async (group) => ({ ...group, commands: await group.load() })));
  const textOf = async (group: Group, command: Command) => {
    const path = group.single ? group.name : `${group.name} ${command.name}`;
    const parsed = await parseArguments(['help', ...path.split(' ')], groups);
    return commandText(path, { command, help: parsed.kind === 'help' ? parsed.text : '' });
  };
  const contents = loaded.flatMap((group) => [
    `- [${group.name}](#${group.name}): ${group.summary}`,
    ...(group.single
      ? []
      : group.commands.map(({ name, summary }) => `  - [${name}](#${group.name}-${name}): ${summary}`)),
  ]);
  const texts = await Promise.all(
    loaded.map(async (group) => [
      ...(group.single ? [] : [`## ${group.name}`, sentence(group.summary)]),
      ...(await Promise.all(group.commands.map((command) => textOf(group, command)))).flat(),
    ]),
  );
  const options = TOPICS.find(({ name }) => name === 'options');
  return `${[
    '# Commands',
    'Generated from the commands by `npm run generate`; `hogctl help <command>` shows the same.',
    contents.join('\n'),
    '## Global options',
    'Every command takes these, before or after its name.',
    fenced('text', options ? lastBlock(topicHelp(options)) : ''),
    ...texts.flat(),
  ].join('\n\n')}\n`;
}

type Helped = { readonly command: Command; readonly help: string };

function commandText(path: string, { command, help }: Helped): readonly string[] {
  const options = helpSection(help, 'Options');
  const aliases = command.aliases.map((alias) => `\`${alias}\``).join(', ');
  return [
    `${path.includes(' ') ? '###' : '##'} ${path}`,
    sentence(command.summary) + (aliases ? ` Also called ${aliases}.` : ''),
    ...(command.description ? [prose(command.description)] : []),
    fenced('sh', command.examples.map((example) => `hogctl ${example}`).join('\n')),
    'Usage:',
    fenced('text', /^Usage: (.*)$/m.exec(help)?.[1] ?? ''),
    ...argumentsText(command),
    ...(options ? ['Options:', fenced('text', options)] : []),
    ...needsText(command.endpoints),
  ];
}

function argumentsText(command: Command): readonly string[] {
  const lines = Object.entries(command.arguments).map(([name, argument]) => {
    const description = argument.description ?? REFERENCES[argument.type];
    const choices = 'choices' in argument && argument.choices ? ` (${argument.choices.join(', ')})` : '';
    return `- \`${argumentUsage(name, argument)}\`: ${description ?? name}${choices}`;
  });
  return lines.length > 0 ? ['Arguments:', lines.join('\n')] : [];
}

const REFERENCES: Readonly<Record<string, string>> = {
  person: 'A person by id, an integer or a UUID; `--distinct-id` or `--email` can stand for it',
  insight: 'An insight by id or short id; `--short-id` can stand for it',
  insights: 'Insights by id or short id',
};

function needsText(rows: readonly Endpoint[]): readonly string[] {
  const lines = rows.map((row) => {
    const scopes = [
      ...row.scopes.map((scope) => `\`${scope}\``),
      ...(row.live?.scopes ?? [])
        .filter((scope) => !row.scopes.includes(scope))
        .map((scope) => `\`${scope}\` (live)`),
    ];
    const name = /^[PI]\d+$/.test(row.id) ? `${row.id} ` : '';
    return `- ${name}\`${row.method} ${row.path}\`${scopes.length > 0 ? `, scope ${scopes.join(' and ')}` : ''}`;
  });
  return lines.length > 0 ? ['Operations:', lines.join('\n')] : [];
}

/** The lines of one part of a help text, so that this page cannot say anything else than the help. */
function helpSection(help: string, title: string): string {
  const block = help.split('\n\n').find((part) => part.startsWith(`${title}:\n`)) ?? '';
  return unindented(block.split('\n').slice(1));
}

function lastBlock(help: string): string {
  return unindented((help.trimEnd().split('\n\n').at(-1) ?? '').split('\n'));
}

function unindented(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(/^ {2}/, ''))
    .join('\n')
    .trimEnd();
}

function sentence(text: string): string {
  return prose(text.endsWith('.') ? text : `${text}.`);
}

/** Text that Markdown must not take for a tag or for emphasis. */
function prose(text: string): string {
  return text.replace(/[<*_]/g, '\\$&');
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
