# Completion of hogctl for bash. `hogctl completion bash` prints it.
_hogctl() {
  local IFS=$' \t\n' rest=${COMP_LINE:0:COMP_POINT} word found prefix at current breaks kept=
  local -a line=()
  COMPREPLY=()
  for ((at = 0; at <= COMP_CWORD; at++)); do
    word=${COMP_WORDS[at]}
    if [[ ${#line[@]} -eq 0 || $rest == [[:space:]]* ]]; then
      rest=${rest#"${rest%%[![:space:]]*}"}
      line+=("${rest:0:${#word}}")
    else
      line[${#line[@]}-1]+=${rest:0:${#word}}
    fi
    rest=${rest:${#word}}
  done
  at=$((${#line[@]} - 1))
  current=${line[at]}
  unset "line[at]"
  breaks=${COMP_WORDBREAKS//[^=:]/}
  [[ $breaks && $current == *[$breaks]* ]] && kept=${current%"${current##*[$breaks]}"}
  while IFS=$'\t' read -r word prefix; do
    case $word in
      :files | :folders)
        found=-f
        [[ $word == :folders ]] && found=-d
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do
          word=$prefix$word
          COMPREPLY+=("${word#"$kept"}")
        done < <(compgen $found -- "${current#"$prefix"}")
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
        COMPREPLY+=("${word#"$kept"}")
        ;;
    esac
  done < <(command hogctl __complete bash "${line[@]}" "=$current" 2>/dev/null </dev/null)
}

complete -F _hogctl hogctl
