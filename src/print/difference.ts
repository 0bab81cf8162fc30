import { Chalk } from 'chalk';
import { diffArrays } from 'diff';
import { escapeControls } from '../system/text.ts';

/** What is to become of one thing, field by field. `before` or `after` is undefined without such a field. */
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

/** Texts that differ in more lines than this are shown one after the other. */
const MOST_CHANGES = 4000;

function partLines({ name, before, after }: Difference['parts'][number]): readonly Line[] {
  const [old, fresh] = [linesOf(name, before), linesOf(name, after)];
  const changes = diffArrays([...old], [...fresh], { maxEditLength: MOST_CHANGES }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: fresh },
  ];
  const lines = changes.flatMap(({ added, removed, value }) => {
    const changed = added ? '+' : '-';
    const mark = added || removed ? changed : ' ';
    return value.map((line): Line => ({ mark, text: escapeControls(line) }));
  });
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
