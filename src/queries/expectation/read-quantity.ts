import type { Cursor } from './cursor.ts';
import { type Named, QUANTITIES, type Quantity } from './expectation.ts';
import { misread, type Token } from './read-tokens.ts';

/** A name, and the step in brackets after `conversion`. Throws a usage error for a name that is none. */
export function readQuantity(cursor: Cursor, token: Token): Named {
  const { text } = cursor;
  if (!isQuantity(token.text)) {
    throw misread(text, token.position, `"${token.text}" is none of ${Object.keys(QUANTITIES).join(', ')}`);
  }
  const name = token.text;
  const bracket = cursor.peek().position;
  if (!cursor.takes('(')) return { kind: 'named', name };
  if (name !== 'conversion') throw misread(text, bracket, `${name} takes no brackets`);
  const step = cursor.take();
  if (step.kind !== 'number' || !/^[2-9]$|^[1-9]\d$/.test(step.text))
    throw misread(text, step.position, 'the number of a step is due, from 2 on');
  if (!cursor.takes(')')) throw misread(text, cursor.peek().position, 'a closing bracket is missing');
  return { kind: 'named', name, step: Number(step.text) };
}

function isQuantity(word: string): word is Quantity {
  return Object.hasOwn(QUANTITIES, word);
}
