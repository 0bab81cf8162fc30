import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { describe, expect, it } from 'vitest';
import { answer, days, headers, idOf, run, service } from '../support/checked-insights.ts';
import { startService, temporaryDirectory } from '../support/service.ts';

function elementsOf(xml: string): readonly SaxesTagPlain[] {
  const parser = new SaxesParser();
  const tags: SaxesTagPlain[] = [];
  parser.on('opentag', (tag) => tags.push(tag));
  parser.write(xml).close();
  return tags;
}

/** What the schema of Jenkins' xUnit plugin allows, as far as we write it. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  testsuites: ['name', 'time', 'tests', 'failures', 'disabled', 'errors'],
  testsuite: [
    'name',
    'tests',
    'failures',
    'errors',
    'time',
    'disabled',
    'skipped',
    'timestamp',
    'hostname',
    'id',
    'package',
    'file',
    'log',
    'url',
  ],
  testcase: ['name', 'assertions', 'time', 'classname', 'status', 'class', 'group'],
  failure: ['type', 'message'],
  error: ['type', 'message'],
};

describe('JUnit XML', () => {
  const entries = [
    '{insight: 1, name: Signups, expect: [last > 1, last > 1]}',
    '{insight: 2, name: Signups, expect: last > 99}',
    '{insight: 404, name: Gone, expect: last > 1}',
    '{insight: 3, expect: last > 1}',
  ];

  it('has the attributes that its readers allow, and no two cases of one class and name', async () => {
    const stub = await startService([
      ({ url }) => (idOf(url) === 404 ? { status: 404, json: {} } : { json: answer(idOf(url)), headers }),
    ]);
    const { stdout } = await run(stub, entries, { options: '-o junit' });
    const elements = elementsOf(stdout);
    const beyond = elements.flatMap(({ name, attributes }) =>
      Object.keys(attributes).filter((one) => !ALLOWED[name]?.includes(one)),
    );
    expect(beyond).toEqual([]);
    const cases = elements.filter(({ name }) => name === 'testcase');
    const keys = cases.map(({ attributes }) => `${attributes.classname} | ${attributes.name}`);
    expect(keys).toEqual([
      'Signups (insight 2, line 3) | last > 99 for "$pageview"',
      'Gone | last > 1',
      'Signups (insight 1, line 2) | last > 1 for "$pageview"',
      'Signups (insight 1, line 2) | last > 1 for "$pageview" (2)',
      'Insight 3 | last > 1 for "$pageview"',
    ]);
  });
});

describe('the reports of a job in GitHub Actions', () => {
  const values = Array.from({ length: 9000 }, (_, index) => `value ${index} ${'x'.repeat(60)}`);
  const broken = (id: number) => ({
    ...answer(id),
    result: values.map((value, index) => ({
      label: '$pageview',
      breakdown_value: value,
      data: [100, index === 8000 ? 1 : 100],
      days,
    })),
  });

  it('keep to the limits of whoever reads them, with what does not hold first', async () => {
    const summary = join(temporaryDirectory(), 'summary.md');
    const environment = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
    await run(await service(broken), ['{insight: 1, expect: last > 50}'], { environment });
    const text = readFileSync(summary, 'utf8');
    expect(Buffer.byteLength(text)).toBeLessThan(1_048_576);
    expect(text).toMatch(/\| --- \|\n\| Insight 1 \| last > 50 for "\$pageview", "value 8000 /);
    expect(text).toMatch(/\n\nAnd \d+ more\.\n/);
  });

  it('are ten annotations at most, the last of which counts the others', async () => {
    const environment = { GITHUB_ACTIONS: 'true' };
    const { stderr } = await run(await service(broken), ['{insight: 1, expect: last > 500}'], {
      environment,
    });
    const annotations = stderr.split('\n').filter((line) => line.startsWith('::'));
    expect(annotations).toHaveLength(10);
    expect(annotations.at(-1)).toBe('::error ::8991 more do not hold');
  });
});

describe('a file of checks', () => {
  it('may be a list by itself', async () => {
    const { hogctl } = await service();
    const stdin = '- {insight: 1, expect: last > 1}\n- {insight: 2, expect: last > 99}\n';
    const { code, stdout } = await hogctl('insights check --file - -o csv', { stdin });
    expect([code, stdout.split('\n').length]).toEqual([9, 4]);
  });
});
