/**
 * With what Unicode's PropList.txt calls Bidi_Control, spelt out: to ask for a property by name costs the first use a
 * thirtieth of a small command.
 */
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** One UTF-16 unit as JSON writes it: `\u001b`. */
export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Text that is safe to show: control characters (C0, DEL, C1, line separators, bidi controls) and lone surrogates
 * become visible escapes such as `\u001b`, `\n`. Anybody can set a person property, so all text of the service that
 * reaches a terminal goes through here, error messages too. With `keepLineBreaks` a line feed stays one, with `keepTabs`
 * a tab.
 */
export function escapeControls(text: string, { keepLineBreaks = false, keepTabs = false } = {}): string {
  return text.replace(controls, (character) => {
    if ((keepLineBreaks && character === '\n') || (keepTabs && character === '\t')) return character;
    return short[character] ?? unicodeEscape(character);
  });
}

/** A text as one word of a POSIX shell: in single quotes nothing but the quote itself means anything. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
