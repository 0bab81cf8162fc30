import type { Command, Group } from '../../src/cli/command/command.ts';
import { topicHelp } from '../../src/cli/command/help.ts';
import { GLOBAL_OPTIONS, type Options, standIns } from '../../src/cli/command/options.ts';
import { argumentUsage, optionText, optionUsage } from '../../src/cli/command/spelling.ts';
import { TOPICS, type Topic } from '../../src/cli/command/topics.ts';

/** man/hogctl.1 and a page for each noun, by file name. They carry no date and no version, which would age. */
export async function manPages(groups: readonly Group[]): Promise<Readonly<Record<string, string>>> {
  const pages = await Promise.all(
    groups.map(async (group) => [`hogctl-${group.name}.1`, groupPage(group, await group.load())] as const),
  );
  return { 'hogctl.1': rootPage(groups), ...Object.fromEntries(pages) };
}

function rootPage(groups: readonly Group[]): string {
  return page('hogctl', 'operate a PostHog project', [
    section('SYNOPSIS', ['.B hogctl', '.I command', '[\\fIoptions\\fR]']),
    section(
      'DESCRIPTION',
      paragraphs([
        'Looks people up, corrects them, erases them on request and proves it, and reads, refreshes and keeps insights.',
      ]),
    ),
    section(
      'COMMANDS',
      groups.flatMap(({ name, summary }) => entry(`hogctl ${name}`, summary)),
    ),
    section('OPTIONS', optionEntries(GLOBAL_OPTIONS)),
    ...TOPICS.filter(({ name }) => name !== 'options').map(topicSection),
    section('SEE ALSO', [groups.map(({ name }) => `\\fBhogctl\\-${roff(name)}\\fR(1)`).join(', ')]),
  ]);
}

function groupPage(group: Group, commands: readonly Command[]): string {
  const pathOf = ({ name }: Command) => (group.single ? group.name : `${group.name} ${name}`);
  return page(`hogctl-${group.name}`, group.summary, [
    section('SYNOPSIS', [
      `.B hogctl ${group.name}`,
      group.single ? '[\\fIoptions\\fR]' : '.I command',
      ...(group.single ? [] : ['[\\fIoptions\\fR]']),
    ]),
    ...commands.map((command) => section(pathOf(command), commandLines(pathOf(command), command))),
    section('SEE ALSO', ['\\fBhogctl\\fR(1), for the options that every command takes']),
  ]);
}

function commandLines(path: string, command: Command): readonly string[] {
  const words = Object.entries(command.arguments);
  const usage = [path, ...words.map(([name, argument]) => argumentUsage(name, argument))].join(' ');
  const explained = words.flatMap(([name, argument]) =>
    argument.description ? entry(argumentUsage(name, argument), argument.description) : [],
  );
  const aliases = command.aliases.length > 0 ? [`Also called ${command.aliases.join(', ')}.`] : [];
  return [
    ...paragraphs([`${command.summary}.`, ...(command.description?.split('\n\n') ?? []), ...aliases]),
    ...verbatim([`hogctl ${usage}${command.passThrough ? '' : ' [options]'}`]),
    ...explained,
    ...optionEntries({ ...standIns(command), ...command.options }),
    '.PP',
    'Examples:',
    ...verbatim(command.examples.map((example) => `hogctl ${example}`)),
  ];
}

/** A topic as its own help shows it. */
function topicSection(topic: Topic): string {
  const [, ...lines] = topicHelp(topic).trimEnd().split('\n');
  return section(topic.name, [...paragraphs([`${topic.summary}.`]), ...verbatim(lines)]);
}

function optionEntries(options: Options): readonly string[] {
  return Object.entries(options)
    .filter(([, option]) => !option.hidden)
    .flatMap(([name, option]) => entry(optionUsage(name, option).trim(), optionText(option)));
}

function page(name: string, summary: string, sections: readonly string[]): string {
  const heading = [`.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "" "hogctl" "hogctl manual"`];
  return `${[...heading, section('NAME', [`${roff(name)} \\- ${roff(summary)}`]), ...sections].join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return [`.SH "${title.replaceAll('-', ' ').toUpperCase()}"`, ...lines].join('\n');
}

function paragraphs(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => ['.PP', ...roff(text).split('\n')]);
}

function entry(term: string, text: string): readonly string[] {
  return ['.TP', `\\fB${roff(term)}\\fR`, roff(text)];
}

function verbatim(lines: readonly string[]): readonly string[] {
  return ['.PP', '.nf', ...lines.map((line) => `    ${roff(line)}`.trimEnd()), '.fi'];
}

/** Text in which roff finds no command: a backslash, a hyphen, and a line that begins with a dot or an apostrophe. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(/^(?=[.'])/gm, '\\&');
}
