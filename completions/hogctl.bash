# Completion of hogctl for bash. Generated; `hogctl completion bash` prints it.

_hogctl_commands() {
  case "$1" in
    '') words='persons runs insights auth projects query api endpoints sandbox completion version help' ;;
    'persons') words='list get export update update-property set delete-property unset delete bulk-delete split activity cohorts timeline funnel funnel-correlation lifecycle stickiness trends deletion-status reset-distinct-id' ;;
    'runs') words='list show resume verify report check prune' ;;
    'insights') words='list get check create update delete restore sharing access-controls global-access-controls activity viewed last-viewed cancel funnel funnel-correlation pull push' ;;
    'auth') words='login status list use logout' ;;
    'projects') words='list' ;;
    'sandbox') words='start exec advance import reset' ;;
    'completion') words='install uninstall clear bash zsh fish powershell' ;;
    *) return 1 ;;
  esac
}

_hogctl_alias() {
  case "$path" in
    'persons set') path='persons update-property' ;;
    'persons unset') path='persons delete-property' ;;
  esac
}

_hogctl_options() {
  case "$1" in
    '') words='-V --version' ;;
    'persons list') words='--distinct-id --email --search --limit --offset --property --properties --all' ;;
    'persons get') words='--distinct-id --email' ;;
    'persons export') words='--distinct-id --email --with-events --resume --via' ;;
    'persons update') words='--distinct-id --email --set --properties' ;;
    'persons update-property') words='--distinct-id --email --string --json' ;;
    'persons delete-property') words='--distinct-id --email' ;;
    'persons delete') words='--distinct-id --email --delete-events --delete-recordings --keep-person --ignore-missing --allow-odd-ids' ;;
    'persons bulk-delete') words='--delete-events --delete-recordings --keep-person --ids --distinct-ids --from --as --column --search --email --property --cohort --allow-odd-ids --batch-size --max --plan-only --run-dir --keep-ids --no-resolve --new-run --concurrency --rate --progress --failed --ignore-missing --drop-ids' ;;
    'persons split') words='--distinct-id --email --main --only' ;;
    'persons activity') words='--distinct-id --email --limit --page --all' ;;
    'persons cohorts') words='--distinct-id --email' ;;
    'persons timeline') words='--distinct-id --email --date-from --date-to --property --via' ;;
    'persons funnel') words='--limit --offset --event --events --actions --where --exclude --exclude-from --exclude-to --property --filter-test-accounts --no-filter-test-accounts --date-from --date-to --breakdown --breakdown-type --breakdown-limit --window --window-days --order-type --viz --group-type-index --body --step --dropped --get --all --via' ;;
    'persons funnel-correlation') words='--limit --offset --event --events --actions --where --exclude --exclude-from --exclude-to --property --filter-test-accounts --no-filter-test-accounts --date-from --date-to --breakdown --breakdown-type --breakdown-limit --window --window-days --order-type --viz --group-type-index --body --entity --converted --no-converted --get --all --via' ;;
    'persons lifecycle') words='--interval --limit --offset --event --events --actions --where --property --filter-test-accounts --no-filter-test-accounts --date-from --date-to --all --via --day --status' ;;
    'persons stickiness') words='--interval --limit --offset --event --events --actions --where --property --filter-test-accounts --no-filter-test-accounts --date-from --date-to --all --via --days' ;;
    'persons trends') words='--interval --breakdown --breakdown-type --breakdown-value --display --limit --offset --event --events --actions --where --property --filter-test-accounts --no-filter-test-accounts --date-from --date-to --all --via --math --day --series' ;;
    'persons deletion-status') words='--status --person-uuid --limit --offset --pending --all' ;;
    'runs resume') words='--ids --distinct-ids --from --as --column --concurrency --rate --progress --failed --ignore-missing --drop-ids --include-recreated' ;;
    'runs verify') words='--ids --distinct-ids --from --as --column --keep-ids' ;;
    'runs report') words='--ids --distinct-ids --from --as --column' ;;
    'runs check') words='--expect' ;;
    'runs prune') words='--older-than' ;;
    'insights list') words='--created-by --short-id --refresh --limit --offset --search --saved --no-saved --favorited --order --full --all' ;;
    'insights get') words='--short-id --from-dashboard --refresh --wait --wait-timeout --require-result --max-age --chart --no-chart' ;;
    'insights check') words='--short-id --from-dashboard --refresh --expect --max-drop --max-age --series --breakdown' ;;
    'insights create') words='--name --derived-name --filters --query --order --dashboards --description --tags --favorited --no-favorited --no-saved' ;;
    'insights update') words='--short-id --name --derived-name --filters --query --order --dashboards --description --tags --favorited --no-favorited --saved --no-saved --add-tag --remove-tag --clear-tags' ;;
    'insights delete') words='--short-id --hard' ;;
    'insights restore') words='--short-id' ;;
    'insights sharing') words='--short-id --show-token' ;;
    'insights access-controls') words='--short-id' ;;
    'insights global-access-controls') words='--short-id' ;;
    'insights activity') words='--short-id --limit --page --all' ;;
    'insights last-viewed') words='--via' ;;
    'insights cancel') words='--via' ;;
    'insights funnel') words='--event --events --actions --where --exclude --exclude-from --exclude-to --property --filter-test-accounts --no-filter-test-accounts --date-from --date-to --breakdown --breakdown-type --breakdown-limit --window --window-days --order-type --viz --group-type-index --body --get --via --chart --no-chart' ;;
    'insights funnel-correlation') words='--event --events --actions --where --exclude --exclude-from --exclude-to --property --filter-test-accounts --no-filter-test-accounts --date-from --date-to --breakdown --breakdown-type --breakdown-limit --window --window-days --order-type --viz --group-type-index --body --get --via --chart --no-chart' ;;
    'insights pull') words='--force' ;;
    'insights push') words='--force --prune' ;;
    'auth login') words='--name --protected --key-stdin --dialect' ;;
    'projects list') words='--limit --offset --all' ;;
    'query') words='--name --value --limit --async --wait --wait-timeout' ;;
    'api') words='-f --field --input --paginate --include --curl' ;;
    'sandbox start') words='--data --empty --now --file --dialect --port' ;;
    'sandbox exec') words='--data --empty --now --file --dialect' ;;
    'sandbox advance') words='--to' ;;
    'sandbox import') words='--persons --events' ;;
    'completion install') words='--start-file' ;;
    'completion uninstall') words='--start-file' ;;
    'version') words='--check' ;;
  esac
  words="$words -p --project --host -o --output --columns --no-headers --save --spreadsheet-safe --server-format -y --yes --confirm --dry-run --show-ids --timeout --retries --ca-file -q --quiet --debug --color -h --help"
}

