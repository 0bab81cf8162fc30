import { usageError } from '../../errors.ts';

const FIRST = '# >>> hogctl completion >>>';
const LAST = '# <<< hogctl completion <<<';

/** A text with these lines between marks: in the place of those that are there, else at the end. */
export function withLines(text: string, lines: readonly string[], file: string): string {
  const mark = text.includes('\r\n') ? '\r\n' : '\n';
  const block = [FIRST, ...lines, LAST, ''].join(mark);
  const { before, after, found } = split(text, file);
  if (found) return before + block + after;
  return before + (before === '' || before.endsWith('\n') ? '' : mark) + block;
}

/** The text without the marks and what stands between them. */
export function withoutLines(text: string, file: string): string {
  const { before, after } = split(text, file);
  return before + after;
}

/** Throws a usage error where one mark is missing, since then nobody knows what is ours. */
function split(text: string, file: string) {
  const lines = text.split(/(?<=\n)/);
  const at = (mark: string) => lines.flatMap((line, index) => (line.trimEnd() === mark ? [index] : []));
  const [firsts, lasts] = [at(FIRST), at(LAST)];
  const [first, last] = [firsts[0], lasts[0]];
  if (first === undefined && last === undefined) return { before: text, after: '', found: false };
  if (
    firsts.length !== 1 ||
    lasts.length !== 1 ||
    first === undefined ||
    last === undefined ||
    first > last
  ) {
    throw usageError(
      `the marked lines in ${file} are damaged`,
      `remove them by hand: from "${FIRST}" to "${LAST}"`,
    );
  }
  return { before: lines.slice(0, first).join(''), after: lines.slice(last + 1).join(''), found: true };
}
