import type { Transcript } from '../support/run-program.ts';
import { leaksIn } from './secrets.ts';

/** How a command is called: its format, and the service that it meets. */
export type Manner = {
  readonly output: 'json' | 'ndjson' | 'table';
  readonly dialect: 'specification' | 'live';
};

/** What is wrong with a transcript, in words; nothing where all is as it should be. */
export function flawsOf(
  { code, stdout, stderr }: Transcript,
  { expected, output }: { readonly expected: number; readonly output: Manner['output'] },
): readonly string[] {
  const lines = stderr.split('\n').filter((line) => line !== '');
  const isError = (line: string) => line.startsWith(output === 'table' ? 'error: ' : '{"error":');
  const errors = lines.filter(isError);
  const last = lines.at(-1) ?? '';
  const flaws: readonly (readonly [boolean, string])[] = [
    [code === expected, `ends with ${code} instead of ${expected}`],
    [errors.length === (expected === 0 ? 0 : 1), `says ${errors.length} errors`],
    [
      expected === 0 || isError(last) || (output === 'table' && last.startsWith('hint: ')),
      'does not end with its error',
    ],
    [output === 'table' || errors.every((line) => isWholeError(line, code)), 'says half an error'],
    [
      stdout === '' || (output === 'json' ? isJson(stdout) : isWholeLines(stdout, output)),
      'leaves half of an output',
    ],
    [!/\n\s+at |node:internal|\.ts:\d/.test(stdout + stderr), 'shows a stack'],
    [!/undefined|\[object |NaN|<html/.test(stdout + stderr), 'shows something that is not a text'],
    [leaksIn(stdout + stderr).length === 0, 'shows the key'],
  ];
  return flaws.flatMap(([holds, flaw]) => (holds ? [] : [flaw]));
}

function isWholeError(line: string, code: number): boolean {
  if (!isJson(line)) return false;
  const { error } = JSON.parse(line);
  const names = ['kind', 'message', 'hint', 'status', 'code', 'exit_code'];
  return error.exit_code === code && JSON.stringify(Object.keys(error)) === JSON.stringify(names);
}

/** Rows that were printed before the fault stay, each of them whole. */
function isWholeLines(text: string, output: Manner['output']): boolean {
  const lines = text.split('\n');
  return lines.at(-1) === '' && (output === 'table' || lines.slice(0, -1).every(isJson));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
