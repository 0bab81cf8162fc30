import type { Candidates, CompletionTree, Flag, Leaf } from './completion-tree.ts';

/** The completion script for bash, in what bash 3.2 (macOS) knows. */
export function bashScript(tree: CompletionTree): string {
  const leaves = tree.nouns.flatMap((noun) => noun.leaves);
  return `${[
    '# Completion of hogctl for bash. Generated; `hogctl completion bash` prints it.',
    nounFunctions(tree),
    flagsFunction(tree, leaves),
    valueFunction(tree, leaves),
    wordsFunction(leaves),
    DRIVER,
  ].join('\n\n')}\n`;
}

function nounFunctions({ nouns }: CompletionTree): string {
  const verbs = nouns
    .filter(({ isSingle }) => !isSingle)
    .map(({ name, leaves }) => [
      quote(name),
      `words=${quote(leaves.flatMap((leaf) => [leaf.name, ...leaf.aliases]).join(' '))}`,
    ]);
  const aliases = nouns.flatMap((noun) =>
    noun.leaves
      .filter((leaf) => leaf.aliases.length > 0)
      .map((leaf) => [
        leaf.aliases.map((alias) => quote(`${noun.name} ${alias}`)).join(' | '),
        `path=${quote(leaf.path)}`,
      ]),
  );
  const names = [...nouns.map(({ name }) => name), 'help'].join(' ');
  return [
    shellFunction('_hogctl_commands', '$1', [["''", `words=${quote(names)}`], ...verbs, ['*', 'return 1']]),
    shellFunction('_hogctl_alias', '$path', aliases),
  ].join('\n\n');
}

function flagsFunction(tree: CompletionTree, leaves: readonly Leaf[]): string {
  const cases = leaves
    .filter(({ flags }) => flags.length > 0)
    .map(({ path, flags }) => [quote(path), `words=${quote(spellingsOf(flags))}`]);
  const root = ["''", `words=${quote(spellingsOf(tree.rootOnly))}`];
  return shellFunction(
    '_hogctl_options',
    '$1',
    [root, ...cases],
    [`  words="$words ${spellingsOf(tree.globals)}"`],
  );
}

/** Options that take the same are one case, since most of them take anything. */
function valueFunction(tree: CompletionTree, leaves: readonly Leaf[]): string {
  const patterns = new Map<string, string[]>();
  const add = (flags: readonly Flag[], pattern: (spelling: string) => string) => {
    for (const { value, bare, spellings } of flags) {
      if (!value) continue;
      const action = `${candidateText(value)} bare=${bare ? 1 : ''}`;
      patterns.set(action, [...(patterns.get(action) ?? []), ...spellings.map(pattern)]);
    }
  };
  for (const { path, flags } of leaves) add(flags, (spelling) => quote(`${path} ${spelling}`));
  const own = [...patterns].map(([action, found]) => [found.join(' | \\\n    '), action]);
  patterns.clear();
  add(tree.globals, (spelling) => `*${quote(` ${spelling}`)}`);
  const global = [...patterns].map(([action, found]) => [found.join(' | '), action]);
  return shellFunction('_hogctl_value', '$1 $2', [...own, ...global, ['*', 'return 1']]);
}

function wordsFunction(leaves: readonly Leaf[]): string {
  const cases = leaves.map(({ path, words, passThrough }) => [
    quote(path),
    `${candidateText(words)}${passThrough ? ' through=1' : ''}`,
  ]);
  return shellFunction('_hogctl_words', '$1', [...cases, ['*', 'return 1']]);
}

function candidateText({ words, paths, known = '' }: Candidates): string {
  return `words=${quote(words.join(' '))} paths=${paths} known=${quote(known)}`;
}

function spellingsOf(flags: readonly Flag[]): string {
  return flags.flatMap(({ spellings }) => spellings).join(' ');
}

