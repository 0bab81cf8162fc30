const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}\p{Surrogate}]/gu;

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
