import { parseSync, Visitor } from 'oxc-parser';

export type SourceImport = {
  readonly specifier: string;
  /** `import()`, which loads when it is called. */
  readonly isLate: boolean;
  /** Only types, which are gone when the program runs. */
  readonly isType: boolean;
};

export type Source = {
  /** Every module that the file names, types included. A specifier that is no plain string is `?`. */
  readonly imports: readonly SourceImport[];
  /** The code only: comments, regular expressions and texts become spaces, in the same places. */
  readonly code: string;
};

type Span = { readonly start: number; readonly end: number };
type Manner = { readonly isLate?: boolean; readonly isType?: boolean };
type Named = { readonly type: string; readonly value?: unknown } | null | undefined;

function blank(text: string, spans: readonly Span[]): string {
  const kept = text.split('');
  for (const { start, end } of spans) {
    for (let index = start; index < end; index += 1) {
      kept[index] = kept[index] === '\n' ? '\n' : ' ';
    }
  }
  return kept.join('');
}

/** What stands between the quotes, so that `f('a')` still has an argument. */
const inside = ({ start, end }: Span): Span => ({ start: start + 1, end: end - 1 });

function scan(text: string): Source {
  const { program, comments, errors } = parseSync('source.ts', text);
  const [error] = errors;
  if (error !== undefined) {
    throw new Error(`${error.message}: ${text.slice(0, 200)}`);
  }
  const imports: SourceImport[] = [];
  const spans: Span[] = [...comments];
  const add = (source: Named, { isLate = false, isType = false }: Manner = {}): void => {
    imports.push({ specifier: typeof source?.value === 'string' ? source.value : '?', isLate, isType });
  };
  new Visitor({
    ImportDeclaration: ({ source, importKind }) => add(source, { isType: importKind === 'type' }),
    ExportAllDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => source !== null && add(source),
    ImportExpression: ({ source }) => add(source, { isLate: true }),
    TSImportType: ({ source }) => add(source, { isLate: true, isType: true }),
    CallExpression: ({ callee, arguments: [first] }) =>
      callee.type === 'Identifier' && callee.name === 'require' && add(first, { isLate: true }),
    Literal: (literal) =>
      (typeof literal.value === 'string' || 'regex' in literal) && spans.push(inside(literal)),
    TemplateElement: (element) => spans.push(inside(element)),
  }).visit(program);
  return { imports, code: blank(text, spans) };
}

/** Texts that were scanned before: each floor asks for the same ones again. */
const scanned = new Map<string, Source>();

/** What a file of TypeScript imports, and its code. Throws when it cannot be parsed. */
export function scanSource(text: string): Source {
  const source = scanned.get(text) ?? scan(text);
  scanned.set(text, source);
  return source;
}