function shellFunction(
  name: string,
  subject: string,
  cases: readonly (readonly string[])[],
  after: readonly string[] = [],
): string {
  const lines = cases.map(([pattern, action]) => `    ${pattern}) ${action} ;;`);
  return [`${name}() {`, `  case "${subject}" in`, ...lines, '  esac', ...after, '}'].join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Finds the command in the words before the cursor, then offers what fits. Bash has split words at = and :, and wants back what follows the last one. */
const DRIVER = `\
_hogctl() {
  local IFS=$' \\t\\n' rest=\${COMP_LINE:0:COMP_POINT} word words paths known bare through
  local path= noun= pending= after= at current value kept breaks
  local -a line=() found=()
  COMPREPLY=()
  for ((at = 0; at <= COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if [[ \${#line[@]} -eq 0 || $rest == [[:space:]]* ]]; then
      rest=\${rest#"\${rest%%[![:space:]]*}"}
      line+=("\${rest:0:\${#word}}")
    else
      line[\${#line[@]}-1]+=\${rest:0:\${#word}}
    fi
    rest=\${rest:\${#word}}
  done
  current=\${line[\${#line[@]}-1]}
  for ((at = 1; at < \${#line[@]} - 1; at++)); do
    word=\${line[at]}
    if [[ $pending ]]; then
      pending=
      [[ ! $bare || " $words " == *" $word "* ]] && continue
    fi
    if [[ $word == -- && ! $after ]]; then
      after=1
    elif [[ $word == -* && ! $after ]]; then
      _hogctl_value "$path" "$word" && pending=1
    elif [[ ! $noun ]]; then
      [[ $word == help ]] || { noun=$word path=$word; }
    elif [[ $path == "$noun" ]] && _hogctl_commands "$noun"; then
      path="$noun $word"
      _hogctl_alias
    else
      through=
      _hogctl_words "$path"
      if [[ $through && $word == hogctl ]]; then
        noun= path= after=
      elif [[ $through ]]; then
        compopt -o default 2>/dev/null
        return
      fi
    fi
  done
  value=$current
  words= paths=none known=
  if [[ $pending ]]; then
    _hogctl_value "$path" "\${line[\${#line[@]}-2]}"
    [[ $bare && $current == -* ]] && _hogctl_options "$path"
  elif [[ $current == --*=* && ! $after ]]; then
    _hogctl_value "$path" "\${current%%=*}" && value=\${current#*=}
  elif [[ $current == -* && ! $after ]]; then
    _hogctl_options "$path"
  elif [[ $path == "$noun" ]] && _hogctl_commands "$noun"; then
    paths=none
  else
    through=
    _hogctl_words "$path"
    if [[ $through ]]; then
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -c -- "$current")
      return
    fi
  fi
  for word in $words; do
    [[ $word == "$value"* ]] && found+=("$word")
  done
  _hogctl_paths
  _hogctl_known
  breaks=\${COMP_WORDBREAKS//[^=:]/}
  kept=
  [[ $breaks && $current == *[$breaks]* ]] && kept=\${current%"\${current##*[$breaks]}"}
  for word in "\${found[@]}"; do
    word=\${current%"$value"}$word
    COMPREPLY+=("\${word#"$kept"}")
  done
}

_hogctl_paths() {
  local kind=-f start=$value mark=
  case $paths in
    none) return ;;
    folders) kind=-d ;;
    after-at) [[ $value == @* ]] || return; mark=@ start=\${value#@} ;;
  esac
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do found+=("$mark$word"); done < <(compgen $kind -- "$start")
}

# What the program knows. It answers from its own files, in words of which bash reads nothing but $ as more than letters.
_hogctl_known() {
  [[ $known ]] || return
  while IFS= read -r word; do
    [[ $word == *= ]] && compopt -o nospace 2>/dev/null
    [[ $value == [\\'\\"]* ]] || word=\${word//\\$/\\\\\\$}
    [[ $word ]] && found+=("$word")
  done < <(command hogctl __complete bash "$known" "=$value" "\${line[@]:0:\${#line[@]}-1}" 2>/dev/null </dev/null)
}

complete -F _hogctl hogctl`;
