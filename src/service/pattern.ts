/**
 * Whether a text matches a regular expression, judged without the service. Undefined if it cannot be told: a dot meets
 * a line break, which databases take in two ways, or the work would have no bound.
 */
export type Pattern = (text: string) => boolean | undefined;

type Points = (point: number) => boolean;
type Place = 'start' | 'end' | 'word';

type Node =
  | { readonly kind: 'set'; readonly has: Points }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly least: number; readonly most: number };

type Step =
  | { readonly kind: 'set'; readonly has: Points }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'split'; readonly to: number[] }
  | { readonly kind: 'done' };

const MOST_STEPS = 5000;
const MOST_WORK = 20_000_000;

/**
 * Reads the part of RE2 that means one thing in every engine: literals, classes, groups, alternatives, repeats, anchors
 * and `(?i)` in front of ASCII. Undefined for anything else. Each text takes time in proportion to its length.
 */
export function compilePattern(source: string): Pattern | undefined {
  const fold = source.startsWith('(?i)');
  const reader: Reader = { source, at: fold ? 4 : 0, fold, hasDot: false };
  try {
    const node = readAlternatives(reader);
    if (reader.at < source.length) throw new SyntaxError();
    const program: Step[] = [];
    emit(node, program);
    program.push({ kind: 'done' });
    return (text) => (reader.hasDot && /[\n\r\u2028\u2029]/.test(text) ? undefined : run(program, text));
  } catch (failure) {
    if (failure instanceof SyntaxError) return undefined;
    throw failure;
  }
}

type Reader = { readonly source: string; at: number; readonly fold: boolean; hasDot: boolean };

function readAlternatives(reader: Reader): Node {
  const parts = [readSequence(reader)];
  while (reader.source[reader.at] === '|') {
    reader.at += 1;
    parts.push(readSequence(reader));
  }
  return { kind: 'any', parts };
}

function readSequence(reader: Reader): Node {
  const parts: Node[] = [];
  for (;;) {
    const next = reader.source[reader.at];
    if (next === undefined || next === '|' || next === ')') return { kind: 'all', parts };
    parts.push(readRepeat(readAtom(reader), reader));
  }
}

const REPEAT = /([*+?])\??|\{(\d{1,4})(?:(,)(\d{0,4}))?\}\??/y;

function readRepeat(node: Node, reader: Reader): Node {
  REPEAT.lastIndex = reader.at;
  const [text, sign, low, comma, high] = REPEAT.exec(reader.source) ?? [];
  if (text === undefined) return node;
  reader.at += text.length;
  const least = sign === undefined ? Number(low) : Number(sign === '+');
  const bound = comma === undefined ? least : Number(high || Number.POSITIVE_INFINITY);
  const unbounded = sign === '?' ? 1 : Number.POSITIVE_INFINITY;
  const most = sign === undefined ? bound : unbounded;
  // RE2 repeats at most 1,000 times, and engines differ about repeated anchors.
  if (node.kind === 'place' || least > most || least > 1000) throw new SyntaxError();
  if (most !== Number.POSITIVE_INFINITY && most > 1000) throw new SyntaxError();
  return { kind: 'repeat', node, least, most };
}

const PLACES: Readonly<Record<string, Place>> = { '^': 'start', $: 'end' };

function readAtom(reader: Reader): Node {
  const point = take(reader);
  const character = String.fromCodePoint(point);
  const place = PLACES[character];
  if (place !== undefined) return { kind: 'place', place };
  if (character === '(') return readGroup(reader);
  if (character === '[') return { kind: 'set', has: readClass(reader) };
  if (character === '.') {
    reader.hasDot = true;
    return { kind: 'set', has: () => true };
  }
  if (character === '\\') {
    if (reader.source[reader.at] !== 'b' || reader.fold) return { kind: 'set', has: readEscape(reader).has };
    reader.at += 1;
    return { kind: 'place', place: 'word' };
  }
  if ('*+?{}])'.includes(character)) throw new SyntaxError();
  return { kind: 'set', has: range(point, point, reader) };
}

function readGroup(reader: Reader): Node {
  if (reader.source.startsWith('?:', reader.at)) reader.at += 2;
  const node = readAlternatives(reader);
  if (reader.source[reader.at] !== ')') throw new SyntaxError();
  reader.at += 1;
  return node;
}

function take(reader: Reader): number {
  const point = reader.source.codePointAt(reader.at);
  if (point === undefined) throw new SyntaxError();
  reader.at += point > 0xffff ? 2 : 1;
  return point;
}

const isDigit: Points = (point) => point >= 0x30 && point <= 0x39;
const isWord: Points = (point) =>
  isDigit(point) || (point >= 0x41 && point <= 0x5a) || (point >= 0x61 && point <= 0x7a) || point === 0x5f;

const SETS: Readonly<Record<string, Points>> = {
  d: isDigit,
  D: (point) => !isDigit(point),
  w: isWord,
  W: (point) => !isWord(point),
};
const CONTROLS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12 };

type Escaped = { readonly has: Points; readonly point?: number };

