import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../../../src/errors.ts';
import { type ListReading, readList } from '../../../support/read-list.ts';
import { inlineRows, makeWorkbook } from '../../../support/workbook.ts';

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function read(input: string | Uint8Array, reading: ListReading = {}, size = 7) {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  const list = await readList(chunksOf(bytes, size), reading);
  return list;
}

async function refusal(input: string | Uint8Array, reading: ListReading = {}, size = 7): Promise<CliError> {
  const error = await read(input, reading, size).catch((thrown: unknown) => thrown);
  if (!(error instanceof CliError)) throw new Error('no CliError was thrown', { cause: error });
  expect(error.kind).toBe('usage');
  return error;
}

const uuid = '0a1b2c3d-0000-4000-8000-00000000abcd';

describe('ids that look like numbers ()', () => {
  test('stay the text they are', async () => {
    const file = 'distinct_id\n0010\n"0010"\n12345678901234567890\n1e5\n0x1F\n+4512345678\n';
    const { ids, asked, notes } = await read(file);
    expect(ids).toEqual(['0010', '12345678901234567890', '1e5', '0x1F', '+4512345678']);
    expect(asked).toBe(6);
    expect(notes).toEqual(['the first line is a header ("distinct_id") and is not sent']);
  });

  test('are refused as JSON numbers for distinct ids, taken for person ids', async () => {
    expect((await refusal('{"distinct_id": 10}\n')).message).toBe('line 1 holds no id as text');
    expect((await read('{"id": 42}\n', { kind: 'ids' })).ids).toEqual(['42']);
    await refusal('{"id": 12345678901234567890}\n', { kind: 'ids' });
  });
});

describe('files of spreadsheets ()', () => {
  test('CSV with a mark, CRLF, quotes, line breaks in cells and a blank last line', async () => {
    const file = '\ufeffdistinct_id,note\r\nu1,"a, ""b"""\r\nu2,"two\nlines"\r\n\r\n';
    expect((await read(file, { column: 'distinct_id' })).ids).toEqual(['u1', 'u2']);
  });

  test('plain list with a mark, CRLF and blank lines', async () => {
    expect((await read('\ufeffu1\r\nu2\r\n\r\n')).ids).toEqual(['u1', 'u2']);
  });

  test.each([1, 2, 3, 4, 5, 1000])('reads the same in pieces of %i bytes', async (size) => {
    const text = '\ufeffu1\r\nZoë-日本-😀\rlast';
    const big = Buffer.from(text, 'utf16le').swap16();
    for (const bytes of [Buffer.from(text), Buffer.from(text, 'utf16le'), big]) {
      expect((await read(bytes, {}, size)).ids).toEqual(['u1', 'Zoë-日本-😀', 'last']);
    }
  });

  test.each([
    ['a semicolon', 'name;distinct_id\nAna;u1\nBo;u2\n'],
    ['a tab', 'name\tdistinct_id\nAna\tu1\nBo\tu2\n'],
    ['a comma', '"name","Distinct_ID"\nAna,u1\nBo,u2\n,\n'],
  ])('CSV with %s', async (_, file) => {
    expect((await read(file, { column: 'distinct_id' })).ids).toEqual(['u1', 'u2']);
  });

  test('several columns need the name of one, and the error lists them', async () => {
    const error = await refusal('distinct_id,note\nu1,x\n');
    expect(error.message).toBe('the input has 2 columns: "distinct_id", "note"');
    expect(error.hint).toContain('--column');
    expect((await refusal('a,b\n1,2\n', { column: 'c' })).hint).toBe('give one of its columns: "a", "b"');
  });

  test.each([{}, { column: 'email' }])('a first line of somebody is not shown: %j', async (reading) => {
    for (const file of ['R-1,ana@x.org\n', 'Ana,12345\n', `Ana;${'a'.repeat(16)}\n`]) {
      const { message, hint } = await refusal(file, reading);
      expect(`${message} ${hint}`).not.toMatch(/R-1|Ana|a@|12345/);
      expect(hint).toMatch(/name the columns on a first line/);
      const named = `name,email\n${file.replace(';', ',')}`;
      expect((await read(named, { column: 'email' })).ids).toHaveLength(1);
    }
  });

  test('a row of another width and an open quote are named by their line', async () => {
    expect((await refusal('id,note\nu1,x\nu2\n', { column: 'id' })).message).toContain(
      'line 3 holds more or fewer cells',
    );
    expect((await refusal('id,note\nu1,"x\nu2,y\n', { column: 'id' })).message).toContain(
      'a quote is never closed',
    );
  });
});

