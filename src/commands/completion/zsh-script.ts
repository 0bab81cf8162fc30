import type { Candidates, CompletionTree, Flag, Leaf, Noun } from './completion-tree.ts';

/** The completion script for zsh: a function to autoload as `_hogctl`, or to source after compinit. */
export function zshScript({ nouns, globals, rootOnly }: CompletionTree): string {
  return `${[
    '#compdef hogctl',
    '# Completion of hogctl for zsh. Generated; `hogctl completion zsh` prints it.',
    '',
    '_hogctl() {',
    `  local -a hogctl_line=("\${(@)words[1,CURRENT-1]}")`,
    '  local curcontext=$curcontext state ret=1',
    '  local -a line globals',
    '  typeset -A opt_args',
    '  globals=(',
    ...globals.map((flag) => `    ${flagSpec(flag)}`),
    '  )',
    '  _arguments -s -S -C $globals \\',
    ...rootOnly.map((flag) => `    ${flagSpec(flag)} \\`),
    "    '1:command:_hogctl_commands' '*:::argument:->noun' && ret=0",
    '  [[ $state == noun ]] || return ret',
    '  words=($line[1] "$words[@]")',
    '  (( CURRENT += 1 ))',
    '  case $line[1] in',
    ...nouns.map((noun) => `    ${noun.name}) _hogctl_${noun.name} && ret=0 ;;`),
    '    help) words[1]=hogctl; _hogctl && ret=0 ;;',
    '  esac',
    '  return ret',
    '}',
    '',
    ...describeFunction('_hogctl_commands', [
      ...nouns,
      { name: 'help', summary: 'Show the help of a command' },
    ]),
    ...nouns.flatMap(nounFunction),
    ...AFTER_AT,
    '',
    KNOWN,
    '',
    'if [[ $funcstack[1] == _hogctl ]]; then',
    '  _hogctl "$@"',
    'else',
    '  compdef _hogctl hogctl',
    'fi',
  ].join('\n')}\n`;
}

function nounFunction({ name, leaves, isSingle }: Noun): readonly string[] {
  const [first] = leaves;
  if (isSingle && first) {
    return [`_hogctl_${name}() {`, '  local ret=1', ...leafLines(first, '  '), '  return ret', '}', ''];
  }
  const verbs = leaves.flatMap((leaf) =>
    [leaf.name, ...leaf.aliases].map((verb) => ({ name: verb, summary: leaf.summary })),
  );
  return [
    ...describeFunction(`_hogctl_${name}_commands`, verbs),
    `_hogctl_${name}() {`,
    '  local curcontext=$curcontext state ret=1',
    '  local -a line',
    `  _arguments -s -S -C $globals '1:command:_hogctl_${name}_commands' '*:::argument:->verb' && ret=0`,
    '  [[ $state == verb ]] || return ret',
    '  words=($line[1] "$words[@]")',
    '  (( CURRENT += 1 ))',
    '  case $line[1] in',
    ...leaves.flatMap((leaf) => [
      `    ${[leaf.name, ...leaf.aliases].join('|')})`,
      ...leafLines(leaf, '      '),
      '      ;;',
    ]),
    '  esac',
    '  return ret',
    '}',
    '',
  ];
}

function leafLines({ flags, words, passThrough }: Leaf, indent: string): readonly string[] {
  const specs = [...flags.map(flagSpec), ...restSpec(words, passThrough)];
  const lines = ['_arguments -s -S $globals', ...specs.map((spec) => `  ${spec}`)];
  return [...lines.slice(0, -1).map((line) => `${indent}${line} \\`), `${indent}${lines.at(-1)} && ret=0`];
}

/** Arguments that can be anything have no words, and stand there all the same: else zsh offers no option behind one. */
function restSpec(words: Candidates, passThrough: boolean): readonly string[] {
  if (passThrough) return ["'*::command:_normal'"];
  const isOpen = words.words.length === 0 && words.paths === 'none' && !words.known;
  return [isOpen ? "'*: :()'" : `'*:argument:${action(words)}'`];
}

function describeFunction(
  name: string,
  entries: readonly { readonly name: string; readonly summary: string }[],
): readonly string[] {
  const lines = entries.map(
    (entry) => `    ${quote(`${entry.name}:${entry.summary.replaceAll(':', '\\:')}`)}`,
  );
  return [
    `${name}() {`,
    '  local -a commands=(',
    ...lines,
    '  )',
    "  _describe -t commands 'command' commands",
    '}',
    '',
  ];
}

function flagSpec({ spellings, description, value, bare, repeated }: Flag): string {
  const text = description.replace(/[[\]:\\]/g, '\\$&');
  const name = spellings.at(-1)?.replace(/^-+/, '') ?? '';
  const taken = value ? `${bare ? '::' : ':'}${name}:${action(value)}` : '';
  const marked = spellings.map((one) => one + mark(one, value !== undefined));
  const before = repeated ? '*' : excluding(spellings);
  if (marked.length === 1) return quote(`${before}${marked[0]}[${text}]${taken}`);
  return `${before ? quote(before) : ''}{${marked.join(',')}}${quote(`[${text}]${taken}`)}`;
}

function excluding(spellings: readonly string[]): string {
  return spellings.length > 1 ? `(${spellings.join(' ')})` : '';
}

/** How the value may be joined on: `-o` with or without a space, `--output` with a space or an equals sign. */
function mark(spelling: string, takesValue: boolean): string {
  if (!takesValue) return '';
  return spelling.startsWith('--') ? '=' : '+';
}

const ACTIONS: Readonly<Record<Candidates['paths'], string>> = {
  none: ' ',
  files: '_files',
  folders: '_files -/',
  'after-at': '_hogctl_after_at',
};

function action({ words, paths, known }: Candidates): string {
  // Behind a space the function gets these words and no more.
  if (known) return ` _hogctl_known ${known}`;
  return words.length > 0 ? `(${words.join(' ')})` : ACTIONS[paths];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const AFTER_AT = [
  '_hogctl_after_at() {',
  "  if compset -P '@'; then _files; else _message 'JSON, @file or -'; fi",
  '}',
];

/** What the program knows: words that stand for themselves, which compadd quotes where zsh would read more in them. */
const KNOWN = `\
_hogctl_known() {
  local -a lines values shown
  local line
  lines=("\${(@f)$(command hogctl __complete zsh "$1" "=$PREFIX" "\${hogctl_line[@]}" 2>/dev/null </dev/null)}")
  for line in $lines; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  (( $#values )) || return 1
  if [[ $1 == *= ]]; then compadd -S '' -l -d shown -a values; else compadd -l -d shown -a values; fi
}`;
