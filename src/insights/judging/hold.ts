import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import type { JsonObject } from '../../json/kinds.ts';
import { plainWords } from '../../semantics/answer.ts';
import { figureRemarks } from '../../semantics/figures/remarks.ts';
import { escapeControls } from '../../system/text.ts';
import type { ExpectInput } from '../answers/show.ts';
import { judgeAnswer, type Notes, type Result } from './judged-series.ts';
import { readExpectations } from './parse-expectation.ts';

export function inPlainWords<One extends Result>(result: One): One {
  const { series, breakdown } = result;
  return { ...result, series: series && plainWords(series), breakdown: breakdown && plainWords(breakdown) };
}

/** `last >= 100 for "$pageview"` */
export function expectedText({ series, breakdown, expected }: Result): string {
  const who = [series, breakdown].filter((name) => name !== null).map((name) => `"${name}"`);
  return `${expected}${who.length > 0 ? ` for ${who.join(', ')}` : ''}`;
}

/** A CI service may take a line of a job's log for a command, so no name begins one. */
export function sentence(result: Result): string {
  return escapeControls(`expected ${expectedText(result)}, but ${result.found}`);
}

export function requireAll(results: readonly Result[], name: string): void {
  const failed = results.map(inPlainWords).filter(({ holds }) => !holds);
  if (failed.length === 0) return;
  const count = results.length === 1 ? '' : `${failed.length} of ${results.length} checks do not hold: `;
  throw new CliError('check', `${name}: ${count}${failed.map(sentence).join('; ')}`);
}

/** Holds an analysis from options to what is expected. The function says what did not count, and throws `check` unless all holds. */
export function expectOfAnalysis(
  { unfinished = false, ...given }: ExpectInput,
  context: Context,
): (answer: JsonObject, times: { readonly now: number; readonly began: number }) => void {
  const expectations = readExpectations(given);
  const input = { expectations, unfinished, series: undefined, breakdown: undefined };
  return (answer, { now, began }) => {
    // To ask for an analysis is to ask for its calculation.
    const request = { began, refresh: 'blocking' };
    const about = { name: 'the analysis', remedy: undefined, now, request };
    const { results, notes } = judgeAnswer(answer, { ...input, ...about });
    // They were said with the figures.
    const said = figureRemarks(answer);
    const remarks = notes.remarks.filter((remark) => !said.includes(remark));
    sayNotes({ ...notes, remarks }, '--unfinished', context);
    requireAll(results, about.name);
  };
}

/** Says what did not count, and what the figures are as a whole. */
export function sayNotes({ open, cut, remarks }: Notes, remedy: string, context: Context): void {
  if (open.length > 0)
    context.note(
      `Not counted, since it was not over when it was calculated: ${open.join(', ')}. ${remedy} counts it.`,
    );
  if (cut.length > 0)
    context.note(`Not counted, since the range covers only a part of it: ${cut.join(', ')}.`);
  for (const remark of remarks) context.note(remark);
}
