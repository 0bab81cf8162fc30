export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** In what bash 3.2 (macOS) knows. Bash splits words at = and :, and wants back what follows the last one. */
const bash = `\
# Completion of hogctl for bash. \`hogctl completion bash\` prints it.
_hogctl() {
  local IFS=$' \\t\\n' rest=\${COMP_LINE:0:COMP_POINT} word found prefix at current breaks kept=
  local -a line=()
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
  at=$((\${#line[@]} - 1))
  current=\${line[at]}
  unset "line[at]"
  breaks=\${COMP_WORDBREAKS//[^=:]/}
  [[ $breaks && $current == *[$breaks]* ]] && kept=\${current%"\${current##*[$breaks]}"}
  while IFS=$'\\t' read -r word prefix; do
    case $word in
      :files | :folders)
        found=-f
        [[ $word == :folders ]] && found=-d
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do
          word=$prefix$word
          COMPREPLY+=("\${word#"$kept"}")
        done < <(compgen $found -- "\${current#"$prefix"}")
        ;;
      :command)
        if ((at > prefix)); then
          compopt -o default 2>/dev/null
        else
          while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -c -- "$current")
        fi
        ;;
      *)
        compopt -o nosort 2>/dev/null
        [[ $word == *= ]] && compopt -o nospace 2>/dev/null
        COMPREPLY+=("\${word#"$kept"}")
        ;;
    esac
  done < <(command hogctl __complete bash "\${line[@]}" "=$current" 2>/dev/null </dev/null)
}

complete -F _hogctl hogctl
`;

/** A function to autoload as \`_hogctl\`, or to source after compinit. */
const zsh = `\
#compdef hogctl
# Completion of hogctl for zsh. \`hogctl completion zsh\` prints it.
_hogctl() {
  local -a answer entries keys
  local line word prefix ret=1
  answer=("\${(@f)$(command hogctl __complete zsh "\${(@)words[1,CURRENT-1]}" "=$PREFIX" 2>/dev/null </dev/null)}")
  for line in $answer; do
    word=\${line%%$'\\t'*}
    prefix=\${line#*$'\\t'}
    case $word in
      (:files) compset -p $#prefix; _files && ret=0 ;;
      (:folders) compset -p $#prefix; _files -/ && ret=0 ;;
      (:command) shift $prefix words; (( CURRENT -= prefix )); _normal && ret=0 ;;
      (*=) keys+=("\${word//:/\\\\:}") ;;
      (*) entries+=("\${word//:/\\\\:}\${\${line#"$word"}/$'\\t'/:}") ;;
    esac
  done
  (( $#entries )) && _describe -V -t words hogctl entries && ret=0
  (( $#keys )) && _describe -t words hogctl keys -S '' && ret=0
  return ret
}

if [[ $funcstack[1] == _hogctl ]]; then
  _hogctl "$@"
else
  compdef _hogctl hogctl
fi
`;

const fish = `\
# Completion of hogctl for fish. \`hogctl completion fish\` prints it.
function __hogctl_complete
    set -l current (commandline -ct)
    set -l words (commandline -opc) "$current"
    for line in (command hogctl __complete fish $words[1..-2] "=$current" 2>/dev/null </dev/null)
        set -l parts (string split -m 1 \\t -- $line)
        set -l start (string sub -s (math 1 + (string length -- "$parts[2]")) -- "$current")
        switch $parts[1]
            case :files
                for file in (__fish_complete_path "$start")
                    echo $parts[2]$file
                end
            case :folders
                for folder in (__fish_complete_directories "$start")
                    echo $parts[2]$folder
                end
            case :command
                complete -C (string join ' ' -- $words[(math 1 + $parts[2])..-1])
            case '*'
                echo $line
        end
    end
end

complete -c hogctl -f -k -a '(__hogctl_complete)'
`;

/** From 5.1 on. If the answer has no words, PowerShell offers files by itself. */
const powershell = `\
# Completion of hogctl for PowerShell. \`hogctl completion powershell\` prints it.
Register-ArgumentCompleter -Native -CommandName hogctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    $answer = @(& hogctl __complete powershell @before "=$wordToComplete" 2>$null)
    foreach ($line in $answer) {
        if ($line.StartsWith(':')) { continue }
        $text, $description = $line -split '\\t', 2
        if (-not $description) { $description = $text }
        $word = if ($text -match '[^\\w.:/+=-]') { '''{0}''' -f $text.Replace('''', '''''') } else { $text }
        [System.Management.Automation.CompletionResult]::new($word, $text, 'ParameterValue', $description)
    }
}
`;

/** The completion script of each shell. It asks this program for everything. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