_hogctl_value() {
  case "$1 $2" in
    'persons list --distinct-id' | \
    'persons list --email' | \
    'persons list --search' | \
    'persons list --limit' | \
    'persons list --offset' | \
    'persons get --distinct-id' | \
    'persons get --email' | \
    'persons export --distinct-id' | \
    'persons export --email' | \
    'persons update --distinct-id' | \
    'persons update --email' | \
    'persons update-property --distinct-id' | \
    'persons update-property --email' | \
    'persons delete-property --distinct-id' | \
    'persons delete-property --email' | \
    'persons delete --distinct-id' | \
    'persons delete --email' | \
    'persons bulk-delete --ids' | \
    'persons bulk-delete --distinct-ids' | \
    'persons bulk-delete --column' | \
    'persons bulk-delete --search' | \
    'persons bulk-delete --email' | \
    'persons bulk-delete --cohort' | \
    'persons bulk-delete --batch-size' | \
    'persons bulk-delete --max' | \
    'persons bulk-delete --concurrency' | \
    'persons bulk-delete --rate' | \
    'persons split --distinct-id' | \
    'persons split --email' | \
    'persons split --main' | \
    'persons split --only' | \
    'persons activity --distinct-id' | \
    'persons activity --email' | \
    'persons activity --limit' | \
    'persons activity --page' | \
    'persons cohorts --distinct-id' | \
    'persons cohorts --email' | \
    'persons timeline --distinct-id' | \
    'persons timeline --email' | \
    'persons timeline --date-from' | \
    'persons timeline --date-to' | \
    'persons timeline --property' | \
    'persons funnel --limit' | \
    'persons funnel --offset' | \
    'persons funnel --event' | \
    'persons funnel --events' | \
    'persons funnel --actions' | \
    'persons funnel --where' | \
    'persons funnel --exclude' | \
    'persons funnel --exclude-from' | \
    'persons funnel --exclude-to' | \
    'persons funnel --property' | \
    'persons funnel --date-from' | \
    'persons funnel --date-to' | \
    'persons funnel --breakdown' | \
    'persons funnel --breakdown-limit' | \
    'persons funnel --window' | \
    'persons funnel --window-days' | \
    'persons funnel --group-type-index' | \
    'persons funnel --step' | \
    'persons funnel-correlation --limit' | \
    'persons funnel-correlation --offset' | \
    'persons funnel-correlation --event' | \
    'persons funnel-correlation --events' | \
    'persons funnel-correlation --actions' | \
    'persons funnel-correlation --where' | \
    'persons funnel-correlation --exclude' | \
    'persons funnel-correlation --exclude-from' | \
    'persons funnel-correlation --exclude-to' | \
    'persons funnel-correlation --property' | \
    'persons funnel-correlation --date-from' | \
    'persons funnel-correlation --date-to' | \
    'persons funnel-correlation --breakdown' | \
    'persons funnel-correlation --breakdown-limit' | \
    'persons funnel-correlation --window' | \
    'persons funnel-correlation --window-days' | \
    'persons funnel-correlation --group-type-index' | \
    'persons funnel-correlation --entity' | \
    'persons lifecycle --limit' | \
    'persons lifecycle --offset' | \
    'persons lifecycle --event' | \
    'persons lifecycle --events' | \
    'persons lifecycle --actions' | \
    'persons lifecycle --where' | \
    'persons lifecycle --property' | \
    'persons lifecycle --date-from' | \
    'persons lifecycle --date-to' | \
    'persons lifecycle --day' | \
    'persons stickiness --limit' | \
    'persons stickiness --offset' | \
    'persons stickiness --event' | \
    'persons stickiness --events' | \
    'persons stickiness --actions' | \
    'persons stickiness --where' | \
    'persons stickiness --property' | \
    'persons stickiness --date-from' | \
    'persons stickiness --date-to' | \
    'persons stickiness --days' | \
    'persons trends --breakdown' | \
    'persons trends --breakdown-value' | \
    'persons trends --display' | \
    'persons trends --limit' | \
    'persons trends --offset' | \
    'persons trends --event' | \
    'persons trends --events' | \
    'persons trends --actions' | \
    'persons trends --where' | \
    'persons trends --property' | \
    'persons trends --date-from' | \
    'persons trends --date-to' | \
    'persons trends --math' | \
    'persons trends --day' | \
    'persons trends --series' | \
    'persons deletion-status --person-uuid' | \
    'persons deletion-status --limit' | \
    'persons deletion-status --offset' | \
    'runs resume --ids' | \
    'runs resume --distinct-ids' | \
    'runs resume --column' | \
    'runs resume --concurrency' | \
    'runs resume --rate' | \
    'runs verify --ids' | \
    'runs verify --distinct-ids' | \
    'runs verify --column' | \
    'runs report --ids' | \
    'runs report --distinct-ids' | \
    'runs report --column' | \
    'runs check --expect' | \
    'runs prune --older-than' | \
    'insights list --created-by' | \
    'insights list --short-id' | \
    'insights list --limit' | \
    'insights list --offset' | \
    'insights list --search' | \
    'insights list --order' | \
    'insights get --from-dashboard' | \
    'insights get --wait-timeout' | \
    'insights get --max-age' | \
    'insights check --from-dashboard' | \
    'insights check --expect' | \
    'insights check --max-drop' | \
    'insights check --max-age' | \
    'insights check --series' | \
    'insights check --breakdown' | \
    'insights create --name' | \
    'insights create --derived-name' | \
    'insights create --order' | \
    'insights create --dashboards' | \
    'insights create --description' | \
    'insights create --tags' | \
    'insights update --name' | \
    'insights update --derived-name' | \
    'insights update --order' | \
    'insights update --dashboards' | \
    'insights update --description' | \
    'insights update --tags' | \
    'insights update --add-tag' | \
    'insights update --remove-tag' | \
    'insights activity --limit' | \
    'insights activity --page' | \
    'insights funnel --event' | \
    'insights funnel --events' | \
    'insights funnel --actions' | \
    'insights funnel --where' | \
    'insights funnel --exclude' | \
    'insights funnel --exclude-from' | \
    'insights funnel --exclude-to' | \
    'insights funnel --property' | \
    'insights funnel --date-from' | \
    'insights funnel --date-to' | \
    'insights funnel --breakdown' | \
    'insights funnel --breakdown-limit' | \
    'insights funnel --window' | \
    'insights funnel --window-days' | \
    'insights funnel --group-type-index' | \
    'insights funnel-correlation --event' | \
    'insights funnel-correlation --events' | \
    'insights funnel-correlation --actions' | \
    'insights funnel-correlation --where' | \
    'insights funnel-correlation --exclude' | \
    'insights funnel-correlation --exclude-from' | \
    'insights funnel-correlation --exclude-to' | \
    'insights funnel-correlation --property' | \
    'insights funnel-correlation --date-from' | \
    'insights funnel-correlation --date-to' | \
    'insights funnel-correlation --breakdown' | \
    'insights funnel-correlation --breakdown-limit' | \
    'insights funnel-correlation --window' | \
    'insights funnel-correlation --window-days' | \
    'insights funnel-correlation --group-type-index' | \
    'auth login --name' | \
    'projects list --limit' | \
    'projects list --offset' | \
    'query --name' | \
    'query --value' | \
    'query --limit' | \
    'query --wait-timeout' | \
    'api -f' | \
    'api --field' | \
    'sandbox start --now' | \
    'sandbox start --port' | \
    'sandbox exec --now' | \
    'sandbox advance --to') words='' paths=none known='' bare= ;;
    'persons list --property' | \
    'persons update --set' | \
    'persons bulk-delete --property') words='' paths=none known='property=' bare= ;;
    'persons list --properties' | \
    'persons update --properties' | \
    'persons update-property --json' | \
    'persons funnel --body' | \
    'persons funnel-correlation --body' | \
    'insights create --filters' | \
    'insights create --query' | \
    'insights update --filters' | \
    'insights update --query' | \
    'insights funnel --body' | \
    'insights funnel-correlation --body' | \
    'sandbox start --data' | \
    'sandbox exec --data') words='' paths=after-at known='' bare= ;;
    'persons export --resume' | \
    'persons bulk-delete --from' | \
    'persons bulk-delete --failed' | \
    'runs resume --from' | \
    'runs resume --failed' | \
    'runs verify --from' | \
    'runs report --from' | \
    'api --input' | \
    'sandbox start --file' | \
    'sandbox exec --file' | \
    'sandbox import --persons' | \
    'sandbox import --events' | \
    'completion install --start-file' | \
    'completion uninstall --start-file') words='' paths=files known='' bare= ;;
    'persons export --via') words='auto query list' paths=none known='' bare= ;;
    'persons bulk-delete --as' | \
    'runs resume --as' | \
    'runs verify --as' | \
    'runs report --as') words='ids distinct-ids' paths=none known='' bare= ;;
    'persons bulk-delete --run-dir') words='' paths=folders known='' bare= ;;
    'persons bulk-delete --progress' | \
    'runs resume --progress') words='auto json none' paths=none known='' bare= ;;
    'persons timeline --via' | \
    'persons funnel --via' | \
    'persons funnel-correlation --via' | \
    'persons lifecycle --via' | \
    'persons stickiness --via' | \
    'persons trends --via' | \
    'insights last-viewed --via' | \
    'insights cancel --via' | \
    'insights funnel --via' | \
    'insights funnel-correlation --via') words='auto endpoint query' paths=none known='' bare= ;;
    'persons funnel --breakdown-type' | \
    'persons funnel-correlation --breakdown-type' | \
    'persons trends --breakdown-type' | \
    'insights funnel --breakdown-type' | \
    'insights funnel-correlation --breakdown-type') words='event person cohort group session hogql' paths=none known='' bare= ;;
    'persons funnel --order-type' | \
    'persons funnel-correlation --order-type' | \
    'insights funnel --order-type' | \
    'insights funnel-correlation --order-type') words='ordered strict unordered' paths=none known='' bare= ;;
    'persons funnel --viz' | \
    'persons funnel-correlation --viz' | \
    'insights funnel --viz' | \
    'insights funnel-correlation --viz') words='steps trends time_to_convert' paths=none known='' bare= ;;
    'persons lifecycle --interval' | \
    'persons stickiness --interval' | \
    'persons trends --interval') words='hour day week month' paths=none known='' bare= ;;
    'persons lifecycle --status') words='new returning resurrecting dormant' paths=none known='' bare= ;;
    'persons deletion-status --status') words='pending completed all' paths=none known='' bare= ;;
    'insights list --refresh') words='force_cache blocking async lazy_async force_blocking force_async async_except_on_cache_miss' paths=none known='' bare= ;;
    'insights get --short-id' | \
    'insights check --short-id' | \
    'insights update --short-id' | \
    'insights delete --short-id' | \
    'insights restore --short-id' | \
    'insights sharing --short-id' | \
    'insights access-controls --short-id' | \
    'insights global-access-controls --short-id' | \
    'insights activity --short-id') words='' paths=none known='insight' bare= ;;
    'insights get --refresh' | \
    'insights check --refresh') words='force_cache blocking async lazy_async force_blocking force_async async_except_on_cache_miss' paths=none known='' bare=1 ;;
    'auth login --dialect' | \
    'sandbox start --dialect' | \
    'sandbox exec --dialect') words='specification live' paths=none known='' bare= ;;
    *' -p' | *' --project') words='' paths=none known='project' bare= ;;
    *' --host' | *' --confirm' | *' --timeout' | *' --retries') words='' paths=none known='' bare= ;;
    *' -o' | *' --output') words='table json ndjson csv tsv' paths=none known='' bare= ;;
    *' --columns') words='' paths=none known='columns' bare= ;;
    *' --save' | *' --ca-file') words='' paths=files known='' bare= ;;
    *' --server-format') words='csv json' paths=none known='' bare= ;;
    *' --color') words='auto always never' paths=none known='' bare= ;;
    *) return 1 ;;
  esac
}