function readEscape(reader: Reader): Escaped {
  const point = take(reader);
  const character = String.fromCodePoint(point);
  const has = SETS[character];
  if (has !== undefined) {
    if (reader.fold && /w/i.test(character)) throw new SyntaxError();
    return { has };
  }
  const meant = CONTROLS[character] ?? (/[!-/:-@[-`{-~]/.test(character) ? point : undefined);
  if (meant === undefined) throw new SyntaxError();
  return { has: range(meant, meant, reader), point: meant };
}

function readClass(reader: Reader): Points {
  const negated = reader.source[reader.at] === '^';
  if (negated) reader.at += 1;
  const sets: Points[] = [];
  // Engines differ about a bracket that stands first, about classes within classes and about bare hyphens.
  while (reader.source[reader.at] !== ']') {
    const first = readMember(reader);
    const isRange = reader.source[reader.at] === '-' && reader.source[reader.at + 1] !== ']';
    if (!isRange) {
      sets.push(first.has);
      continue;
    }
    reader.at += 1;
    const last = readMember(reader);
    if (first.point === undefined || last.point === undefined || first.point > last.point)
      throw new SyntaxError();
    sets.push(range(first.point, last.point, reader));
  }
  if (sets.length === 0) throw new SyntaxError();
  reader.at += 1;
  return (point) => sets.some((has) => has(point)) !== negated;
}

function readMember(reader: Reader): Escaped {
  const point = take(reader);
  const character = String.fromCodePoint(point);
  if (character === '[') throw new SyntaxError();
  return character === '\\' ? readEscape(reader) : { has: range(point, point, reader), point };
}

/** Of letters in either case, if case is ignored; RE2 then takes the Kelvin sign for k and the long s for s. */
function range(first: number, last: number, { fold }: Reader): Points {
  const has: Points = (point) => point >= first && point <= last;
  if (!fold) return has;
  if (last > 0x7f) throw new SyntaxError();
  return (point) => variantsOf(point).some(has);
}

function variantsOf(point: number): readonly number[] {
  if (point === 0x212a) return [0x4b, 0x6b];
  if (point === 0x17f) return [0x53, 0x73];
  const isLetter = (point >= 0x41 && point <= 0x5a) || (point >= 0x61 && point <= 0x7a);
  return isLetter ? [point, point ^ 0x20] : [point];
}

function emit(node: Node, program: Step[]): void {
  if (program.length > MOST_STEPS) throw new SyntaxError();
  if (node.kind === 'set' || node.kind === 'place') program.push(node);
  else if (node.kind === 'repeat') emitRepeat(node, program);
  else if (node.kind === 'all') for (const part of node.parts) emit(part, program);
  else emitAny(node.parts, program);
}

function emitAny(parts: readonly Node[], program: Step[]): void {
  const choice: number[] = [];
  const ends: number[][] = [];
  program.push({ kind: 'split', to: choice });
  for (const part of parts) {
    choice.push(program.length);
    emit(part, program);
    const end: number[] = [];
    ends.push(end);
    program.push({ kind: 'split', to: end });
  }
  for (const end of ends) end.push(program.length);
}

function emitRepeat({ node, least, most }: Extract<Node, { kind: 'repeat' }>, program: Step[]): void {
  for (let count = 0; count < least; count += 1) emit(node, program);
  if (most === Number.POSITIVE_INFINITY) {
    const start = program.length;
    const to = [start + 1];
    program.push({ kind: 'split', to });
    emit(node, program);
    program.push({ kind: 'split', to: [start] });
    to.push(program.length);
    return;
  }
  const choices: number[][] = [];
  for (let count = least; count < most; count += 1) {
    const to = [program.length + 1];
    choices.push(to);
    program.push({ kind: 'split', to });
    emit(node, program);
  }
  for (const to of choices) to.push(program.length);
}

/** All places where the text may stand in the program at once, so nothing is ever tried again. */
function run(program: readonly Step[], text: string): boolean | undefined {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  if ((points.length + 1) * program.length > MOST_WORK) return undefined;
  let waiting: number[] = [];
  for (let at = 0; at <= points.length; at += 1) {
    // A match may begin anywhere.
    waiting.push(0);
    const reached = reach(program, waiting, placesAt(points, at));
    waiting = [];
    for (const index of reached) {
      const step = program[index];
      if (step?.kind === 'done') return true;
      const point = points[at];
      if (step?.kind === 'set' && point !== undefined && step.has(point)) waiting.push(index + 1);
    }
  }
  return false;
}

function placesAt(points: readonly number[], at: number): Readonly<Record<Place, boolean>> {
  return {
    start: at === 0,
    end: at === points.length,
    word: isWord(points[at - 1] ?? 0) !== isWord(points[at] ?? 0),
  };
}

function reach(
  program: readonly Step[],
  from: readonly number[],
  places: Readonly<Record<Place, boolean>>,
): ReadonlySet<number> {
  const reached = new Set<number>();
  const stack = [...from];
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    if (reached.has(index)) continue;
    reached.add(index);
    const step = program[index];
    if (step?.kind === 'split') stack.push(...step.to);
    else if (step?.kind === 'place' && places[step.place]) stack.push(index + 1);
  }
  return reached;
}