describe('plain lists', () => {
  test('a line is the id exactly', async () => {
    const lines = ['-Ab12', ' lead', 'a b', 'org/7/user', 'x?y#z', '50%off', '"quoted"', 'o,7', '{x', '😀'];
    const { ids, notes } = await read(lines.join('\n'));
    expect(ids).toEqual(lines);
    expect(notes).toEqual([
      'warning: 2 of the ids in the input look damaged (line 2: white space at its beginning or end; line 7: double quotes, which are removed if a first line such as distinct_id makes the file CSV); used as given',
    ]);
  });

  test('each id once, in the order of the file', async () => {
    const id = fc.stringMatching(/^[a-z0-9@.+-]{1,12}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(id, { minLength: 1 }), fc.integer({ min: 1, max: 40 }), async (ids, size) => {
        const list = await read(['x-first', ...ids].join('\n'), {}, size);
        expect(list.ids).toEqual([...new Set(['x-first', ...ids])]);
        expect(list.asked).toBe(ids.length + 1);
      }),
      { numRuns: 60 },
    );
  });

  test.each(['distinct_id', 'IDS', 'uuid', 'Email'])('the header %s is not an id', async (header) => {
    expect((await read(`${header}\nu1\n`)).ids).toEqual(['u1']);
    expect((await read(`${header}\nu1\n`)).ids).toEqual(['u1']);
  });

  test('empty input is a list of nobody', async () => {
    expect((await read('')).ids).toEqual([]);
    expect((await read('\n \r\n')).ids).toEqual([]);
  });
});

describe('person ids', () => {
  test('are integers and UUIDs, compared in lower case', async () => {
    const { ids, asked } = await read(`42\n${uuid}\n${uuid.toUpperCase()}\n`, { kind: 'ids' });
    expect(ids).toEqual(['42', uuid]);
    expect(asked).toBe(3);
  });

  test('anything else is refused with its lines and the option for what it is', async () => {
    const error = await refusal(`42\nana@example.org\n0010\n${uuid}\n`, { kind: 'ids' });
    expect(error.message).toBe(
      '2 lines of the input cannot be taken as ids:' +
        [2, 3].map((line) => `\n  line ${line}: not a person id, which is an integer or a UUID`).join(''),
    );
    expect(error.hint).toContain('--emails');
  });
});

describe('what cannot be an id', () => {
  test.each([
    ['a control character', 'u1\nu\u00072\n', 'line 2 holds a control character'],
    ['a NUL', 'u1u1\nu\u0000\n', 'line 2 holds a control character'],
    ['an empty cell', 'id,note\n,x\n', 'line 2 holds an empty id'],
    ['a broken character', '{"id":"\\ud83d"}\n', 'line 1 holds a broken character'],
  ])('%s is refused by line', async (_, file, message) => {
    const reading = file.startsWith('id') ? { column: 'id' } : {};
    expect((await refusal(file, reading)).message).toContain(message);
  });

  test.each([
    ['invalid UTF-8', Buffer.from('u1\nMüller\n', 'latin1'), 'line 2 of the input is not valid UTF-8'],
    ['invalid UTF-8 after lone CRs', Buffer.from('u1\ru2\rMüller\r', 'latin1'), 'line 3 of the input'],
    ['invalid UTF-16', Buffer.from('fffe750031000a003dd8', 'hex'), 'not valid UTF-16LE'],
    ['half a unit of UTF-16', Buffer.from('fffe750031000a0031', 'hex'), 'not valid UTF-16LE'],
    ['UTF-16 without a mark', Buffer.from('u1\n', 'utf16le'), 'UTF-16 without a byte order mark'],
    ['UTF-32', Buffer.from('fffe000075000000', 'hex'), 'UTF-32'],
  ])('%s is refused by name', async (_, bytes, message) => {
    expect((await refusal(bytes)).message).toContain(message);
  });

  test('the line of what is invalid is told however the bytes come in pieces', async () => {
    const [utf8, utf16] = ['u1\r\nzoë\r\n\u20acu\nK\u00e4se\nu5\n'.repeat(3), 'u1\nu2\r\nu3\n'];
    const bad = Buffer.concat([Buffer.from(utf8), Buffer.from('Käse\nu6\nu7\n', 'latin1')]);
    const lone = Buffer.concat([
      Buffer.from(`\ufeff${utf16}`, 'utf16le'),
      Buffer.from('00d800000a00', 'hex'),
    ]);
    for (let size = 1; size <= bad.length; size += 1)
      expect((await refusal(bad, {}, size)).message).toBe('line 16 of the input is not valid UTF-8');
    expect((await refusal(lone, {}, lone.length)).message).toBe('line 4 of the input is not valid UTF-16LE');
  });

  test('a wrong encoding is told before any other error', async () => {
    const bytes = Buffer.from('a,b\n1,2\nx,Müller\n', 'latin1');
    expect((await refusal(bytes)).message).toContain('not valid UTF-8');
    expect(
      (await refusal(Buffer.from('no person id\nMüller\n', 'latin1'), { kind: 'ids' })).message,
    ).toContain('UTF-8');
  });
});

