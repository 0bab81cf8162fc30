import { describe, expect, it } from 'vitest';
import {
  addShown,
  cacheText,
  collectNames,
  EMPTY,
  fieldsOf,
  isKept,
  parseCache,
  plainName,
} from '../../../src/completion/cache.ts';

const project = { host: 'https://eu.posthog.com', project: '1' };
const nothing = {
  insights: new Map<string, string>(),
  deleted: new Set<string>(),
  properties: new Set<string>(),
};
const shown = (more: object) => ({ ...nothing, columns: new Set<string>(), ...more });
const isNoSecret = () => false;

describe('a key of a property', () => {
  it.each(['plan', '$browser', 'utm_source', '$feature/new-flag', 'größe', 'a.b:c+d-e', '$initial_os'])(
    'is kept: %s',
    (key) => {
      expect(isKept(key)).toBe(true);
    },
  );

  it.each([
    ['an e-mail address', 'ana@example.org'],
    ['a telephone number', '+4915112345678'],
    ['a uuid', '0192f0c1-7a30-7000-8000-000000004711'],
    ['a uuid behind a word', '$survey_responded/0192f0c1-7a30-7000-8000-000000004711'],
    ['a hash', 'user_9e107d9d372bb6826bd81d3542a419d6'],
    ['a number', '12345678'],
    ['more than 80 characters', 'a'.repeat(81)],
    ['a command', '$(touch x)'],
    ['a space', 'first name'],
    ['a line break', 'a\nb'],
    ['a quote', "it's"],
    ['a backtick', 'a`b`'],
    ['an option', '--yes'],
    ['a home', '~root'],
    ['nothing', ''],
  ])('is not kept if it is %s', (_, key) => {
    expect(isKept(key)).toBe(false);
  });
});

describe('the name of an insight', () => {
  it.each([
    ['Orders per day', 'Orders per day'],
    ['one\ntwo\u001b[31m\u202e three', 'one two [31m three'],
    ['x'.repeat(70), `${'x'.repeat(59)}…`],
    ['Journey of ana@example.org', ''],
    ['Calls from 0151 1234567', ''],
  ])('%j is kept as %j', (name, kept) => {
    expect(plainName(name)).toBe(kept);
  });
});

describe('what rows show', () => {
  const person = {
    id: 1,
    distinct_ids: ['ana@example.org'],
    properties: { plan: 'secret-plan', email: 'ana@example.org', 'ana@example.org': true },
  };

  it('is only names: no values and no ids', () => {
    const names = collectNames(isNoSecret);
    names.rows([person, { short_id: 'M49megqP', name: 'Orders', query: { secret: 1 } }, null, 'text', [1]]);
    names.columns(fieldsOf([person]));
    expect(names.shown).toEqual({
      insights: new Map([['M49megqP', 'Orders']]),
      deleted: new Set(),
      properties: new Set(['plan', 'email']),
      columns: new Set(['id', 'distinct_ids', 'properties', 'properties.plan', 'properties.email']),
    });
  });

  it('leaves out what is secret, insights that are deleted, and short ids that are none', () => {
    const names = collectNames((text) => text.includes('phx_key'));
    names.rows([
      { short_id: 'Abc', name: 'about phx_key' },
      { short_id: 'Gone', name: 'x', deleted: true },
      { short_id: '$(x)', name: 'x' },
      { short_id: 'Named', name: '', derived_name: 'Derived' },
      { distinct_ids: [], properties: { phx_key: 1 } },
    ]);
    expect(names.shown.insights).toEqual(
      new Map([
        ['Abc', ''],
        ['Named', 'Derived'],
      ]),
    );
    expect([...names.shown.deleted, ...names.shown.properties]).toEqual(['Gone']);
  });
});

describe('the completion cache', () => {
  const cache = addShown(
    EMPTY,
    shown({ insights: new Map([['A', 'Orders']]), properties: new Set(['plan']), columns: new Set(['id']) }),
    'persons list',
  );

  it('is read as it was written', () => {
    expect(parseCache(cacheText(cache, project), project)).toEqual({
      insights: [['A', 'Orders']],
      properties: ['plan'],
      columns: { 'persons list': ['id'] },
    });
  });

  it('is the same text when nothing new is seen', () => {
    expect(cacheText(addShown(cache, shown({ properties: new Set(['plan']) }), 'persons get'), project)).toBe(
      cacheText(cache, project),
    );
  });

  it('takes new names, and loses what is deleted', () => {
    const insights = new Map([
      ['B', 'x'],
      ['A', 'Orders a day'],
    ]);
    expect(addShown(cache, shown({ insights }), 'x').insights).toEqual([
      ['A', 'Orders a day'],
      ['B', 'x'],
    ]);
    expect(addShown(cache, shown({ deleted: new Set(['A']) }), 'x').insights).toEqual([]);
  });

  it('keeps 200 insights, 500 keys, and 150 columns of 60 commands', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `name${index}`);
    let full = addShown(
      EMPTY,
      shown({ insights: new Map(many(300).map((id) => [id, 'x'])), properties: new Set(many(700)) }),
      'x',
    );
    for (const command of many(70)) full = addShown(full, shown({ columns: new Set(many(200)) }), command);
    expect([full.insights.length, full.properties.length]).toEqual([200, 500]);
    expect(Object.values(full.columns).map((names) => names.length)).toEqual(Array(60).fill(150));
    expect(full.properties.at(-1)).toBe('name699');
  });

  it.each([
    ['nothing', ''],
    ['half a file', '{"version":1,"host":"https://eu'],
    ['another version', '{"version":2,"host":"https://eu.posthog.com","project":"1","properties":["plan"]}'],
    ['another project', '{"version":1,"host":"https://eu.posthog.com","project":"2","properties":["plan"]}'],
    ['another host', '{"version":1,"host":"https://us.posthog.com","project":"1","properties":["plan"]}'],
    ['a list', '[]'],
    ['null', 'null'],
  ])('is empty if the file holds %s', (_, text) => {
    expect(parseCache(text, project)).toEqual(EMPTY);
  });

  it('takes from a file only what has the shape of a name', () => {
    const text = JSON.stringify({
      version: 1,
      ...project,
      insights: [['Good', 'b'], ['One'], 'text', ['Other', 1]],
      properties: ['plan', 7],
      columns: { 'persons list': ['id', null], other: 'text' },
    });
    expect(parseCache(text, project)).toEqual({
      insights: [['Good', 'b']],
      properties: ['plan'],
      columns: { 'persons list': ['id'], other: [] },
    });
  });
});
