import { VERSION } from './cli/version.ts';
import { systemCode } from './errors.ts';
import { writeAtOnce } from './system/write-at-once.ts';

/** Runs the program on this process's arguments; resolves to the exit code. The process is left to end by itself. */
export async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  // Answered before anything is loaded: scripts ask for it to see whether the tool is there.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) return say(`${VERSION}\n`);
  if (argv[0] === '__complete') return answerTab(argv.slice(1));
  const [{ run }, { openSystem }, { groups }] = await Promise.all([
    import('./cli/run.ts'),
    import('./system/open-system.ts'),
    import('./commands/index.ts'),
  ]);
  return run(argv, openSystem(process, writeAtOnce), groups);
}

/** What the shell asks at Tab. Nothing of the commands is loaded for it. */
async function answerTab(words: readonly string[]): Promise<number> {
  const { answerTab } = await import('./cli/completion/answer-tab.ts');
  return say(await answerTab(words, { environment: process.env, platform: process.platform }));
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