describe('a first line that names the separator', () => {
  test.each([
    ['sep=;\nemail;note\nu1;a,b\nu2;\n', 'email'],
    ['\ufeff\r\nsep=,\r\nemail,note\r\nu1,"a;b"\r\nu2,', 'email'],
    ['"sep=|"\nemail|note\nu1|a;b\nu2|\n', 'email'],
    ['SEP=\t\nemail\tnote\nu1\ta\nu2\t\n', 'email'],
    ['sep=;\nemail\nu1\nu2\n', undefined],
    ['sep=;\nu1\nu2\n', undefined],
  ])('is obeyed, and is no id: %j', async (text, column) => {
    const { ids, lines } = await read(text, { column, lines: 'keep' });
    expect(ids).toEqual(['u1', 'u2']);
    expect(lines?.at(-1)?.line).toBe(text.trimEnd().split('\n').length);
  });

  test('is an id if it names none', async () => {
    expect((await read('sep=x\nsep=ab\n')).ids).toEqual(['sep=x', 'sep=ab']);
  });
});

describe('JSON lines', () => {
  test('strings, objects of one field, a named field, and lists of ids', async () => {
    expect((await read('{"id":"u1"}\n"zo\\u00eb"\n')).ids).toEqual(['u1', 'zoë']);
    expect((await read('{"distinct_id":"u1"}\n\n{"distinct_id":"u2"}')).ids).toEqual(['u1', 'u2']);
    for (const end of ['', '\n']) expect((await read(` {"id":"u1"}${end}`)).ids).toEqual(['u1']);
    const rows = '{"uuid":"x","distinct_ids":["u1","u2"]}\n';
    expect((await read(rows, { column: 'distinct_ids' })).ids).toEqual(['u1', 'u2']);
    const nobody = `${rows}{"uuid":"y","distinct_ids":[]}\n`;
    expect((await refusal('{"id":"u1"}\n{"id":null}\n')).message).toBe('line 2 holds an empty id');
    expect((await refusal(nobody, { column: 'distinct_ids' })).message).toBe('line 2 holds an empty id');
  });

  test('several fields need the name of one; broken lines are named without their content', async () => {
    expect((await refusal('{"a":"1","b":"2"}\n')).message).toBe(
      'the objects of the input have 2 fields: "a", "b"',
    );
    expect((await refusal('{"a":"1"}\n{"b":"2"}\n', { column: 'a' })).message).toBe(
      'line 2 has no field "a"',
    );
    const error = await refusal('{"a":"1"}\nsecret\n');
    expect(error.message).toBe('line 2 is not JSON');
    expect((await refusal('{6B29FC40}\n')).hint).toContain('put the line distinct_id before them');
    expect((await refusal('["u1","u2"]\n')).message).toContain('JSON array');
  });
});

describe('a table of one column', () => {
  test('without the column that is asked for is refused', async () => {
    const { message, hint } = await refusal('mail\na@example.org\n', { column: 'email' });
    expect([message, hint]).toEqual([
      'the input is a plain list, so it has no column "email"',
      'leave out --column',
    ]);
  });

  test('without the column that is asked for is refused in a workbook', async () => {
    const book = makeWorkbook({ rows: inlineRows([['mail'], ['a@example.org']]) });
    const { message, hint } = await refusal(book, { column: 'email' });
    expect([message, hint]).toEqual([
      'the input has no column "email"',
      'leave out --column, or remove what stands above the names of the columns',
    ]);
  });

  test('in quotes holds separators', async () => {
    expect(await read('id\n"a, b"\nc\n')).toMatchObject({ ids: ['a, b', 'c'] });
  });
});

