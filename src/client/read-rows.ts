import { asObject, isList, type Json, type JsonObject } from '../json/kinds.ts';
import { parsePageText } from '../json/parse.ts';
import { cutRows, type Piece } from './cut-rows.ts';
import type { Answer } from './exchange.ts';
import type { Body } from './open-body.ts';
import { broken, type Expected, jsonReader, misfit, notUtf8 } from './read-answer.ts';
import { type Failure, failureOf, type Line } from './send.ts';

/** Throws where what stands beside the rows says that they are not to be believed. */
export type CheckEnvelope = (envelope: JsonObject) => void;

type Reading = {
  readonly answer: Answer & { readonly body: Body };
  readonly expected: Expected;
  readonly line: Line;
  /** Asked with what stands before the rows, then with all there is. */
  readonly check: CheckEnvelope;
};

/** How many rows were handed on and which is the last, and what stands beside them where the answer was whole. */
export type RowsEnd = { readonly rows: number; readonly last: Json | undefined } & (
  | { readonly envelope: JsonObject }
  | { readonly failure: Failure }
);

/**
 * Hands on the `results` of an answer while it comes in, in groups of whole rows, and tells at the end whether it was
 * whole. What was handed on before an answer broke off are its first rows.
 */
export async function* readRows(reading: Reading): AsyncGenerator<readonly Json[], RowsEnd> {
  const { answer, expected, line, check } = reading;
  const { body } = answer;
  const cut = cutRows();
  let head = '';
  let groups = 0;
  let rows = 0;
  let last: Json | undefined;
  try {
    for (;;) {
      const step = await body.next();
      if ('loss' in step) return { rows, last, failure: failureOf(step.loss, expected.row.effect, line) };
      if (step.chunk === undefined) break;
      cut.add(step.chunk);
      for (const piece of cut.pieces()) {
        if (piece.place === 'before') {
          head = piece.text.replace(/^\uFEFF/, '');
          check(parseEnvelope(`${head}]}`));
          continue;
        }
        const group = parseGroup(piece, groups);
        if (!piece.isUtf8) return { rows, last, failure: notUtf8(answer, expected) };
        groups += 1;
        if (group.length === 0) continue;
        rows += group.length;
        last = group.at(-1);
        body.rest();
        yield group;
      }
    }
    const rest = cut.rest();
    if (rest.place === 'before') return { rows, last, failure: await withoutRows(rest.bytes, reading) };
    // Rows that came after all, or a second list of them, are no end that the parser takes for one.
    const envelope = parseEnvelope(`${head}${rest.text}`);
    check(envelope);
    return { rows, last, envelope };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return { rows, last, failure: broken(answer, expected, cause) };
  } finally {
    body.close();
  }
}

/** After the first group a comma comes first; a number in front of it makes it a list again. */
function parseGroup({ text, isPlain }: Piece, index: number): readonly Json[] {
  const list = index === 0 ? `[${text}]` : `[0${text}]`;
  const value: Json = isPlain ? JSON.parse(list) : parsePageText(list);
  // The text is a list by construction.
  const rows = isList(value) ? value : [];
  return index === 0 ? rows : rows.slice(1);
}

/** What stands beside the rows; the list of them is empty. */
function parseEnvelope(text: string): JsonObject {
  const { results, ...envelope } = asObject(parsePageText(text)) ?? {};
  if (isList(results) && results.length === 0) return envelope;
  throw new SyntaxError('the answer holds its results twice');
}

/** Why an answer has no rows: an empty body, a web page, broken JSON, or JSON that says what went wrong. */
async function withoutRows(bytes: Buffer, { answer, expected, check }: Reading): Promise<Failure> {
  const whole = { ...answer, bytes };
  const read = await jsonReader(expected)(whole);
  if (!('value' in read)) return read;
  check(asObject(read.value) ?? {});
  return { error: misfit(whole, expected, 'the answer holds no list of results'), again: false };
}
