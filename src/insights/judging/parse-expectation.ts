import { type CliError, usageError } from '../../errors.ts';
import { type Duration, inMilliseconds } from '../../semantics/calendar.ts';
import {
  COMPARISONS,
  combine,
  constant,
  dropExpectation,
  type Expectation,
  type Expression,
  QUANTITIES,
  QUANTITY_NAMES,
  type Quantity,
  quantity,
  timeExpectation,
  type Unit,
} from './judge.ts';

// Object.keys forgets which keys they are.
const SIGNS = Object.keys(COMPARISONS) as readonly Expectation['comparison'][];

/** Brackets within brackets are read by a function that calls itself. */
const LONGEST = 1000;

/** Two sums of figures and names with a comparison between. Throws a usage error with the position of a mistake. */
export function parseExpectation(text: string): Expectation {
  if (text.length > LONGEST)
    throw usageError(`--expect has more than ${LONGEST} characters`, 'give it once for each comparison');
  const cursor = openCursor(text);
  const left = readSum(cursor);
  const token = cursor.take();
  const comparison = comparisonOf(token);
  if (comparison === undefined)
    throw token.wrong(`expected a comparison (${SIGNS.join(' ')}), but found ${foundText(token)}`);
  const right = readSum(cursor);
  const rest = cursor.take();
  if (comparisonOf(rest) !== undefined)
    throw rest.wrong('only two sides can be compared; give --expect twice');
  if (rest.kind !== 'end')
    throw rest.wrong(`expected the end after one comparison, but found "${rest.text}"`);
  if (left.names.length + right.names.length === 0)
    throw misread(text, 1, 'neither side names a figure of the insight');
  checkUnits({ left, right }, token);
  return { text, left, comparison, right };
}

function comparisonOf({ kind, text }: Token): Expectation['comparison'] | undefined {
  const spelt = text === '=' ? '==' : text;
  return kind === 'sign' ? SIGNS.find((one) => one === spelt) : undefined;
}

function foundText({ kind, text }: Token): string {
  return kind === 'end' ? 'the end' : `"${text}"`;
}

function readSum(cursor: Cursor): Expression {
  return readOperations(cursor, ['+', '-'], readProduct);
}

function readProduct(cursor: Cursor): Expression {
  return readOperations(cursor, ['*', '/'], readSigned);
}

function readOperations(
  cursor: Cursor,
  operators: readonly Operator[],
  readPart: (cursor: Cursor) => Expression,
): Expression {
  let left = readPart(cursor);
  for (;;) {
    const token = cursor.peek();
    const operator = operators.find((sign) => cursor.takes(sign));
    if (operator === undefined) return left;
    const right = readPart(cursor);
    checkUnits({ left, right, operator }, token);
    left = combine([left, right], OPERATIONS[operator], combined(left.unit, right.unit, operator));
  }
}

function readSigned(cursor: Cursor): Expression {
  if (cursor.takes('-')) {
    const of = readSigned(cursor);
    const { isConstant } = of;
    return { ...combine([constant(0, of.unit), of], OPERATIONS['-'], of.unit), isConstant };
  }
  const token = cursor.take();
  if (token.kind === 'number') return readNumber(token);
  if (token.kind === 'name') return readQuantity(cursor, token);
  if (token.text === '(') {
    const inner = readSum(cursor);
    close(cursor);
    return inner;
  }
  throw token.wrong(`expected a figure or a name, but found ${foundText(token)}`);
}

type Cursor = ReturnType<typeof openCursor>;

/** Opens a text for reading. Throws a usage error for characters that mean nothing. */
function openCursor(text: string) {
  const tokens = readTokens(text);
  const end: Token = {
    kind: 'end',
    text: '',
    wrong: (what) => misread(text, text.trimEnd().length + 1, what),
  };
  let at = 0;
  const peek = (): Token => tokens[at] ?? end;
  const take = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  /** Takes the next token if it is this sign, and says whether it was. */
  const takes = (sign: string): boolean => {
    const found = peek().kind === 'sign' && peek().text === sign;
    if (found) at += 1;
    return found;
  };
  return { peek, take, takes };
}

function close(cursor: Cursor): void {
  if (!cursor.takes(')')) throw cursor.peek().wrong('a closing bracket is missing');
}

/** A name, and the step in brackets after `conversion`. Throws a usage error for a name that is none. */
function readQuantity(cursor: Cursor, { text: name, wrong }: Token): Expression {
  if (!isQuantity(name)) throw wrong(`unknown name "${name}": the names are ${QUANTITY_NAMES}`);
  const bracket = cursor.peek();
  if (!cursor.takes('(')) return quantity(name);
  if (name !== 'conversion') throw bracket.wrong(`${name} takes no brackets`);
  const step = cursor.take();
  if (step.kind !== 'number' || !/^[2-9]$|^[1-9]\d$/.test(step.text))
    throw step.wrong('expected the number of a step, from 2');
  close(cursor);
  return quantity(name, Number(step.text));
}

function isQuantity(word: string): word is Quantity {
  return Object.hasOwn(QUANTITIES, word);
}

type Token = {
  readonly kind: 'number' | 'name' | 'sign' | 'end';
  readonly text: string;
  /** A usage error about its position, or so many characters after it. */
  readonly wrong: (what: string, after?: number) => CliError;
};

