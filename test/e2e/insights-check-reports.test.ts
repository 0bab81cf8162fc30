import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answer, days, headers, idOf, run, service } from '../support/checked-insights.ts';
import { startService, temporaryDirectory } from '../support/service.ts';

/** The elements of a document, each with its attributes. */
function elementsOf(xml: string): readonly SaxesTagPlain[] {
  const parser = new SaxesParser();
  const tags: SaxesTagPlain[] = [];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => tags.push(tag));
  parser.write(xml).close();
  return tags;
}

describe('the reports for CI services', () => {
  const hostile = 'a"<b>&\'\u0000\ufffe]]>\n::error::x, 100%';
  const found = (id: number) =>
    id === 1 ? { ...answer(1), name: hostile, result: [{ label: hostile, data: [1, 2], days }] } : answer(id);
  const entries = ['{insight: 1, expect: [last > 1, last > 2]}', '{insight: 2, expect: last > 50}'];

  it('writes JUnit XML that a parser takes, whatever an insight is called', async () => {
    const { code, stdout } = await run(await service(found), entries, { options: '-o junit' });
    expect(code).toBe(9);
    const elements = elementsOf(stdout).map(({ name, attributes }) => [name, attributes]);
    const shown = 'a"<b>&\'\\u0000\ufffd]]>\\n::error::x, 100%';
    const counts = { tests: '3', failures: '1', errors: '0' };
    expect(elements).toEqual([
      ['testsuites', { name: 'hogctl', ...counts }],
      ['testsuite', { name: 'insights check', ...counts }],
      ['testcase', { classname: shown, name: `last > 2 for "${shown}"` }],
      ['failure', { message: 'last is 2 on 2026-03-02 (line 2)' }],
      ['testcase', { classname: shown, name: `last > 1 for "${shown}"` }],
      ['testcase', { classname: 'Insight 2', name: 'last > 50 for "$pageview"' }],
    ]);
  });

  it('keeps the file of --save when a check does not hold, and tells errors apart', async () => {
    const stub = await startService([
      ({ url }) => (idOf(url) === 1 ? { json: answer(1), headers } : { status: 404, json: {} }),
    ]);
    const folder = temporaryDirectory();
    const [file, report] = [join(folder, 'checks.yaml'), join(folder, 'report.xml')];
    writeFileSync(file, 'checks:\n- {insight: 1, expect: last > 99}\n- {insight: 2, expect: last > 1}\n');
    const { code, stdout } = await stub.hogctl(['insights', 'check', '--file', file, '--save', report]);
    expect([code, stdout]).toEqual([9, '']);
    const elements = elementsOf(readFileSync(report, 'utf8'));
    expect(elements.map(({ name }) => name).slice(2)).toEqual(['testcase', 'failure', 'testcase', 'error']);
    expect(elements[1]?.attributes).toMatchObject({ file });
    expect(elements[3]?.attributes.message).toMatch(/ \(line 2\)$/);
  });

  const key = { status: 401, json: { detail: 'Invalid API key.' } };
  it.each([
    ['missing', { status: 404, json: {} }, 3],
    ['closed to the key', { status: 403, json: { code: 'permission_denied' } }, 4],
    ['asked with a key that is unknown', key, 4],
    ['down', { status: 500, json: {} }, 6],
  ])('keeps the report of --save when all insights are %s', async (_, said, exit) => {
    const stub = await startService([() => said]);
    const report = join(temporaryDirectory(), 'report.xml');
    const { code, stderr } = await run(stub, entries, { options: `--retries 0 --save ${report}` });
    expect([code, stderr]).toEqual([
      exit,
      expect.stringContaining('3 of 3 expectations could not be checked'),
    ]);
    const elements = elementsOf(readFileSync(report, 'utf8'));
    expect(elements[0]?.attributes).toMatchObject({ tests: '3', failures: '0', errors: '3' });
    expect(elements.filter(({ name }) => name === 'error')).toHaveLength(3);
  });

  it('keeps the report of one insight that is missing', async () => {
    const stub = await startService([() => ({ status: 404, json: {} })]);
    const report = join(temporaryDirectory(), 'report.xml');
    const { code } = await stub.hogctl(`insights check 1 --expect last>1 --save ${report}`);
    expect(code).toBe(3);
    expect(elementsOf(readFileSync(report, 'utf8')).map(({ name }) => name)).toContain('error');
  });

  it('keeps the rows of --save of one insight when it does not hold', async () => {
    const { hogctl } = await service();
    const file = join(temporaryDirectory(), 'rows.csv');
    const { code } = await hogctl(['insights', 'check', '1', '--expect', 'last > 99', '--save', file]);
    expect(code).toBe(9);
    expect(readFileSync(file, 'utf8')).toContain('last > 99');
  });

  it('writes JUnit XML of one insight, of one without a result too', async () => {
    const { hogctl } = await service((id) => ({ ...answer(id), result: null }));
    const { code, stdout } = await hogctl("insights check 1 --expect 'last > 1' -o junit");
    expect(code).toBe(9);
    expect(elementsOf(stdout).map(({ name }) => name)).toContain('failure');
  });

  const inGitHub = (environment: Readonly<Record<string, string>>) => ({
    environment: { GITHUB_ACTIONS: 'true', ...environment },
  });

  it('annotates in GitHub Actions what does not hold, as one line that says nothing else', async () => {
    const { stderr } = await run(await service(found), entries, inGitHub({}));
    expect(stderr.split('\n').filter((line) => line.startsWith('::'))).toEqual([
      '::error title=a"<b>&\'\\u0000\ufffe]]>\\n%3A%3Aerror%3A%3Ax%2C 100%25::expected last > 2 for "a"<b>&\'\\u0000\ufffe]]>\\n::error::x, 100%25", but last is 2 on 2026-03-02',
    ]);
  });

  it('says nothing of GitHub elsewhere', async () => {
    const summary = join(temporaryDirectory(), 'summary.md');
    const environment = { GITHUB_STEP_SUMMARY: summary };
    const { stderr } = await run(await service(found), entries, { environment });
    expect(stderr).not.toMatch(/^::/m);
    expect(existsSync(summary)).toBe(false);
  });

  it('adds a table to the summary of the step', async () => {
    const summary = join(mkdtempSync(join(tmpdir(), 'hogctl-case-')), 'summary.md');
    onTestFinished(() => rmSync(join(summary, '..'), { recursive: true }));
    writeFileSync(summary, 'before\n');
    chmodSync(summary, 0o644);
    const { stderr } = await run(await service(found), entries, inGitHub({ GITHUB_STEP_SUMMARY: summary }));
    expect(stderr).not.toContain('warning');
    expect(readFileSync(summary, 'utf8')).toMatchInlineSnapshot(`
      "before
      ## Figures

      3 expectations, 1 not as expected.

      | Check | Expected | Found | Holds |
      | --- | --- | --- | --- |
      | a"\\<b>\\&'\\\\u0000￾\\]\\]>\\\\n::error::x, 100% | last > 2 for "a"\\<b>\\&'\\\\u0000￾\\]\\]>\\\\n::error::x, 100%" | last is 2 on 2026-03-02 | **no** |
      | a"\\<b>\\&'\\\\u0000￾\\]\\]>\\\\n::error::x, 100% | last > 1 for "a"\\<b>\\&'\\\\u0000￾\\]\\]>\\\\n::error::x, 100%" | last is 2 on 2026-03-02 | yes |
      | Insight 2 | last > 50 for "$pageview" | last is 70 on 2026-03-02 | yes |

      "
    `);
    expect(statSync(summary).mode & 0o777).toBe(0o644);
  });

  it('warns if the summary cannot be written, and ends as the checks do', async () => {
    const environment = { GITHUB_STEP_SUMMARY: temporaryDirectory() };
    const { code, stderr } = await run(
      await service(),
      ['{insight: 1, expect: last > 1}'],
      inGitHub(environment),
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining('warning: the summary of the job')]);
  });
});
