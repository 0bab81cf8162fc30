import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Shell, writeCompletion } from '../../../../src/commands/completion/write-completion.ts';
import { groups } from '../../../../src/commands/index.ts';

/** Whether a shell can be started on this computer. */
export function hasShell(shell: string): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

/** A folder with the script of a shell in it, and files to complete. */
export async function makeFolder(shell: Shell, name: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hogctl-completion-'));
  writeFileSync(join(folder, name), await writeCompletion(shell, groups));
  writeFileSync(join(folder, 'people.json'), '{}');
  mkdirSync(join(folder, 'runs-here'));
  return folder;
}

function execute(program: string, words: readonly string[], cwd: string): readonly string[] {
  const output = execFileSync(program, words, {
    cwd,
    encoding: 'utf8',
    timeout: 90_000,
    env: { PATH: process.env.PATH, TERM: 'dumb' },
  });
  return output.split('\n').filter((line) => line !== '');
}

/** What bash offers for a line with the cursor at its end, given the words as readline splits them. */
export function completeInBash(folder: string, line: string): readonly string[] {
  const split = line.match(/[=:]+|[^\s=:]+/g) ?? [];
  const words = line.endsWith(' ') ? [...split, ''] : split;
  const script = `
    COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
    source ./hogctl.bash
    COMP_LINE=$1 COMP_POINT=\${#1}
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _hogctl
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execute('bash', ['--norc', '-c', script, 'bash', line, ...words], folder);
}

/** What fish offers, without descriptions. */
export function completeInFish(folder: string, line: string): readonly string[] {
  const script = 'source hogctl.fish; complete -C $argv[1]';
  return execute('fish', ['--no-config', '-c', script, line], folder).map((one) => one.split('\t')[0] ?? '');
}

/** What stands on zsh's command line after Tab, for each line, in one interactive zsh on a terminal of its own. */
export function completeInZsh(folder: string, lines: readonly string[]): readonly string[] {
  const script = `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    send() { zpty -w shell "$1" }
    send "PROMPT=; unsetopt zle_bracketed_paste; fpath=($PWD \\$fpath); autoload -U compinit; compinit -D -u"
    send 'show() { print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show; bindkey "^X^X" show; print rea""dy'
    zpty -r -m shell text '*ready*'
    for line in "$@"; do
      zpty -w -n shell "$line"$'\\t\\x18\\x18'
      zpty -r -m shell text '*<<*>>*'
      print -r -- "\${\${text##*<<}%%>>*}"
    done
    zpty -d shell`;
  return execute('zsh', ['-f', '-c', script, 'zsh', ...lines], folder);
}
