import type { CompletionTree, Flag, Leaf, Noun } from './completion-tree.ts';

type Entry = readonly [name: string, description: string];

/**
 * The completion script for PowerShell, from 5.1 on. Where it offers nothing, PowerShell offers files by itself, so
 * paths need no words of ours, but for those behind an `@`.
 */
export function powershellScript({ nouns, globals, rootOnly }: CompletionTree): string {
  return `${[
    '# Completion of hogctl for PowerShell. Generated; `hogctl completion powershell` prints it.',
    'Register-ArgumentCompleter -Native -CommandName hogctl -ScriptBlock {',
    '    param($wordToComplete, $commandAst, $cursorPosition)',
    '    # Commands by what stands before them; options by command; words by command and option.',
    ...table('commands', commandEntries(nouns)),
    ...table('options', [
      ['*', flagEntries(globals)],
      ['', flagEntries(rootOnly)],
      ...leavesOf(nouns).map(({ path, flags }) => [path, flagEntries(flags)] as const),
    ]),
    ...table('values', valueEntries(nouns, globals)),
    '    # What the program is asked for, by command and option.',
    '    $known = @{',
    ...knownLines(nouns, globals),
    '    }',
    '    $aliases = @{',
    ...aliasLines(nouns),
    '    }',
    `    $skipped = @(${globals
      .filter(({ value }) => value)
      .flatMap(({ spellings }) => spellings.map(quote))
      .join(', ')})`,
    ...DRIVER,
    '}',
  ].join('\n')}\n`;
}

const leavesOf = (nouns: readonly Noun[]) => nouns.flatMap((noun) => noun.leaves);

function commandEntries(nouns: readonly Noun[]): readonly (readonly [string, readonly Entry[]])[] {
  const verbs = nouns
    .filter(({ isSingle }) => !isSingle)
    .map(({ name, leaves }) => {
      const entries = leaves.flatMap((leaf) =>
        [leaf.name, ...leaf.aliases].map((verb): Entry => [verb, leaf.summary]),
      );
      return [name, entries] as const;
    });
  const names = nouns.map(({ name, summary }): Entry => [name, summary]);
  return [['', [...names, ['help', 'Show the help of a command']]], ...verbs];
}

function flagEntries(flags: readonly Flag[]): readonly Entry[] {
  return flags.flatMap(({ spellings, description }) => spellings.map((one): Entry => [one, description]));
}

function valueEntries(nouns: readonly Noun[], globals: readonly Flag[]) {
  const fromFlags = (path: string, flags: readonly Flag[]) =>
    flags.flatMap(({ spellings, value, description }) =>
      value && value.words.length > 0
        ? spellings.map(
            (one) => [`${path} ${one}`, value.words.map((word): Entry => [word, description])] as const,
          )
        : [],
    );
  const fromArguments = leavesOf(nouns)
    .filter(({ words }) => words.words.length > 0)
    .map(({ path, words, summary }) => [path, words.words.map((word): Entry => [word, summary])] as const);
  return [
    ...fromFlags('*', globals),
    ...leavesOf(nouns).flatMap(({ path, flags }) => fromFlags(path, flags)),
    ...fromArguments,
  ];
}

function knownLines(nouns: readonly Noun[], globals: readonly Flag[]): readonly string[] {
  const fromFlags = (path: string, flags: readonly Flag[]) =>
    flags.flatMap(({ spellings, value }) =>
      value?.known ? spellings.map((one) => [`${path} ${one}`, value.known ?? '']) : [],
    );
  const fromLeaf = ({ path, flags, words }: Leaf) => [
    ...fromFlags(path, flags),
    ...(words.known ? [[path, words.known]] : []),
  ];
  const lines = [...fromFlags('*', globals), ...leavesOf(nouns).flatMap(fromLeaf)];
  return lines.map(([key = '', known = '']) => `        ${quote(key)} = ${quote(known)}`);
}

function aliasLines(nouns: readonly Noun[]): readonly string[] {
  return nouns.flatMap((noun) =>
    noun.leaves.flatMap((leaf) =>
      leaf.aliases.map((alias) => `        ${quote(`${noun.name} ${alias}`)} = ${quote(leaf.path)}`),
    ),
  );
}

/** A hash table of lists; an entry is its text and its description with a bar between them. */
function table(name: string, rows: readonly (readonly [string, readonly Entry[]])[]): readonly string[] {
  const lines = rows.map(([key, entries]) => {
    const list = entries.map(([text, description]) => quote(`${text}|${description}`));
    return `        ${quote(key)} = @(${list.join(', ')})`;
  });
  return [`    $${name} = @{`, ...lines, '    }'];
}

/** PowerShell takes curly single quotes for straight ones. */
function quote(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
}

const DRIVER = [
  '    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |',
  '        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })',
  "    $path = ''",
  '    $skip = $false',
  '    foreach ($word in $before) {',
  '        if ($skip) { $skip = $false; continue }',
  "        if ($word.StartsWith('-')) { $skip = $skipped -ccontains $word; continue }",
  "        if ($path -eq '') {",
  "            if ($word -ne 'help') { $path = $word }",
  '        } elseif ($commands.ContainsKey($path)) {',
  '            $path = "$path $word"',
  '            if ($aliases.ContainsKey($path)) { $path = $aliases[$path] }',
  '        }',
  '    }',
  "    $last = if ($before.Count -gt 0) { $before[-1] } else { '' }",
  "    $start = ''",
  '    $typed = $wordToComplete',
  "    if ($wordToComplete -match '^(--[^=]+)=(.*)$') {",
  '        $last = $Matches[1]',
  '        $start = "$last="',
  '        $typed = $Matches[2]',
  '    }',
  '    $found = @()',
  '    $ask = $null',
  "    if ($start -eq '' -and $wordToComplete.StartsWith('-')) { $found = @($options[$path]) + $options['*'] }",
  '    elseif ($values.ContainsKey("$path $last")) { $found = $values["$path $last"] }',
  '    elseif ($values.ContainsKey("* $last")) { $found = $values["* $last"] }',
  '    elseif ($known.ContainsKey("$path $last")) { $ask = $known["$path $last"] }',
  '    elseif ($known.ContainsKey("* $last")) { $ask = $known["* $last"] }',
  '    elseif ($commands.ContainsKey($path)) { $found = $commands[$path] }',
  '    elseif ($values.ContainsKey($path)) { $found = $values[$path] }',
  '    elseif ($known.ContainsKey($path)) { $ask = $known[$path] }',
  '    if ($null -ne $ask) {',
  "        $words = @('hogctl') + $before",
  '        $lines = @(& hogctl __complete powershell $ask "=$typed" @words 2>$null)',
  "        $found = @($lines | ForEach-Object { $_ -replace '\\t', '|' })",
  "        if ($typed -match '^[''\"]') { $typed = '' }",
  '    }',
  '    foreach ($entry in $found) {',
  '        if ($null -eq $entry) { continue }',
  "        $text, $description = $entry -split '\\|', 2",
  '        if (-not $text.StartsWith($typed, [StringComparison]::Ordinal)) { continue }',
  '        if (-not $description) { $description = $text }',
  "        $word = if ($text.Contains('$')) { \"'$text'\" } else { $text }",
  "        [System.Management.Automation.CompletionResult]::new($start + $word, $text, 'ParameterValue', $description)",
  '    }',
];
