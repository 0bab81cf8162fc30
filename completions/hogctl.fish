# Completion of hogctl for fish. `hogctl completion fish` prints it.
function __hogctl_complete
    set -l current (commandline -ct)
    set -l words (commandline -opc) "$current"
    for line in (command hogctl __complete fish $words[1..-2] "=$current" 2>/dev/null </dev/null)
        set -l parts (string split -m 1 \t -- $line)
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
