import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMark } from '../../../src/erasure/record/digest.ts';
import { createMemberOf } from '../../../src/erasure/record/members.ts';

test('an id appears as the HMAC-SHA256 over its kind and its bytes', () => {
  const key = randomBytes(32);
  const tell = createMemberOf(key);
  const expected = (text: string) => createHmac('sha256', key).update(text).digest('hex');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (id) => {
      expect(tell('distinct-ids', id)).toBe(expected(`distinct-ids\0${id}`));
    }),
  );
  expect(tell('distinct-ids', 'ABC')).not.toBe(tell('distinct-ids', 'abc'));
  expect(tell('ids', 'ABC')).toBe(expected('ids\0abc'));
  expect(tell('ids', '17')).toBe(expected('ids\x0017'));
});

test('a mark stands for a set, whatever its order', () => {
  const members = ['a', 'b', 'c'].map((id) => createMemberOf(Buffer.alloc(32, 1))('ids', id));
  const markOf = (some: readonly string[]) => {
    const mark = createMark();
    for (const member of some) mark.add(member);
    return mark.value();
  };
  expect(markOf(members)).toBe(markOf(members.toReversed()));
  expect(markOf(members)).not.toBe(markOf(members.slice(1)));
  expect(markOf(members.slice(0, 1))).toBe(members[0]);
});
