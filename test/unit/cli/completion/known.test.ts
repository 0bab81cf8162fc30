import { describe, expect, it } from 'vitest';
import { addSeen, writeKnown } from '../../../../src/cli/completion/add-seen.ts';
import { isKept, plainName } from '../../../../src/cli/completion/kept-words.ts';
import { fileNameOf, NOTHING, readKnown } from '../../../../src/cli/completion/known.ts';
import { createSight, fieldsOf } from '../../../../src/cli/completion/see-rows.ts';

const place = { host: 'https://eu.posthog.com', project: '1' };
const nothing = {
  insights: new Map<string, string>(),
  gone: new Set<string>(),
  properties: new Set<string>(),
};
const seen = (more: object) => ({ ...nothing, columns: new Set<string>(), ...more });
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
  ])('is not kept where it is %s', (_, key) => {
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

  it('is names alone: no values and no ids', () => {
    const sight = createSight(isNoSecret);
    sight.names([person, { short_id: 'M49megqP', name: 'Orders', query: { secret: 1 } }, null, 'text', [1]]);
    sight.columns(fieldsOf([person]));
    expect(sight.seen).toEqual({
      insights: new Map([['M49megqP', 'Orders']]),
      gone: new Set(),
      properties: new Set(['plan', 'email']),
      columns: new Set(['id', 'distinct_ids', 'properties', 'properties.plan', 'properties.email']),
    });
  });

  it('leaves out what is secret, insights that are deleted, and short ids that are none', () => {
    const sight = createSight((text) => text.includes('phx_key'));
    sight.names([
      { short_id: 'Abc', name: 'about phx_key' },
      { short_id: 'Gone', name: 'x', deleted: true },
      { short_id: '$(x)', name: 'x' },
      { short_id: 'Named', name: '', derived_name: 'Derived' },
      { distinct_ids: [], properties: { phx_key: 1 } },
    ]);
    expect(sight.seen.insights).toEqual(
      new Map([
        ['Abc', ''],
        ['Named', 'Derived'],
      ]),
    );
    expect([...sight.seen.gone, ...sight.seen.properties]).toEqual(['Gone']);
  });
});

describe('what is known', () => {
  const known = addSeen(
    NOTHING,
    seen({ insights: new Map([['A', 'Orders']]), properties: new Set(['plan']), columns: new Set(['id']) }),
    'persons list',
  );

  it('is read as it was written', () => {
    expect({ ...readKnown(writeKnown(known, place), place) }).toEqual({
      insights: [['A', 'Orders']],
      properties: ['plan'],
      columns: { 'persons list': ['id'] },
    });
  });

  it('is the same text when nothing new is seen', () => {
    expect(writeKnown(addSeen(known, seen({ properties: new Set(['plan']) }), 'persons get'), place)).toBe(
      writeKnown(known, place),
    );
  });

  it('takes new names, and loses what is deleted', () => {
    const insights = new Map([
      ['B', 'x'],
      ['A', 'Orders a day'],
    ]);
    expect(addSeen(known, seen({ insights }), 'x').insights).toEqual([
      ['A', 'Orders a day'],
      ['B', 'x'],
    ]);
    expect(addSeen(known, seen({ gone: new Set(['A']) }), 'x').insights).toEqual([]);
  });

  it('keeps 200 insights, 500 keys, and 150 columns of 60 commands', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `name${index}`);
    let full = addSeen(
      NOTHING,
      seen({ insights: new Map(many(300).map((id) => [id, 'x'])), properties: new Set(many(700)) }),
      'x',
    );
    for (const command of many(70)) full = addSeen(full, seen({ columns: new Set(many(200)) }), command);
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
  ])('is nothing where the file holds %s', (_, text) => {
    expect({ ...readKnown(text, place) }).toEqual(NOTHING);
  });

  it('takes no word from a file that it would not have written there', () => {
    const text = JSON.stringify({
      version: 1,
      ...place,
      insights: [['$(touch x)', 'a'], ['Good', 'b'], ['One'], 'text', ['Other', 1]],
      properties: ['a b', 'plan', 7, '$(x)'],
      columns: { 'persons list': ['id', '`x`'], other: 'text' },
    });
    expect({ ...readKnown(text, place) }).toEqual({
      insights: [['Good', 'b']],
      properties: ['plan'],
      columns: { 'persons list': ['id'], other: [] },
    });
  });

  it('has a file of its own for each project and host', () => {
    expect(fileNameOf(place)).toBe('eu.posthog.com-1.json');
    expect(fileNameOf({ host: 'http://[::1]:8000/ph', project: '@current' })).toBe(
      '-1-8000-ph--current.json',
    );
    expect(fileNameOf(undefined)).toBe('no-project.json');
  });
});
