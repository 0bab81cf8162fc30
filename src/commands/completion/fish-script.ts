import type { Candidates, CompletionTree, Flag, Leaf, Noun } from './completion-tree.ts';

/** The completion script for fish. */
export function fishScript({ nouns, globals, rootOnly }: CompletionTree): string {
  return `${[
    '# Completion of hogctl for fish. Generated; `hogctl completion fish` prints it.',
    '',
    ...pathFunction(nouns, globals),
    '',
    ...AFTER_AT,
    '',
    ...KNOWN,
    '',
    'complete -c hogctl -f',
    ...nouns.map(({ name, summary }) => entry('', `-a ${name} -d ${quote(summary)}`)),
    entry('', "-a help -d 'Show the help of a command'"),
    ...rootOnly.map((flag) => entry('', flagText(flag))),
    ...globals.map((flag) => `complete -c hogctl ${flagText(flag)}`),
    ...nouns.flatMap((noun) => [
      ...(noun.isSingle ? [] : noun.leaves.flatMap((leaf) => verbLines(noun, leaf))),
      ...noun.leaves.flatMap(leafLines),
    ]),
  ].join('\n')}\n`;
}

/** Prints the command in the words before the cursor, an alias as the name it stands for. */
function pathFunction(nouns: readonly Noun[], globals: readonly Flag[]): readonly string[] {
  const skipped = globals.filter(({ value }) => value).flatMap(({ spellings }) => spellings);
  const singles = nouns.filter(({ isSingle }) => isSingle).map(({ name }) => name);
  const aliases = nouns.flatMap((noun) =>
    noun.leaves.flatMap((leaf) =>
      leaf.aliases.map((alias) => [
        `        case ${quote(`${noun.name} ${alias}`)}`,
        `            echo ${quote(leaf.path)}`,
      ]),
    ),
  );
  return [
    'function __hogctl_path',
    '    set -l path',
    '    set -l skip no',
    '    for word in (commandline -opc)[2..-1]',
    '        if test $skip = yes',
    '            set skip no',
    '            continue',
    '        end',
    '        switch $word',
    `            case ${skipped.join(' ')}`,
    '                set skip yes',
    "            case '-*'",
    "            case '*'",
    '                if not test "$word" = help -a (count $path) -eq 0',
    '                    set -a path $word',
    '                end',
    '        end',
    `        if test (count $path) -eq 2; or contains -- "$path" ${singles.join(' ')}`.trimEnd(),
    '            break',
    '        end',
    '    end',
    '    switch "$path"',
    ...aliases.flat(),
    "        case '*'",
    '            echo "$path"',
    '    end',
    'end',
    '',
    'function __hogctl_in',
    '    test (__hogctl_path) = "$argv"',
    'end',
  ];
}

function verbLines(noun: Noun, leaf: Leaf): readonly string[] {
  return [leaf.name, ...leaf.aliases].map((verb) => entry(noun.name, `-a ${verb} -d ${quote(leaf.summary)}`));
}

function leafLines({ path, flags, words, passThrough }: Leaf): readonly string[] {
  const rest = passThrough
    ? [entry(path, `-x -a ${quote(`(__fish_complete_subcommand --fcs-skip=${path.split(' ').length + 1})`)}`)]
    : argumentText(words).map((text) => entry(path, text));
  return [...flags.flatMap((flag) => flagLines(path, flag)), ...rest];
}

/** An option that may stand alone: to fish its value is one only after `=`, so it is offered as the next word, too. */
function flagLines(path: string, flag: Flag): readonly string[] {
  if (!flag.bare || !flag.value) return [entry(path, flagText(flag))];
  const last = `__hogctl_in ${path}; and contains -- (commandline -opc)[-1] ${flag.spellings.join(' ')}`;
  const words = quote(flag.value.words.join(' '));
  return [
    entry(path, flagText(flag).replace('-x ', '-f ')),
    `complete -c hogctl -n ${quote(last)} -a ${words} -d ${quote(flag.description)}`,
  ];
}

function entry(path: string, rest: string): string {
  return `complete -c hogctl -n ${quote(`__hogctl_in ${path === '' ? "''" : path}`)} ${rest}`;
}

function flagText({ spellings, description, value }: Flag): string {
  const names = spellings.map((one) => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`));
  return [...names, ...(value ? [valueText(value)] : []), `-d ${quote(description)}`].join(' ');
}

function valueText({ words, paths, known }: Candidates): string {
  if (known) return `-x -a ${quote(`(__hogctl_known ${known})`)}`;
  if (words.length > 0) return `-x -a ${quote(words.join(' '))}`;
  if (paths === 'none') return '-x';
  return { files: '-r -F', folders: "-x -a '(__fish_complete_directories)'", 'after-at': AT }[paths];
}

const AT = "-x -a '(__hogctl_after_at)'";

function argumentText({ words, paths, known }: Candidates): readonly string[] {
  if (known) return [`-a ${quote(`(__hogctl_known ${known})`)}`];
  if (words.length > 0) return [`-a ${quote(words.join(' '))}`];
  if (paths === 'none') return [];
  return [
    { files: '-F', folders: "-a '(__fish_complete_directories)'", 'after-at': AT.replace('-x ', '') }[paths],
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

const AFTER_AT = [
  'function __hogctl_after_at',
  "    set -l start (string replace -r '^--[^=]*=' '' -- (commandline -ct))",
  "    if string match -q '@*' -- $start",
  '        for file in (__fish_complete_path (string sub -s 2 -- $start))',
  '            echo @$file',
  '        end',
  '    end',
  'end',
];

/** What the program knows: a word and what it stands for on each line, as fish wants them. */
const KNOWN = [
  'function __hogctl_known',
  "    set -l start (string replace -r '^--[^=]*=' '' -- (commandline -ct))",
  '    command hogctl __complete fish $argv[1] "=$start" (commandline -opc) 2>/dev/null </dev/null',
  'end',
];
