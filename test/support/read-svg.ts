/** A start tag with its attributes, and the words between it and its end. Places are those on the whole sheet. */
export type Tag = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly words: string;
};

/** `texts` are those between tags, decoded; empty ones and rules of style are left out. */
export type Svg = { readonly tags: readonly Tag[]; readonly texts: readonly string[] };

const TOKEN = /<(\/?)([a-zA-Z][\w:-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
/** What XML cannot hold, and what a picture shall not: controls, line separators, turns of direction, half characters. */
const FORBIDDEN =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff\p{Bidi_Control}\p{Surrogate}]/u;

/**
 * Reads a picture as strictly as we write it: one element within the other, quoted attributes, five entities, no comment,
 * no CDATA, no declaration. Throws where the text is anything else.
 */
export function readSvg(text: string): Svg {
  const forbidden = FORBIDDEN.exec(text);
  if (forbidden !== null) throw new Error(`forbidden character ${JSON.stringify(forbidden[0])}`);
  const open: { readonly tag: Tag & { words: string }; readonly corner: Corner }[] = [];
  const tags: Tag[] = [];
  const texts: string[] = [];
  let ended = false;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const [, closing, name = '', attributes = '', empty, words] = TOKEN.exec(text) ?? fail(text, at);
    if (words !== undefined) {
      const plain = decode(words);
      if (plain.trim() !== '' && open.length === 0) fail(text, at);
      const tag = open.at(-1)?.tag;
      if (plain.trim() !== '' && tag?.name !== 'style') texts.push(plain);
      if (tag !== undefined) tag.words += plain;
    } else if (closing === '/') {
      if (open.pop()?.tag.name !== name) fail(text, at);
      ended = open.length === 0;
    } else {
      if (ended) fail(text, at);
      const corner = open.at(-1)?.corner ?? [0, 0];
      const own = readAttributes(attributes);
      const tag = { name, attributes: onSheet(own, corner), words: '' };
      tags.push(tag);
      if (empty !== '/') open.push({ tag, corner: name === 'g' ? cornerOf(own, corner) : corner });
    }
  }
  if (!ended) throw new Error('the picture has no end');
  return { tags, texts };
}

type Corner = readonly [x: number, y: number];

function cornerOf({ transform = '' }: Tag['attributes'], [left, top]: Corner): Corner {
  const [, x, y] = /^translate\((\S+) (\S+)\)$/.exec(transform) ?? [];
  return [left + Number(x), top + Number(y)];
}

function onSheet(attributes: Tag['attributes'], [left, top]: Corner): Tag['attributes'] {
  const moved = Object.entries(attributes).flatMap(([name, value]) => {
    const by = /^x[12]?$/.test(name) ? left : top;
    return /^[xy][12]?$/.test(name) ? [[name, String(Number(value) + by)]] : [];
  });
  return { ...attributes, ...Object.fromEntries(moved) };
}

function readAttributes(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/([\w:-]+)="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, decode(value)] as const,
  );
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length)
    throw new Error(`an attribute twice: ${text}`);
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  return text.replace(/&([^;]*;?)/g, (entity, name: string) => {
    const found = name.endsWith(';') ? ENTITIES[name.slice(0, -1)] : undefined;
    if (found === undefined) throw new Error(`not an entity: ${entity}`);
    return found;
  });
}

function fail(text: string, at: number): never {
  throw new Error(`not well-formed at ${at}: ${text.slice(at, at + 80)}`);
}