const TOKEN = /\s*(?:(\d+(?:\.\d+)?(?:%|[A-Za-z]+)?)|([A-Za-z_]+)|(>=|<=|=>|=<|==|!=|[><=+\-*/()]))/y;

/** The words of an expectation. Throws a usage error at the first character that begins none. */
function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  while (text.slice(pattern.lastIndex).trim() !== '') {
    const start = pattern.lastIndex;
    const found = pattern.exec(text);
    if (found === null) {
      const position = start + (/^\s*/.exec(text.slice(start))?.[0].length ?? 0) + 1;
      throw misread(text, position, `"${text[position - 1] ?? ''}" means nothing here`);
    }
    const [whole, number, name, sign] = found;
    const word = number ?? name ?? sign ?? '';
    const position = start + whole.length - word.length + 1;
    if (word === '=>' || word === '=<') throw misread(text, position, `write ${word[1]}= for ${word}`);
    const kind = name === undefined ? 'sign' : 'name';
    const wrong: Token['wrong'] = (what, after = 0) => misread(text, position + after, what);
    tokens.push({ kind: number === undefined ? kind : 'number', text: word, wrong });
  }
  return tokens;
}

function misread(text: string, position: number, what: string) {
  return usageError(
    `--expect cannot read "${text}" at position ${position}: ${what}`,
    "write it like 'last >= 100', 'change > -20%', 'conversion(2) >= 30' or 'age < 24h', in quotes",
  );
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400, w: 604_800 };

/** A figure with its unit: `100`, `20%`, `24h`. Throws a usage error for a unit that is none. */
function readNumber({ text: word, wrong }: Token): Expression {
  const [, digits = '', unit = ''] = /^([\d.]+)(.*)$/.exec(word) ?? [];
  const value = Number(digits);
  if (unit === '') return constant(value, 'number');
  if (unit === '%') return constant(value, 'percent');
  const seconds = Object.hasOwn(SECONDS, unit) ? SECONDS[unit] : undefined;
  if (seconds !== undefined) return constant(value * seconds, 'time');
  const what = unit === 'm' ? `write ${digits}min for minutes` : `"${unit}" is not a unit`;
  throw wrong(`${what}; units are %, s, min, h, d and w`, digits.length);
}

const OPERATIONS = {
  '+': (left: number, right: number) => left + right,
  '-': (left: number, right: number) => left - right,
  '*': (left: number, right: number) => left * right,
  '/': (left: number, right: number) => left / right,
} as const;

type Operator = keyof typeof OPERATIONS;

/** Two sides and what stands between them; without an operator they are compared. */
type Sides = { readonly left: Expression; readonly right: Expression; readonly operator?: Operator };

/** A ratio of two of a kind is a plain number; else what is more than a number wins. */
function combined(left: Unit, right: Unit, operator: Operator): Unit {
  if (operator === '/' && left === right) return 'number';
  return left === 'number' ? right : left;
}

const WORDS: Readonly<Record<Unit, string>> = {
  number: 'a number',
  percent: 'a percentage',
  time: 'a length of time',
};

function checkUnits(sides: Sides, { wrong }: Token): void {
  const { left, right, operator } = sides;
  const isPercent = ({ isConstant, unit }: Expression) => isConstant && unit === 'percent';
  if ((operator === '*' || operator === '/') && [left, right].some(isPercent))
    throw wrong('a percentage cannot be a factor; write 0.8 for 80%');
  if (fits(sides)) return;
  const hint = [left, right].some(({ unit }) => unit === 'time') ? '; write a time as 24h' : '';
  throw wrong(`one side is ${WORDS[left.unit]}, the other ${WORDS[right.unit]}${hint}`);
}

function fits({ left, right, operator }: Sides): boolean {
  const [first, second] = [left.unit, right.unit];
  if (operator === '*') return first === 'number' || second === 'number';
  if (operator === '/') return first === second || second === 'number';
  if (first === second) return true;
  // `conversion >= 30` is as clear as `conversion >= 30%`.
  const isPlain = ({ isConstant, unit }: Expression) => isConstant && unit === 'number';
  return (first === 'percent' && isPlain(right)) || (second === 'percent' && isPlain(left));
}

type Given = {
  readonly expect?: readonly string[] | undefined;
  readonly maxDrop?: string | undefined;
  readonly maxAge?: Duration | undefined;
  readonly maxLag?: Duration | undefined;
};

/** Everything that is expected. Throws a usage error for nothing at all, and for what cannot be read. */
export function readExpectations({ expect = [], maxDrop, maxAge, maxLag }: Given): readonly Expectation[] {
  const all = [
    ...expect.map(parseExpectation),
    ...(maxDrop === undefined ? [] : [dropExpectation(maxDrop)]),
    ...(maxAge === undefined ? [] : [timeExpectation('age', inMilliseconds(maxAge))]),
    ...(maxLag === undefined ? [] : [timeExpectation('lag', inMilliseconds(maxLag))]),
  ];
  if (all.length > 0) return all;
  throw usageError('--expect is missing', "give --expect 'last >= 100', --max-drop 20% or --max-age 24h");
}
