import type { Column, Json } from '../json/kinds.ts';
import { readCell } from '../json/kinds.ts';
import { escapeMarkup } from '../system/text.ts';
import { rowCell } from './rows.ts';

type Page = {
  readonly title: string;
  /** Rules beside those that all pages have. */
  readonly style: string;
  /** Markup, so texts must come from `pageText`. */
  readonly content: readonly string[];
};

/** One page that needs nothing else: no script, no font, no address. */
export function htmlPage({ title, style, content }: Page): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${pageText(title)}</title>`,
    `<style>${STYLE}${style}</style>`,
    '</head>',
    '<body>',
    ...content,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Names of projects and insights are anybody's text: no markup, and nothing that turns the direction of what follows. */
export function pageText(text: string): string {
  return escapeMarkup(text, { keepLineBreaks: true });
}

export function htmlTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], cell: 'td' | 'th') =>
    `<tr>${cells.map((text) => `<${cell}>${pageText(text)}</${cell}>`).join('')}</tr>`;
  const body = rows.map((cells) => row(cells, 'td')).join('\n');
  return `<div class="wide"><table>\n<thead>${row(head, 'th')}</thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`;
}

type FiguresPage = {
  readonly title: string;
  /** Sentences below the title. */
  readonly lines: readonly string[];
  /** An SVG picture. */
  readonly picture: string | undefined;
  readonly rows: readonly Json[];
  readonly columns: readonly Column[];
  /** Sentences below the figures. */
  readonly remarks: readonly string[];
};

/** A picture with its figures below it; columns without a figure are left out. */
export function figuresPage({ title, lines, picture, rows, columns, remarks }: FiguresPage): string {
  const cells = rows.map((row) => columns.map(({ key }) => rowCell(readCell(row, key)).text));
  const isShown = (_: unknown, at: number) => cells.length === 0 || cells.some((row) => row[at] !== '');
  const head = columns.map(({ key, title: name }) => name ?? key).filter(isShown);
  const paragraphs = (texts: readonly string[]) =>
    texts.map((text) => `<p class="small">${pageText(text)}</p>`);
  return htmlPage({
    title,
    style: FIGURES_STYLE,
    content: [
      '<main>',
      `<h1>${pageText(title)}</h1>`,
      ...paragraphs(lines),
      ...(picture === undefined ? [] : [`<figure class="wide">${picture}</figure>`]),
      htmlTable(
        head,
        cells.map((row) => row.filter(isShown)),
      ),
      ...paragraphs(remarks),
      '</main>',
    ],
  });
}

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --page: #fff; --line: #d0d7de; --soft: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --page: #0d1117; --line: #30363d; --soft: #161b22; }
}
body { margin: 0 auto; padding: 2rem 1.25rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.75rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 1.5rem 0 1rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
li { margin: 0.25rem 0; overflow-wrap: anywhere; }
.small { font-size: 0.875rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; }
th { background: var(--soft); }
code { font-family: ui-monospace, monospace; font-size: 0.8125rem; overflow-wrap: anywhere; }
@media print {
  :root { color-scheme: light; --text: #000; --page: #fff; --line: #999; --soft: #fff; }
  body { max-width: none; padding: 0; font-size: 11pt; }
  tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
`;

/** As wide as a picture, and up to the whole window for a wide one. Most of the margin of a picture stands left of the text. */
const FIGURES_STYLE = `
body { box-sizing: border-box; width: fit-content; min-width: min(100%, 57.5rem); max-width: 100%; }
main > p { margin: 0.25rem 0; }
figure { margin: 1rem 0; }
figure svg { margin-left: -1.25rem; }
figure svg[width="900"] { min-width: 40rem; max-width: calc(100% + 1.25rem); height: auto; }
table { font-size: 0.875rem; font-variant-numeric: tabular-nums; margin-top: 1rem; }
td { overflow-wrap: break-word; }
@media print {
  body { width: auto; }
  figure svg, figure svg[width="900"] { margin-left: 0; min-width: 0; max-width: 100%; height: auto; }
}
`;
