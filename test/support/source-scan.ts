export type SourceImport = {
  readonly specifier: string;
  /** `import()`, which loads when it is called. */
  readonly isLate: boolean;
};

type State = { readonly text: string; readonly blanked: string[]; index: number };

const regexMayFollow =
  /(?:^|[=(,:[!&|?{};+\-*%<>~^]|=>|\b(?:return|typeof|case|in|of|do|else|void|await|yield))\s*$/;

function blankUntil(state: State, end: number): void {
  for (; state.index < Math.min(end, state.text.length); state.index += 1) {
    state.blanked.push(state.text[state.index] === '\n' ? '\n' : ' ');
  }
}

function keep(state: State): void {
  state.blanked.push(state.text[state.index] ?? '');
  state.index += 1;
}

/** Blanks what stands between two equal quotes and keeps the quotes. */
function blankQuoted(state: State, quote: string): void {
  keep(state);
  const inside = new RegExp(`(?:\\\\[^]|[^\\\\${quote}])*`, 'y');
  inside.lastIndex = state.index;
  blankUntil(state, state.index + (inside.exec(state.text)?.[0].length ?? 0));
  keep(state);
}

function blankRegex(state: State): void {
  const literal = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*/y;
  literal.lastIndex = state.index;
  const found = literal.exec(state.text)?.[0];
  if (found === undefined) {
    keep(state);
    return;
  }
  blankUntil(state, state.index + found.length);
}

/** Blanks the texts of a template and scans the code between `${` and `}`. */
function scanTemplate(state: State): void {
  keep(state);
  while (state.index < state.text.length && state.text[state.index] !== '`') {
    if (state.text.startsWith('${', state.index)) {
      blankUntil(state, state.index + 2);
      scanCode(state, '}');
      blankUntil(state, state.index + 1);
    } else {
      blankUntil(state, state.index + (state.text[state.index] === '\\' ? 2 : 1));
    }
  }
  keep(state);
}

function endOf(state: State, mark: string): number {
  const end = state.text.indexOf(mark, state.index + 2);
  return end < 0 ? state.text.length : end;
}

/** Scans code until a closing brace that no opening brace of its own precedes, or to the end of the text. */
function scanCode(state: State, until: '}' | undefined): void {
  let depth = 0;
  while (state.index < state.text.length) {
    const character = state.text[state.index] ?? '';
    if (character === until && depth === 0) {
      return;
    }
    depth += Number(character === '{') - Number(character === '}');
    if (state.text.startsWith('//', state.index)) {
      blankUntil(state, endOf(state, '\n'));
    } else if (state.text.startsWith('/*', state.index)) {
      blankUntil(state, endOf(state, '*/') + 2);
    } else if (character === '`') {
      scanTemplate(state);
    } else if (character === "'" || character === '"') {
      blankQuoted(state, character);
    } else if (character === '/' && regexMayFollow.test(state.blanked.slice(-40).join(''))) {
      blankRegex(state);
    } else {
      keep(state);
    }
  }
}

/** Texts that were scanned before: each floor asks for the same ones again. */
const scanned = new Map<string, string>();

/** The code alone: comments, regular expressions and the insides of strings become spaces, in the same places. */
export function codeOf(text: string): string {
  const known = scanned.get(text);
  if (known !== undefined) {
    return known;
  }
  const state: State = { text, blanked: [], index: 0 };
  scanCode(state, undefined);
  const code = state.blanked.join('');
  scanned.set(text, code);
  return code;
}

/** Every module that a file names, types included. A specifier that is no plain string comes back as `?`. */
export function importsOf(text: string): readonly SourceImport[] {
  const code = codeOf(text);
  const found = code.matchAll(/\b(?:from|import|require)\s*(\(?)\s*(?:(['"])( *)\2)?/g);
  return [...found].flatMap(({ 0: whole, 1: bracket = '', 2: quote, 3: inside = '', index }) => {
    if (quote === undefined) {
      return bracket === '(' && !/^from/.test(whole) ? [{ specifier: '?', isLate: true }] : [];
    }
    const end = index + whole.length - 1;
    return [{ specifier: text.slice(end - inside.length, end), isLate: bracket === '(' }];
  });
}
