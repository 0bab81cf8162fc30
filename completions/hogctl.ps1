# Completion of hogctl for PowerShell. `hogctl completion powershell` prints it.
Register-ArgumentCompleter -Native -CommandName hogctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    $answer = @(& hogctl __complete powershell @before "=$wordToComplete" 2>$null)
    foreach ($line in $answer) {
        if ($line.StartsWith(':')) { continue }
        $text, $description = $line -split '\t', 2
        if (-not $description) { $description = $text }
        $word = if ($text -match '[^\w.:/+=-]') { '''{0}''' -f $text.Replace('''', '''''') } else { $text }
        [System.Management.Automation.CompletionResult]::new($word, $text, 'ParameterValue', $description)
    }
}