_hogctl_words() {
  case "$1" in
    'persons list') words='' paths=none known='' ;;
    'persons get') words='' paths=none known='' ;;
    'persons export') words='' paths=none known='' ;;
    'persons update') words='' paths=none known='' ;;
    'persons update-property') words='' paths=none known='property@1' ;;
    'persons delete-property') words='' paths=none known='property@1' ;;
    'persons delete') words='' paths=none known='' ;;
    'persons bulk-delete') words='' paths=none known='' ;;
    'persons split') words='' paths=none known='' ;;
    'persons activity') words='' paths=none known='' ;;
    'persons cohorts') words='' paths=none known='' ;;
    'persons timeline') words='' paths=none known='' ;;
    'persons funnel') words='' paths=none known='' ;;
    'persons funnel-correlation') words='' paths=none known='' ;;
    'persons lifecycle') words='' paths=none known='' ;;
    'persons stickiness') words='' paths=none known='' ;;
    'persons trends') words='' paths=none known='' ;;
    'persons deletion-status') words='' paths=none known='' ;;
    'persons reset-distinct-id') words='' paths=none known='' ;;
    'runs list') words='' paths=none known='' ;;
    'runs show') words='' paths=none known='run@0' ;;
    'runs resume') words='' paths=none known='run@0' ;;
    'runs verify') words='' paths=none known='run@0' ;;
    'runs report') words='' paths=none known='run@0' ;;
    'runs check') words='' paths=none known='run@0' ;;
    'runs prune') words='' paths=none known='' ;;
    'insights list') words='' paths=none known='' ;;
    'insights get') words='' paths=none known='insight@0' ;;
    'insights check') words='' paths=none known='insight@0' ;;
    'insights create') words='' paths=none known='' ;;
    'insights update') words='' paths=none known='insight@0' ;;
    'insights delete') words='' paths=none known='insight@0' ;;
    'insights restore') words='' paths=none known='insight@0' ;;
    'insights sharing') words='' paths=none known='insight@0' ;;
    'insights access-controls') words='' paths=none known='insight@0' ;;
    'insights global-access-controls') words='' paths=none known='insight@0' ;;
    'insights activity') words='' paths=none known='insight@0' ;;
    'insights viewed') words='' paths=none known='insight@any' ;;
    'insights last-viewed') words='' paths=none known='' ;;
    'insights cancel') words='' paths=none known='' ;;
    'insights funnel') words='' paths=none known='' ;;
    'insights funnel-correlation') words='' paths=none known='' ;;
    'insights pull') words='' paths=folders known='' ;;
    'insights push') words='' paths=folders known='' ;;
    'auth login') words='' paths=none known='' ;;
    'auth status') words='' paths=none known='' ;;
    'auth list') words='' paths=none known='' ;;
    'auth use') words='' paths=none known='project@0' ;;
    'auth logout') words='' paths=none known='project@0' ;;
    'projects list') words='' paths=none known='' ;;
    'query') words='' paths=after-at known='' ;;
    'api') words='' paths=none known='' ;;
    'endpoints') words='' paths=none known='' ;;
    'sandbox start') words='' paths=none known='' ;;
    'sandbox exec') words='' paths=none known='' through=1 ;;
    'sandbox advance') words='' paths=none known='' ;;
    'sandbox import') words='' paths=none known='' ;;
    'sandbox reset') words='' paths=none known='' ;;
    'completion install') words='bash zsh fish powershell' paths=none known='' ;;
    'completion uninstall') words='bash zsh fish powershell' paths=none known='' ;;
    'completion clear') words='' paths=none known='' ;;
    'completion bash') words='' paths=none known='' ;;
    'completion zsh') words='' paths=none known='' ;;
    'completion fish') words='' paths=none known='' ;;
    'completion powershell') words='' paths=none known='' ;;
    'version') words='' paths=none known='' ;;
    *) return 1 ;;
  esac
}