describe('a line of JSON', () => {
  test.each([
    '{"distinct_id":"a","distinct_id":"b"}',
    '{"distinct_id":"a","distinct\\u005fid":"b"}',
    '{"note":{"distinct_id":"x"},"distinct_id":"a","note":1}',
  ])('with a field twice is refused with its number: %s', async (line) => {
    const { message } = await refusal(`{"distinct_id":"c"}\n${line}\n`, { column: 'distinct_id' });
    expect(message).toBe('line 2 names a field twice');
  });

  test.each([
    '{"distinct_id":"a","other":{"distinct_id":"b","list":[{"distinct_id":"c"}]}}',
    '{"a\\"":1,":":2,"__proto__":3,"k\\\\":":,{","distinct_id":"a"}',
  ])('may have the same field further down, and any name: %s', async (line) => {
    expect((await read(`${line}\n`, { column: 'distinct_id' })).ids).toEqual(['a']);
  });
});

describe('lines of any length', () => {
  const million = 1 << 20;

  test('an array of JSON is told from its beginning', async () => {
    const array = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => `user-${index}@example.org`));
    for (const end of ['', '\n']) {
      expect((await refusal(array + end, {})).message).toContain('looks like a JSON array');
    }
    async function* endless() {
      yield Buffer.from('["u1",');
      for (;;) yield Buffer.alloc(1 << 16, '"u2",');
    }
    await expect(readList(endless())).rejects.toThrow('looks like a JSON array');
  });

  test.each([
    ['a list', '', (id: string) => id],
    ['a CSV', 'distinct_id,note\n', (id: string) => `${id},x`],
    ['NDJSON', '', (id: string) => JSON.stringify({ id })],
  ])('%s may have ids of almost 1 MiB, and no longer ones', async (_, head, row) => {
    const reading = head === '' ? {} : { column: 'distinct_id' };
    const long = 'x'.repeat(million - 50);
    const { ids } = await read(`${head}${row('u1')}\n${row(long)}\n${row('u3')}`, reading, 1000);
    expect(ids.map(({ length }) => length)).toEqual([2, long.length, 2]);
    const line = head === '' ? 'line 2' : 'line 3';
    for (const end of ['', '\n', '\r\nu3']) {
      const { message } = await refusal(`${head}${row('u1')}\n${row(`${long}${long}`)}${end}`, reading, 1000);
      expect(message).toContain('has more than 1 MiB');
      expect(message).toContain(line);
    }
  });

  test.each(['\n', '\r\n', '\r'])(
    'a line that is too long is found in one piece of text, between %j',
    async (end) => {
      const [short, long] = ['u'.repeat(700_000), 'x'.repeat((1 << 20) + 1)];
      const whole = 1 << 23;
      const how = { odd: 'send' } as const;
      const { ids } = await read([short, `${short}2`, 'u3'].join(end), how, whole);
      expect(ids.map(({ length }) => length)).toEqual([700_000, 700_001, 2]);
      for (const lines of [
        ['u1', long],
        ['u1', long, 'u3'],
        ['u1', long, short, 'u3'],
      ]) {
        const { message } = await refusal(lines.join(end), how, whole);
        expect(message).toBe('line 2 has more than 1 MiB');
      }
    },
  );

  test('a file of blank lines without end is refused', async () => {
    async function* endless() {
      for (;;) yield Buffer.alloc(1 << 16, '\n');
    }
    await expect(readList(endless())).rejects.toThrow('1 MiB of blank lines');
  });

  test('a signal ends the reading of what never ends, also while nothing comes', async () => {
    const asked = new AbortController();
    async function* silent() {
      yield Buffer.from('u1\n');
      queueMicrotask(() => asked.abort('SIGTERM'));
      await new Promise(() => undefined);
    }
    const reading = readList(silent(), { signal: asked.signal });
    await expect(reading).rejects.toMatchObject({ kind: 'interrupted' });
  });
});
