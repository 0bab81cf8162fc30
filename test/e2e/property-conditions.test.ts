import { describe, expect, it } from 'vitest';
import { requestsTo, startService } from '../support/service.ts';

const sent = async (...expressions: readonly string[]) => {
  const service = await startService([{ json: { results: [], next: null } }]);
  const words = ['persons', 'list', ...expressions.flatMap((one) => ['--property', one])];
  const ended = await service.hogctl(words);
  const query = new URL(requestsTo(service)[0]?.slice('GET '.length) ?? '', service.origin).searchParams;
  return { ...ended, log: service.log, filters: JSON.parse(query.get('properties') ?? 'null') };
};

describe('conditions on properties', () => {
  it.each([
    ['plan=pro', 'plan', 'exact', 'pro'],
    ['plan!=pro', 'plan', 'is_not', 'pro'],
    ['age>18', 'age', 'gt', 18],
    ['age>=18', 'age', 'gte', 18],
    ['age<18', 'age', 'lt', 18],
    ['age<=18', 'age', 'lte', 18],
    ['name~ana', 'name', 'icontains', 'ana'],
    ['age:gt=10', 'age', 'gt', 10],
    ['name:icontains=a=b', 'name', 'icontains', 'a=b'],
    ['a>b:exact=1', 'a>b', 'exact', 1],
    ['email:is_set', 'email', 'is_set', 'is_set'],
    ['zip=02134', 'zip', 'exact', '02134'],
    ['vip=true', 'vip', 'exact', true],
    ['note="30"', 'note', 'exact', '30'],
    ['utm:source:exact=ad', 'utm:source', 'exact', 'ad'],
    ['url=http://a/b:c=d', 'url', 'exact', 'http://a/b:c=d'],
    ['plan:in=pro,team', 'plan', 'in', ['pro', 'team']],
    ['age:between=18,30', 'age', 'between', [18, 30]],
    ['age:min=18', 'age', 'min', 18],
    ['my:contains:exact=ad', 'my:contains', 'exact', 'ad'],
  ])('reads %s', async (expression, key, operator, value) => {
    const { code, filters } = await sent(expression);
    expect({ code, filters }).toEqual({ code: 0, filters: [{ key, operator, value, type: 'person' }] });
  });

  it.each([
    ['plan', 'is not a condition', 'needs the quotes'],
    ['=pro', 'is not a condition', 'needs the quotes'],
    ['plan=', 'has an empty value', 'plan:is_not_set'],
    ['plan=null', 'compares with null', 'plan:is_not_set'],
    ['plan:is_not=null', 'compares with null', 'plan:is_not_set'],
    ['plan:gt', 'has no value', 'plan:gt=value'],
    ['plan:is_set=1', 'takes none', ''],
    ['name:contains=ana', 'unknown operator "contains"', 'write name:contains:exact=ana'],
    [
      'name:contains=ana',
      'unknown operator',
      'if icontains is meant, write name:icontains=ana; for the property',
    ],
    ['age:gtt=1', 'unknown operator', 'if gt is meant, write age:gt=1; '],
    ['age:is_sett=1', 'unknown operator', 'if is_set is meant, write age:is_set; '],
    ['plan:foo=3', 'unknown operator "foo": the operators are exact, is_not, ', 'write plan:foo:exact=3'],
    ['plan:foo', 'unknown operator "foo"', 'write plan:foo:is_set'],
    ['age:between=18', 'between takes two numbers', ''],
    ['plan:in=pro,', 'has an empty value', ''],
    ['age:gtee=1', 'unknown operator "gtee"', 'write age:gtee:exact=1'],
  ])('refuses %s', async (expression, message, hint) => {
    const { code, stderr, log } = await sent(expression);
    expect({ code, log }).toEqual({ code: 2, log: [] });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain('--json');
  });
});
