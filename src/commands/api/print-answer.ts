import type { Context } from '../../cli/context.ts';
import type { Json } from '../../json/kinds.ts';
import { toJsonText } from '../../json/write.ts';

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
};

/** Prints an answer: JSON in the format that was asked for, indented if none was; anything else as it came. */
export async function printAnswer(
  answer: Answer,
  { include }: { readonly include: boolean },
  context: Context,
): Promise<void> {
  if (include) await context.passOn(headText(answer));
  if (answer.bytes.length === 0) return;
  const value = await readJson(answer, context);
  if (value === undefined) {
    const text = strangeness(answer);
    if (text !== undefined) context.warn(`warning: ${text}`);
    return context.passOn(answer.bytes);
  }
  const { output, columns } = context.options;
  if (output !== undefined || columns !== undefined) return context.print(value);
  await context.printRaw(`${toJsonText(value, { indent: 2 })}\n`);
}

/** What is to be said of an answer that is no JSON; undefined where it says itself that it is something else. */
function strangeness({ status, headers }: Answer): string | undefined {
  const type = headers['content-type'] ?? '';
  if (/\bjson\b/i.test(type)) return `the answer with ${status} calls itself JSON and is not`;
  if (!/\bhtml\b/i.test(type)) return undefined;
  return `the answer with ${status} is a web page, so it may be a proxy's or a sign-in page and not the service's`;
}

/** Prints all rows of a list as one JSON list, or as rows of the format that was asked for. */
export async function printPages(
  pages: AsyncIterable<{ rows(): readonly Json[] }>,
  context: Context,
): Promise<void> {
  const { output, columns } = context.options;
  if (output !== undefined || columns !== undefined) return context.print(rowsOf(pages));
  let started = false;
  for await (const rows of rowsOf(pages)) {
    const text = rows.map((row) => `  ${toJsonText(row)}`).join(',\n');
    if (text === '') continue;
    await context.printRaw(`${started ? ',' : '['}\n${text}`);
    started = true;
  }
  await context.printRaw(started ? '\n]\n' : '[]\n');
}

async function* rowsOf(pages: AsyncIterable<{ rows(): readonly Json[] }>): AsyncGenerator<readonly Json[]> {
  for await (const page of pages) yield page.rows();
}

function headText({ status, headers }: Answer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  return `HTTP ${status}\n${lines.join('')}\n`;
}

async function readJson({ headers, bytes }: Answer, context: Context): Promise<Json | undefined> {
  if (!/\bjson\b/i.test(headers['content-type'] ?? '')) return undefined;
  try {
    return await context.files.parseJson(
      Buffer.from(bytes)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    );
  } catch {
    // It calls itself JSON and is not: whoever asked sees what came.
    return undefined;
  }
}
