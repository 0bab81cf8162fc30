import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTerminal, type Terminal } from './pseudo-terminal.ts';

/** How a shell is started, and told to show the line being typed at Ctrl-X Ctrl-X. */
const SHELLS = {
  bash: {
    start: 'bash -i',
    setup: [
      `bind -x '"\\C-x\\C-x": echo "<<$READLINE_LINE>>"; READLINE_LINE='`,
      'bind "set bell-style none"',
    ],
  },
  zsh: {
    start: 'zsh -i',
    setup: ['show() { print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show; bindkey "^X^X" show; unsetopt beep'],
  },
  fish: {
    start: 'fish -i',
    setup: ['function show; echo "<<"(commandline)">>"; commandline ""; end; bind \\cx\\cx show'],
  },
} as const;

export type Interactive = {
  /** What stands on the line after these keys. */
  readonly line: (keys: string) => Promise<string>;
  readonly terminal: Terminal;
  /** Ends it, and with it what it writes at its end. */
  readonly close: () => Promise<void>;
};

/** A shell as somebody has it in a terminal, with its start-up files in the home of the environment. */
export async function openShell(
  name: keyof typeof SHELLS,
  environment: Readonly<Record<string, string>>,
): Promise<Interactive> {
  const { start, setup } = SHELLS[name];
  const home = environment.HOME ?? '';
  // Without this folder fish fills it from all man pages, in a process that outlives the shell.
  if (name === 'fish') mkdirSync(join(home, '.local/share/fish/generated_completions'), { recursive: true });
  const terminal = onTerminal(`env -C '${home}' ${start}`, environment, {
    columns: 200,
  });
  let text = '';
  terminal.child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  for (const line of setup) terminal.type(`${line}\r`);
  terminal.type('echo rea""dy\r');
  await terminal.says('ready');
  return {
    terminal,
    close: async () => {
      terminal.type('exit\r');
      await terminal.ended;
    },
    line: async (keys) => {
      text = '';
      terminal.type(`${keys}\x18\x18`);
      for (;;) {
        const found = /<<([^\r\n]*)>>/.exec(text);
        if (found) return found[1] ?? '';
        await new Promise((resolve) => terminal.child.stdout?.once('data', resolve));
      }
    },
  };
}
