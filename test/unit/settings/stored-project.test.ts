import { describe, expect, it } from 'vitest';
import { checkProjectName, prepareProject } from '../../../src/settings/stored-project.ts';

const input = {
  name: 'shop',
  host: 'us',
  id: '1',
  key: ' phx_abcdef\n',
  keySource: 'stdin',
  protected: false,
};

describe('prepareProject', () => {
  it('brings host, id and key into the form they are stored in', () => {
    expect(prepareProject({ ...input, id: ' 1 ' })).toEqual({
      project: { name: 'shop', host: 'https://us.posthog.com', id: '1', key: 'phx_abcdef', protected: false },
      key: 'phx_abcdef',
      warnings: [],
    });
  });

  it('keeps dialect, label and protection', () => {
    const { project } = prepareProject({ ...input, protected: true, dialect: 'live', label: 'laptop' });
    expect(project).toMatchObject({ protected: true, dialect: 'live', label: 'laptop' });
  });

  it('passes on the warning about a host without encryption', () => {
    expect(prepareProject({ ...input, host: 'http://example.com' }).warnings).toHaveLength(1);
  });

  it.each([
    [{ key: ' \n' }, 'the key from stdin is empty'],
    [{ key: 'phc_abc' }, 'is a public project token'],
    [{ id: 'shop' }, 'a project id must be a whole number'],
    [{ id: '@current' }, 'a project id must be a whole number'],
    [{ id: '0' }, 'a project id must be a whole number'],
    [{ id: '-1' }, 'a project id must be a whole number'],
    [{ host: '' }, 'the host is empty'],
    [{ name: '12' }, 'must not be all digits'],
  ])('refuses %j', (change, words) => {
    expect(() => prepareProject({ ...input, ...change })).toThrow(words);
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
