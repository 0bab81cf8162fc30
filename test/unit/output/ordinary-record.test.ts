import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ordinaryRecord } from '../../../src/output/ordinary-record.ts';

const cell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom(
    null,
    '',
    ' x',
    'x ',
    '\uFEFFx',
    'x\uFEFF',
    '\u00a0',
    '"',
    ',',
    'a\nb',
    'a\rb',
    '{"a":"b"}',
    "'x",
    '=1',
  ),
);
const options = { record_delimiter: '\n', eof: true, quoted_match: [/^$/, /^\s|\s$/, /^\uFEFF/, /\r/] };

it('writes a record as csv-stringify does, or leaves it to csv-stringify', () => {
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), (cells) => {
      const line = ordinaryRecord(cells);
      if (line !== undefined) expect(line).toBe(stringify([cells], options));
    }),
    { numRuns: 2000 },
  );
});

it('leaves no ordinary record to it', () => {
  const lines = [
    ['a', null],
    ['{"a":"b, c"}', 'x\ny', '-1'],
    ['é 😀', 'false'],
  ].map(ordinaryRecord);
  expect(lines).toEqual(['a,\n', '"{""a"":""b, c""}","x\ny",-1\n', 'é 😀,false\n']);
});

it('leaves to it what a reader could drop or mistake', () => {
  expect([['a'], ['a', ''], ['a', ' b'], ['a', 'b\t'], ['\uFEFFa', 'b']].map(ordinaryRecord)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});
