import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { allDeleted, numbered } from '../support/bulk-deletions.ts';
import { person } from '../support/service.ts';
import type { StubAnswer } from '../support/stub-server.ts';
import { startService, startServiceWithPeople, temporaryDirectory } from './built-program.ts';
import { hasTerminal, onTerminal } from './pseudo-terminal.ts';

const patience = { timeout: 60_000 };
const CTRL_C = '\u0003';
const insight = {
  id: 9,
  short_id: 'zeNY2NOU',
  name: 'Visitors',
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [] } },
};

/** A service that gives these answers and then leaves a request open, and a promise that this one has come. */
async function fallingSilent(answers: readonly StubAnswer[]) {
  let arrive = () => {};
  const silent = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const service = await startService([...answers, { never: true, times: 99, work: () => arrive() }]);
  return { ...service, silent };
}

/** The lines on a terminal, as it shows them. */
function linesOf(stdout: Buffer): readonly string[] {
  return stripVTControlCharacters(String(stdout))
    .split(/\r*\n/)
    .filter((line) => line !== '');
}

describe.skipIf(!hasTerminal)('Ctrl-C on a terminal', patience, () => {
  it.each([
    ['a read in flight', 'persons get 1', []],
    ['a write in flight', 'persons update 1 --set a=b --project 1 --yes', []],
    ['the lookup before a write', 'persons update --distinct-id a --set a=b --yes', []],
    [
      'the second page',
      'persons list --all -o ndjson',
      [{ json: { next: '?offset=1', results: [person(1)] } }],
    ],
    [
      'the wait for a chart',
      'insights get 9 --refresh async --wait --chart',
      [{ json: { ...insight, query_status: { id: 'q', complete: false } } }],
    ],
  ] as const)('during %s ends with 130 and one error on a line of its own', async (_, line, answers) => {
    const service = await fallingSilent(answers);
    const terminal = onTerminal(`hogctl ${line}`, service.environment);
    await service.silent;
    terminal.type(CTRL_C);
    const { code, stdout } = await terminal.ended;
    expect(code).toBe(130);
    const shown = linesOf(stdout);
    const error = /^error: .*interrupted/;
    // The terminal itself shows ^C.
    expect(shown.filter((text) => error.test(text.replace(/^\^C/, '')))).toHaveLength(1);
    expect(service.log).toHaveLength(answers.length + 1);
    const rows = shown.filter((text) => text.startsWith('{"id"'));
    expect(rows.map((text) => JSON.parse(text).id)).toEqual(line.includes('ndjson') ? [1] : []);
  });

  it('during the wait after a 429 ends with 130', async () => {
    const busy = { status: 429, headers: { 'retry-after': '30' }, times: 9 };
    const { environment, log } = await startService([busy]);
    const terminal = onTerminal('hogctl persons get 1', environment);
    await terminal.says('trying again in');
    terminal.type(CTRL_C);
    expect((await terminal.ended).code).toBe(130);
    expect(log).toHaveLength(1);
  });

  it('between two batches ends with 130, says what is done, and sends no further one', async () => {
    let arrive = () => {};
    const first = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const service = await startServiceWithPeople([
      (received) => {
        arrive();
        return allDeleted(received);
      },
    ]);
    const environment = { ...service.environment, HOGCTL_STATE_DIR: temporaryDirectory() };
    // Two calls an hour: the second one is waited for when the first is answered.
    const line = `hogctl persons bulk-delete --distinct-ids ${numbered(3)} --batch-size 1 --rate 2 --yes`;
    const terminal = onTerminal(line, environment);
    await first;
    terminal.type(CTRL_C);
    const { code, stdout } = await terminal.ended;
    expect(code).toBe(130);
    expect(linesOf(stdout).join('\n')).toMatch(
      /1 of 3 calls done, 0 in flight without an answer, 2 not sent/,
    );
    expect(service.log).toHaveLength(1);
  });

  it('at the question for a key ends with 130, and stores nothing', async () => {
    const { environment, origin, log } = await startService([]);
    const { HOGCTL_HOST, HOGCTL_PROJECT, HOGCTL_API_KEY, ...bare } = environment;
    const terminal = onTerminal(`hogctl auth login --host ${origin} --project 1 --name shop`, bare);
    await terminal.says('(not shown): ');
    terminal.type(`phx_HALF${CTRL_C}`);
    const { code, stdout } = await terminal.ended;
    expect(code).toBe(130);
    expect(String(stdout)).not.toContain('HALF');
    expect(log).toEqual([]);
  });

  it('while a pager shows a list ends the pager alone; the list is no failure', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => person(index));
    const { environment } = await startService([{ json: { next: null, results: rows } }]);
    const line = `bash -c 'hogctl persons list --limit 200 -o ndjson | (read -r row; echo "first: $row"); echo "codes: \${PIPESTATUS[*]}"'`;
    const { stdout } = await onTerminal(line, environment).ended;
    expect(linesOf(stdout)).toEqual([expect.stringMatching(/^first: \{/), 'codes: 0 0']);
  });
});