_hogctl() {
  local IFS=$' \t\n' rest=${COMP_LINE:0:COMP_POINT} word words paths known bare through
  local path= noun= pending= after= at current value kept breaks
  local -a line=() found=()
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
  current=${line[${#line[@]}-1]}
  for ((at = 1; at < ${#line[@]} - 1; at++)); do
    word=${line[at]}
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
    _hogctl_value "$path" "${line[${#line[@]}-2]}"
    [[ $bare && $current == -* ]] && _hogctl_options "$path"
  elif [[ $current == --*=* && ! $after ]]; then
    _hogctl_value "$path" "${current%%=*}" && value=${current#*=}
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
  breaks=${COMP_WORDBREAKS//[^=:]/}
  kept=
  [[ $breaks && $current == *[$breaks]* ]] && kept=${current%"${current##*[$breaks]}"}
  for word in "${found[@]}"; do
    word=${current%"$value"}$word
    COMPREPLY+=("${word#"$kept"}")
  done
}

_hogctl_paths() {
  local kind=-f start=$value mark=
  case $paths in
    none) return ;;
    folders) kind=-d ;;
    after-at) [[ $value == @* ]] || return; mark=@ start=${value#@} ;;
  esac
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do found+=("$mark$word"); done < <(compgen $kind -- "$start")
}

# What the program knows. It answers from its own files, in words of which bash reads nothing but $ as more than letters.
_hogctl_known() {
  [[ $known ]] || return
  while IFS= read -r word; do
    [[ $word == *= ]] && compopt -o nospace 2>/dev/null
    [[ $value == [\'\"]* ]] || word=${word//\$/\\\$}
    [[ $word ]] && found+=("$word")
  done < <(command hogctl __complete bash "$known" "=$value" "${line[@]:0:${#line[@]}-1}" 2>/dev/null </dev/null)
}

complete -F _hogctl hogctl
