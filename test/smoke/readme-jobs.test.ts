import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanEnvironment, isBuilt, start, temporaryDirectory } from './built-program.ts';

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
const [, jobs = ''] = /\n## Six jobs\n(.*?)\n## /s.exec(readme) ?? [];
const lines = [...jobs.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, code = '']) => code.trim().split('\n'));

/** The line as it is typed in the middle of a script: nobody is there to answer, and a run has the name it got. */
function inScript(line: string): string {
  const asks = line.includes('bulk-delete --from') && !line.includes('--dry-run');
  return (asks ? `${line} --yes` : line).replace('20261128T120000Z', '"$run"');
}

// A sandbox that runs until Ctrl-C is what the others are run against.
const script = lines
  .filter((line) => line !== 'hogctl sandbox start')
  .flatMap((line, at) => [
    `echo "== ${at}" >&2`,
    inScript(line),
    ...(line.includes('bulk-delete --from') ? ['run=$(hogctl runs list -o ndjson | cut -d \\" -f 4)'] : []),
  ]);

describe.skipIf(!isBuilt)('the jobs of the readme', { timeout: 90_000 }, () => {
  it('work as they are written, one after the other, on the sandbox', async () => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'people.csv'), 'distinct_id\nshopper-0007\nshopper-0008\n');
    writeFileSync(join(folder, 'query.json'), '{"query":{"kind":"HogQLQuery","query":"select 1"}}');
    writeFileSync(join(folder, 'job.sh'), script.join('\n'));
    const line = 'cd "$1" && exec hogctl sandbox exec -- bash -eo pipefail job.sh';
    const { code, stderr } = await start(['bash', '-c', line, 'bash', folder], cleanEnvironment()).ended;
    expect(stderr.split('== ').length - 1, stderr.slice(-500)).toBe(lines.length - 1);
    expect(code, stderr.slice(-500)).toBe(0);
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain('## Outcome: done');
    expect(readFileSync(join(folder, 'chart.svg'), 'utf8')).toMatch(/^<svg /);
    expect(lines.length).toBeGreaterThan(20);
  });
});
