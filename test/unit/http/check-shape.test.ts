import { describe, expect, it } from 'vitest';
import { checkShape } from '../../../src/http/read-answer.ts';
import { parseJson } from '../../../src/json/text.ts';
import { answerShapes, type Shape } from '../../../src/service/schemas.ts';

const shape = {
  fields: {
    id: 'id',
    name: 'text',
    tags: 'texts',
    rows: { listOf: { fields: {} } },
    by: { recordOf: 'text' },
  },
  needs: ['id'],
} as const satisfies Shape;

describe('the shape of an answer', () => {
  it.each([
    '{"id":1}',
    '{"id":12345678901234567890}',
    '{"id":"a","name":null,"tags":[],"rows":[{}],"by":{"a":"b"},"more":[1]}',
  ])('takes what fits, as it is: %s', async (text) => {
    const value = await parseJson(text);
    expect(checkShape(value, shape)).toBe(value);
  });

  it.each([
    ['null', 'the answer'],
    ['[]', 'the answer'],
    ['12345678901234567890', 'the answer'],
    ['{}', '"id"'],
    ['{"id":null}', '"id"'],
    ['{"id":{}}', '"id"'],
    ['{"id":true}', '"id"'],
    ['{"id":1,"name":2}', '"name"'],
    ['{"id":1,"tags":"a"}', '"tags"'],
    ['{"id":1,"tags":["a",1]}', '"tags"'],
    ['{"id":1,"rows":{}}', '"rows"'],
    ['{"id":1,"rows":[{},null]}', 'an item of "rows"'],
    ['{"id":1,"by":[]}', '"by"'],
    ['{"id":1,"by":{"a":1}}', 'an item of "by"'],
  ])('names what does not fit: %s', async (text, place) => {
    const value = await parseJson(text);
    expect(() => checkShape(value, shape)).toThrow(TypeError);
    expect(() => checkShape(value, shape)).toThrow(place);
  });

  it('asks nothing of an answer without an entry', async () => {
    expect(checkShape(null, answerShapes.anything)).toBe(null);
  });

  it('looks at what was sent, not at what every object inherits', async () => {
    const inherited = { fields: { constructor: 'text' } } as const satisfies Shape;
    expect(() => checkShape({}, inherited)).not.toThrow();
  });
});