describe.skipIf(!hasTerminal)('a question', patience, () => {
  it.each(['< /dev/null', '< <(echo y)', '2> /dev/null', '2> >(cat > /dev/null)'])(
    'is asked only where it is seen and answered: %s',
    async (redirection) => {
      const { environment, log } = await startService([{ status: 204 }]);
      const line = `bash -c 'hogctl persons delete 42 ${redirection}; echo "code $?"'`;
      const { stdout } = await onTerminal(line, environment).ended;
      expect(linesOf(stdout).at(-1)).toBe('code 2');
      expect(log).toEqual([]);
    },
  );
});

const NAMES = [
  '山田太郎は東京に住んでいます',
  'محمد بن عبد الله',
  'עברית מימין לשמאל',
  '👩‍👩‍👧‍👦 family',
  'ｆｕｌｌ　ｗｉｄｔｈ',
];

describe.skipIf(!hasTerminal)('a terminal', patience, () => {
  const rows = NAMES.map((name, index) => ({
    ...person(index + 1),
    name,
    distinct_ids: [`${name} `.repeat(6)],
    properties: { email: `${name}@example.org` },
  }));

  it.each([40, 80, 120, 200])('of %i columns gets no line that is wider, in any script', async (columns) => {
    const { environment } = await startService([{ json: { next: null, results: rows } }]);
    const { ended } = onTerminal('hogctl persons list --color never', environment, { columns });
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    const lines = String(stdout).trimEnd().split('\r\n');
    expect(lines.length).toBeGreaterThanOrEqual(6);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it.each(['persons list', 'persons get 1', 'insights get 9 --chart', 'persons list --help'])(
    'that is dumb gets neither colours nor moves of a cursor: %s',
    async (words) => {
      const result = [{ label: 'a', data: [1, 2, 3], days: ['2026-01-01', '2026-01-02', '2026-01-03'] }];
      const { environment } = await startService([
        { on: /insights/, json: { ...insight, result } },
        { on: /persons\/\d/, json: rows[0] },
        { json: { next: null, results: rows } },
      ]);
      const { code, stdout } = await onTerminal(`hogctl ${words}`, environment, { term: 'dumb' }).ended;
      expect(code).toBe(0);
      expect(String(stdout)).not.toContain('\u001b');
      expect(String(stdout).length).toBeGreaterThan(100);
    },
  );

  it('that is dumb can still be asked and answered', async () => {
    const { environment, log } = await startServiceWithPeople([{ status: 204 }]);
    const terminal = onTerminal('hogctl persons delete 42', environment, { term: 'dumb' });
    await terminal.says('Continue? [y/N] ');
    terminal.type('y\r');
    const { code, stdout } = await terminal.ended;
    expect(code).toBe(0);
    expect(String(stdout)).not.toContain('\u001b');
    expect(log.map(({ method }) => method)).toEqual(['DELETE']);
  });
});
