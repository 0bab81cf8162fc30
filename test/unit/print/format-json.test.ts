import fc from 'fast-check';
import { isLosslessNumber, parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { formatRows } from '../../../src/cli/printing.ts';
import type { Json } from '../../../src/json/kinds.ts';
import { parseText } from '../../../src/json/text.ts';
import { namedFormats } from '../../../src/print/formats.ts';
import { showRecord, showRows } from './show.ts';

function exactly(text: string): Json {
  // lossless-json answers unknown; the texts here are JSON.
  return parse(text) as Json;
}

describe('json and ndjson', () => {
  it('writes one array over all pages', async () => {
    const pages = [[{ id: 1 }, { id: 2 }], [], [{ id: 3 }]];
    const { text: lines } = await showRows(pages, { format: 'json' });
    expect(lines).toBe('[\n{"id":1},\n{"id":2},\n{"id":3}\n]\n');
    const { text } = await showRows(pages, { format: 'json', width: 80 });
    expect(text).toBe('[\n  {\n    "id": 1\n  },\n  {\n    "id": 2\n  },\n  {\n    "id": 3\n  }\n]\n');
  });

  it('writes an empty list as an empty array, and as no line', async () => {
    expect(await showRows([[]], { format: 'json' })).toEqual({ text: '[]\n', notes: [], warnings: [] });
    expect((await showRows([], { format: 'ndjson' })).text).toBe('');
  });

  it('leaves the array open when a page cannot be had, so that half a list never passes for a whole one', async () => {
    async function* pages(): AsyncGenerator<readonly Json[]> {
      yield [{ id: 1 }];
      throw new Error('gone');
    }
    let text = '';
    const look = {
      format: 'json',
      headers: true,
      color: false,
      unicode: true,
      spreadsheetSafe: false,
    } as const;
    const reading = async () => {
      for await (const chunk of formatRows(pages(), look, () => undefined)) text += chunk;
    };
    await expect(reading()).rejects.toThrow('gone');
    expect(() => JSON.parse(text)).toThrow();
    expect(text).toContain('"id":1');
  });

  it('asks for no further page when nobody reads on', async () => {
    let asked = 0;
    async function* pages(): AsyncGenerator<readonly Json[]> {
      for (;;) {
        asked += 1;
        yield [{ id: asked }];
      }
    }
    const look = {
      format: 'ndjson',
      headers: true,
      color: false,
      unicode: true,
      spreadsheetSafe: false,
    } as const;
    for await (const chunk of formatRows(pages(), look, () => undefined)) {
      expect(chunk).toBe('{"id":1}\n');
      break;
    }
    expect(asked).toBe(1);
  });

  it('hands out text in pieces, however long a page is', async () => {
    async function* pages(): AsyncGenerator<readonly Json[]> {
      yield Array.from({ length: 5000 }, (_, id) => ({ id, name: 'x'.repeat(100) }));
    }
    for (const format of namedFormats) {
      const look = { format, headers: true, color: false, unicode: true, spreadsheetSafe: false };
      for await (const chunk of formatRows(pages(), look, () => undefined))
        expect(chunk.length, `${format} goes through inChunks of src/system/text.ts`).toBeLessThan(64 * 1024);
    }
  });

  it('picks the columns that were asked for and tells absent from null', async () => {
    const rows = [
      { id: 1, properties: { plan: null } },
      { id: 2, properties: {} },
    ];
    const { text, warnings } = await showRows([rows], {
      format: 'ndjson',
      columns: ['properties.plan', 'id', 'x'],
    });
    expect(text).toBe('{"properties.plan":null,"id":1}\n{"id":2}\n');
    expect(warnings).toEqual(['no row has the column "x"']);
  });

  it('keeps control characters as escapes that re-parse to the same', async () => {
    const value = '\u001b[2J\u001b]0;t\u0007\u009b\b\r\u007f\u202e\u2066\u2028';
    for (const format of ['json', 'ndjson'] as const) {
      const { text } = await showRows([[{ [value]: value }]], { format });
      expect(text).toMatch(/^[\n\u0020-\u007e]+$/);
      const parsed = parseText(text);
      expect(Array.isArray(parsed) ? parsed[0] : parsed).toEqual({ [value]: value });
    }
  });

  it('round trips any JSON value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue({ stringUnit: 'binary' })), async (values) => {
        // What a parser makes of the text: fast-check's own values may hold -0.
        const rows: Json[] = parseText(JSON.stringify(values)) as Json[];
        expect(parseText((await showRows([rows], { format: 'json' })).text)).toEqual(rows);
        const lines = (await showRows([rows], { format: 'ndjson' })).text.split('\n').slice(0, -1);
        expect(lines.map(parseText)).toEqual(rows);
      }),
      { numRuns: 40 },
    );
  });
});

describe('integers beyond 2^53', () => {
  const source =
    '{"id":9007199254740993,"properties":{"tweet":1524831183200260097,"ratio":1.0,"big":1e400,"10":"x","2":"y"}}';
  const record = exactly(source);

  it('prints the digits of the service in every format', async () => {
    const numbers = ['9007199254740993', '1524831183200260097', '1.0', '1e400'];
    for (const format of namedFormats) {
      const { text } = await showRecord(record, { format });
      for (const number of numbers)
        expect(text).toMatch(new RegExp(`(?<![\\d.])${number.replace('.', '\\.')}(?![\\d.])`));
    }
  });

  it('prints them as columns of a list too', async () => {
    const columns = ['id', 'properties.tweet', 'properties.ratio', 'properties.big'];
    const { text } = await showRows([[record]], { format: 'csv', columns, headers: false });
    expect(text).toBe('9007199254740993,1524831183200260097,1.0,1e400\n');
  });

  it('takes an object that only looks like a number for an object', async () => {
    const row = { lookalike: { isLosslessNumber: true, value: '12' } };
    expect(isLosslessNumber(row.lookalike)).toBe(false);
    expect((await showRows([[row]], { format: 'ndjson' })).text).toBe(
      '{"lookalike":{"isLosslessNumber":true,"value":"12"}}\n',
    );
    expect((await showRecord(row, { format: 'table' })).text).toContain('lookalike.value             12');
  });
});
