import { Chalk } from 'chalk';
import { escapeControls } from '../system/escape-controls.ts';
import { diffLines } from './diff-lines.ts';

/** What is to become of one thing, field by field. `before` or `after` is undefined where there is no such field. */
export type Difference = {
  readonly mark: '+' | '-' | '~';
  readonly title: string;
  readonly parts: readonly {
    readonly name: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
  }[];
};

const NEAR = 2;

/** Differences for people: every line begins with what happens to it, so that colour says nothing of its own. */
export function differenceText(
  differences: readonly Difference[],
  { color }: { readonly color: boolean },
): string {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const paints = { '+': chalk.green, '-': chalk.red, '~': chalk.yellow, ' ': (text: string) => text };
  const lines = differences.flatMap(({ mark, title, parts }) => [
    chalk.bold(`${mark} ${escapeControls(title)}`),
    ...parts.flatMap(partLines).map(({ mark: sign, text }) => paints[sign](`  ${sign} ${text}`.trimEnd())),
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

type Line = { readonly mark: '+' | '-' | ' '; readonly text: string };

function partLines({ name, before, after }: Difference['parts'][number]): readonly Line[] {
  const lines = diffLines(linesOf(name, before), linesOf(name, after)).map(({ mark, text }) => ({
    mark,
    text: escapeControls(text),
  }));
  return withoutFarLines(lines);
}

function linesOf(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : `${name}: ${value}`.split('\n');
}

/** Keeps what changed and a few lines around it; dots stand for the rest. */
function withoutFarLines(lines: readonly Line[]): readonly Line[] {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - NEAR), at + NEAR + 1).some(({ mark }) => mark !== ' ');
  return lines.flatMap((line, at): readonly Line[] => {
    // The first line names the field.
    if (at === 0 || isNear(at)) return [line];
    return at === 1 || isNear(at - 1) ? [{ mark: ' ', text: '...' }] : [];
  });
}
