import { readFileSync } from 'node:fs';
import { VERSION } from './cli/version.ts';
import type { FileNames } from './completion/names-in-file.ts';
import { systemCode } from './errors.ts';
import { readSmallFile } from './system/files.ts';
import { isTerminal, writeAtOnce } from './system/open-system.ts';

/** Runs the program on this process's arguments; resolves to the exit code. */
async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  // Answered before anything is loaded: scripts ask for it to see whether the tool is there.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) return say(`${VERSION}\n`);
  if (argv[0] === '__complete') return answerTab(argv.slice(1));
  const help = builtHelp(argv);
  // What does not fit a screen of 24 lines is for a pager, if there is a screen.
  const isLong = help !== undefined && help.split('\n').length > 24;
  if (help !== undefined && !(isLong && isTerminal(process, 1))) return say(help);
  const { run, openSystem, groups } = await import('./program.ts');
  return run(argv, openSystem(process), groups);
}

/** The help that the build wrote down for this line, if it is one that asks for nothing else. */
function builtHelp(argv: readonly string[]): string | undefined {
  const isAsked = argv[0] === 'help' || argv.at(-1) === '--help' || argv.at(-1) === '-h';
  const words = argv[0] === 'help' ? argv.slice(1) : argv.slice(0, -1);
  if (!isAsked || words.some((word) => !/^[a-z-]+$/.test(word))) return undefined;
  const line = words.join(' ');
  try {
    const all = readFileSync(`${import.meta.dirname}/help.txt`, 'utf8');
    const starts = [...(argv[0] === 'help' ? [`\fhelp ${line}\n`] : []), `\f${line}\n`];
    const start = starts.find((one) => all.includes(one));
    if (start === undefined) return undefined;
    const from = all.indexOf(start) + start.length;
    return all.slice(from, all.indexOf('\f', from));
  } catch {
    // Not built: the program knows it all.
    return undefined;
  }
}

/** What the shell asks at Tab, answered from the commands that the build wrote down. */
async function answerTab(words: readonly string[]): Promise<number> {
  const { complete } = await import('./completion/complete.ts');
  const { env: environment, platform } = process;
  const built = readSmallFile(`${import.meta.dirname}/completion.txt`);
  const tree = built === '' ? await (await import('./program.ts')).treeText() : built;
  const namesInFile = async (file: FileNames) => (await import('./program.ts')).namesInFile(file);
  return say(await complete(words, { environment, platform, tree, namesInFile }));
}

function say(text: string): number {
  try {
    const rest = writeAtOnce(Buffer.from(text));
    if (rest.length > 0) process.stdout.write(rest);
    return 0;
  } catch (failure) {
    return systemCode(failure) === 'EPIPE' ? 0 : sayUnwritten();
  }
}

function sayUnwritten(): number {
  process.stderr.write('error: cannot write to standard output\n');
  return 6;
}

// The process ends by itself. The built program is CommonJS, which has no await here.
main().then((code) => {
  process.exitCode = code;
});
