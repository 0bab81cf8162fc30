import { escapeControls } from '../system/text.ts';

/**
 * Makes what is exact elsewhere safe to show: CSV, TSV and answers that are passed on as they came hold whatever
 * somebody put into a property. Chunks may be cut anywhere.
 */
export function createTerminalText({
  keepTabs,
}: {
  readonly keepTabs: boolean;
}): (chunk: string | Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (chunk) => {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    return escapeControls(text, { keepLineBreaks: true, keepTabs });
  };
}
