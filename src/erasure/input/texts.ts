import { isTrue } from './unseen.ts';
import { type Archive, readWhole } from './zip-parts.ts';

/** A text, and whether a part of it is struck out. */
export type Text = { readonly text: string; readonly isStruck: boolean };

/** The texts that cells point at, and those of them that are struck out by their position. */
export type Strings = { readonly texts: readonly string[]; readonly struck: ReadonlySet<number> };

/** What tells how texts are spoken is left out. */
export async function readStrings(archive: Archive, path: string | undefined): Promise<Strings> {
  const texts: string[] = [];
  const struck = new Set<number>();
  const text = textReader();
  await readWhole(archive, path, {
    open: text.open,
    text: text.add,
    close: (name) => {
      text.close(name);
      if (name !== 'si') return;
      const taken = text.take();
      if (taken.isStruck) struck.add(texts.length);
      texts.push(taken.text);
    },
  });
  return { texts, struck };
}

/** Gathers the `t` elements of a rich text, without its phonetic runs. */
export function textReader() {
  let gathered = '';
  let isText = false;
  let isPhonetic = false;
  let isStruckRun = false;
  let isStruck = false;
  return {
    open: (name: string, attributes: Readonly<Record<string, string>>) => {
      if (name === 'rPh') isPhonetic = true;
      if (name === 'r') isStruckRun = false;
      if (name === 'strike') isStruckRun = isTrue(attributes.val ?? '1');
      isText = name === 't' && !isPhonetic;
    },
    add: (piece: string) => {
      if (!isText) return;
      gathered += piece;
      if (isStruckRun && piece.trim() !== '') isStruck = true;
    },
    close: (name: string) => {
      if (name === 'rPh') isPhonetic = false;
      if (name === 'r') isStruckRun = false;
      isText = false;
    },
    take: (): Text => {
      const taken = { text: unescapeText(gathered), isStruck };
      gathered = '';
      isStruck = false;
      return taken;
    },
  };
}

/** A workbook writes characters that XML cannot hold as `_x000D_`. */
export function unescapeText(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
