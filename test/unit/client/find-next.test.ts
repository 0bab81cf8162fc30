import { expect, test } from 'vitest';
import { findNext } from '../../../src/client/find-next.ts';

test.each([
  [
    'a link',
    '{"count":3,"next":"https://eu.example.test/?page=2","results":[',
    'https://eu.example.test/?page=2',
  ],
  ['a link with escapes', '{"next":"\\u0061\\"b","results":[', 'a"b'],
  ['no next page', '{"next":null,"results":[', null],
  ['what is no link', '{"next":{"page":2},"results":[', null],
  ['rows before the link', '{"results":[{"next":"b"}],"next":"a"}', null],
  ['a list alone', ' [1,2]', null],
  ['nothing yet', '', undefined],
  ['white space yet', ' \n', undefined],
  ['half a link', '{"next":"https://eu.exam', undefined],
  ['something before the link', '{"count":3,"previous":null', undefined],
])('the first bytes of a page hold %s', (_, text, next) => {
  expect(findNext(Buffer.from(text))).toBe(next);
});
