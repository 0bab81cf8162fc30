/** Numbers from a seed (mulberry32), and what is drawn with them. */
export function createChance(seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count) => Math.floor(random() * count);
  const pick = (list) => list[below(list.length)];
  const often = (share) => random() < share;
  const some = (most, make) => Array.from({ length: below(most + 1) }, (_, at) => make(at));
  return { random, below, pick, often, some };
}

export const ODD_TEXTS = [
  ...[
    '',
    ' ',
    '-',
    '--',
    '-1',
    '0',
    '-0',
    '1e400',
    '9007199254740993',
    '00000000000000000001',
    'null',
    'true',
    '@',
    '@-',
  ],
  ...[
    '@nothing',
    '..',
    '.',
    '%00',
    '%2e%2e',
    'a/b',
    'a?b',
    'a#b',
    "'",
    '"',
    '`',
    '$(exit 1)',
    '{}',
    '[]',
    '{"a":1}',
    '[1',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'a=b',
    '=',
    'a=',
    '=b',
    ':',
    'a:b=c',
    'plan:regex=(a+)+$',
    'a:in=1,2',
    ',',
  ],
  ...[
    'ä',
    'e\u0301',
    '\u202e',
    '\u200b',
    '\ufeff',
    '😀',
    '\x1b[2J',
    '\x07',
    'a\nb',
    'a\r\nb',
    'x'.repeat(300),
    'ß'.repeat(5000),
  ],
  ...[
    '2026-02-30',
    '-7d',
    'all',
    '-1h',
    '5e-324',
    '1:2',
    'NaN',
    'Infinity',
    '0x10',
    '1_000',
    '١٢',
    '½',
    'us',
    'http://[',
    'file:///x',
  ],
  ...[
    'table',
    'json',
    'ndjson',
    'csv',
    'tsv',
    'last',
    '@current',
    'shop',
    '1',
    '42',
    'shopper-0001',
    'a@b.c',
    'x.json',
    'x.svg',
  ],
];

const deep = (levels, open, close) => open.repeat(levels) + close.repeat(levels);
const RAW_VALUES = [
  ...[
    'null',
    'true',
    '0',
    '-0',
    '1e400',
    '-1',
    '12345678901234567890',
    '1.10',
    '1E5',
    '""',
    '"x"',
    '[]',
    '{}',
    '[null]',
    '[[]]',
  ],
  ...[
    '"\\ud800"',
    '"\\u0000"',
    '"\\u001b[31mred"',
    '{"__proto__":{"a":1}}',
    '{"toString":1}',
    '{"id":{}}',
    '"2026-13-45T99:99:99Z"',
  ],
  ...[
    '{"next":"http://127.0.0.1:1/"}',
    '"https://evil.example/api/"',
    '"../../x"',
    '{"isLosslessNumber":true,"value":"7"}',
  ],
];

/** A value as JSON text, some of them too large for any answer. */
function rawValue(chance) {
  const kind = chance.below(12);
  if (kind === 0) return JSON.stringify('y'.repeat(10 ** (1 + chance.below(6))));
  if (kind === 1) return deep(10 ** (1 + chance.below(5)), '[', ']');
  if (kind === 2) return `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`;
  if (kind === 3)
    return `[${Array(10 ** (1 + chance.below(4)))
      .fill(chance.pick(RAW_VALUES))
      .join(',')}]`;
  return chance.pick(RAW_VALUES);
}

/** The text of a JSON value with one or a few of its parts replaced, left out, doubled or renamed. */
export function mutateJson(text, chance) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return mutateBytes(Buffer.from(text), chance);
  }
  const marks = [];
  for (let left = 1 + chance.below(3); left > 0; left -= 1) value = mutateNode(value, chance, marks);
  const mutated = JSON.stringify(value) ?? 'null';
  return marks.reduce(
    (sofar, raw, at) => sofar.replaceAll(`"\u0001${at}\u0001"`.replaceAll('\u0001', '\\u0001'), () => raw),
    mutated,
  );
}

function mutateNode(value, chance, marks) {
  const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isBranch || chance.often(0.15)) {
    marks.push(rawValue(chance));
    return `\u0001${marks.length - 1}\u0001`;
  }
  if (Array.isArray(value)) {
    const at = chance.below(value.length);
    const kind = chance.below(8);
    if (kind === 0) return value.filter((_, index) => index !== at);
    if (kind === 1) return [...value, value[at]];
    if (kind === 2) return Array(chance.pick([0, 50, 2000])).fill(value[at]);
    return value.map((one, index) => (index === at ? mutateNode(one, chance, marks) : one));
  }
  const name = chance.pick(Object.keys(value));
  const kind = chance.below(8);
  const { [name]: part, ...others } = value;
  if (kind === 0) return others;
  if (kind === 1) return { ...others, [chance.pick(ODD_TEXTS)]: part };
  return { ...value, [name]: mutateNode(part, chance, marks) };
}

/** Bits, cuts, zeros, doubled and foreign parts. */
export function mutateBytes(bytes, chance) {
  let changed = Buffer.from(bytes);
  for (let left = 1 + chance.below(3); left > 0; left -= 1) {
    const at = chance.below(changed.length + 1);
    const end = at + chance.below(Math.min(64, changed.length - at) + 1);
    const kind = chance.below(7);
    if (kind === 0 && changed.length > 0) changed[at % changed.length] ^= 1 << chance.below(8);
    if (kind === 1) changed = changed.subarray(0, at);
    if (kind === 2) changed = Buffer.concat([changed, changed]);
    if (kind === 3) changed.fill(0, at, end);
    if (kind === 4) changed = Buffer.concat([changed.subarray(0, at), changed.subarray(end)]);
    if (kind === 5)
      changed = Buffer.concat([
        changed.subarray(0, at),
        Buffer.from(chance.pick(ODD_TEXTS)),
        changed.subarray(at),
      ]);
    if (kind === 6)
      changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at, end), changed.subarray(at)]);
  }
  return changed;
}
