import { describe, expect, it } from 'vitest';
import { checkPlace, checkProjectName } from '../../../src/settings/stored-project.ts';

const input = { name: 'shop', host: 'us', id: '1' };

describe('checkPlace', () => {
  it('brings host and id into the form they are stored in', () => {
    expect(checkPlace({ ...input, id: ' 1 ' })).toEqual({
      name: 'shop',
      host: 'https://us.posthog.com',
      id: '1',
    });
  });

  it.each([
    [{ id: 'shop' }, 'a project id must be a whole number'],
    [{ id: '@current' }, 'a project id must be a whole number'],
    [{ id: '0' }, 'a project id must be a whole number'],
    [{ id: '-1' }, 'a project id must be a whole number'],
    [{ host: '' }, 'the host is empty'],
    [{ name: '12' }, 'must not be all digits'],
  ])('refuses %j', (change, words) => {
    expect(() => checkPlace({ ...input, ...change })).toThrow(words);
  });
});

describe('checkProjectName', () => {
  it.each(['shop', 'shop-eu', 'Shop 2', '2nd', 'läden', '店'])('takes %s', (name) => {
    expect(checkProjectName(name)).toBe(name);
  });

  it('drops white space around it and composes letters', () => {
    expect(checkProjectName(' la\u0308den ')).toBe('l\u00e4den');
  });

  it.each([
    ['', 'must not be empty'],
    [' ', 'must not be empty'],
    ['123', 'must not be all digits'],
    ['\u0661\u0662', 'must not be all digits'],
    ['a\u0007b', 'must not contain control characters'],
    ['a\nb', 'must not contain control characters'],
    ['a\u202eb', 'must not contain control characters'],
    ['a\u200bb', 'must not contain control characters'],
    ['a\ud800b', 'must not contain control characters'],
    ['-shop', 'must not begin with a hyphen'],
    ['@current', 'must not begin with a hyphen or an @'],
    ['x'.repeat(101), 'must not be longer than 100 characters'],
  ])('refuses %j', (name, words) => {
    expect(() => checkProjectName(name)).toThrow(words);
  });
});
