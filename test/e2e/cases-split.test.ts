import { describe, expect, it } from 'vitest';
import { golden } from '../support/golden.ts';
import { person, startService, startWithoutSql } from '../support/service.ts';

const dialects = { 'persons-split': 'specification', 'persons-split-live': 'live' } as const;

const data = {
  persons: [
    {
      distinct_ids: ['user_42', 'anonymous_1', 'anonymous_2'],
      properties: { email: 'ana@example.org', plan: 'pro' },
    },
  ],
  events: ['user_42', 'anonymous_1', 'user_42'].map((distinct_id, day) => ({
    event: 'product_viewed',
    distinct_id,
    timestamp: `2026-06-1${day}T08:00:00Z`,
  })),
};

describe.each(Object.entries(dialects))('%s on the sandbox in the %s dialect', (folder, dialect) => {
  const { shows } = golden(folder, { dialect, data });
  const split = 'persons split --email ana@example.org';
  shows('shows which distinct ids leave', `${split} --main user_42 --dry-run`);
  shows('shows which distinct ids stay', `${split} --only anonymous_1 --dry-run`);
  shows('shows the plan as json', `${split} --only anonymous_1 --dry-run -o json`);
  shows('shows the plan as csv', `${split} --main user_42 --dry-run -o csv`);
  shows('warns of a split that names no distinct id', `${split} --dry-run`);
  shows('shows the plan in the question', `${split} --main user_42`, {
    answers: ['n'],
    terminal: { columns: 100 },
  });
  shows('says that a narrow question leaves columns out', `${split} --main user_42`, {
    answers: ['n'],
    terminal: { columns: 44 },
  });
  shows('refuses a distinct id of somebody else', `${split} --main stranger --yes`);
  shows(
    'refuses several distinct ids of somebody else',
    `${split} --only anonymous_1 --only a --only b --yes`,
  );
  shows('refuses to leave nothing', `${split} --only user_42 --only anonymous_1 --only anonymous_2 --yes`);
  shows('refuses main and only at once', `${split} --main user_42 --only anonymous_1 --yes`);
  shows('cannot be asked without a terminal', `${split} --main user_42`);
  shows('splits after a yes', `${split} --only anonymous_1`, { answers: ['y'] });
  shows('shows who has left', 'persons list --columns distinct_ids,properties.plan');
});

const somebody = (ids: readonly string[]) => ({ json: { ...person(42), distinct_ids: ids } });

describe('a split without SQL', () => {
  it('is shown without events, and a note says so', async () => {
    const service = await startWithoutSql([somebody(['a', 'b'])]);
    const { code, stdout, stderr } = await service.hogctl('persons split 42 --main a --dry-run -o csv');
    expect([code, stdout]).toEqual([0, 'distinct_id,outcome\na,stays\nb,leaves\n']);
    expect(stderr).toContain('Events are not shown, since SQL did not answer: ');
    expect(stderr).toContain('1 distinct id leaves and becomes a new person without properties.');
    expect(service.log.map(({ method }) => method)).toEqual(['GET']);
  });

  it('asks with the ids alone, and with 20 of them at most', async () => {
    const ids = Array.from({ length: 23 }, (_, at) => `id_${at}`);
    const service = await startWithoutSql([somebody(ids)]);
    const answers = { answers: ['n'] };
    const { code, stderr } = await service.hogctl('persons split 42 --main id_7', answers);
    expect(code).toBe(7);
    expect(stderr).toContain('person 42, user_42@example.org, created 2026-01-02, 23 distinct ids');
    const rows = stderr.split('\n').filter((line) => /^id_/.test(line));
    expect(rows.map((row) => row.trim().split(/\s+/))).toEqual([
      ['id_7', 'stays'],
      ...[...ids.keys()].filter((at) => at !== 7 && at < 20).map((at) => [`id_${at}`, 'leaves']),
    ]);
    expect(stderr).toContain('and 3 others, which --dry-run shows');
    expect(service.log.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('a split that answers success and changes nothing', () => {
  it('is called requested, never done, and says how to check', async () => {
    const service = await startService([somebody(['a', 'b']), { status: 201, json: { success: true } }]);
    const { code, stdout, stderr } = await service.hogctl('persons split 42 --project 1 --yes');
    expect(code).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain('Requested: split person 42');
    expect(stderr).toContain('runs in the background; check it with hogctl persons get 42');
    expect(stderr).not.toMatch(/split into|was split/);
    expect(service.log).toHaveLength(2);
  });

  it('is warned of in its help', async () => {
    const service = await startService([]);
    const { code, stdout } = await service.hogctl('persons split --help');
    expect(code).toBe(0);
    expect(stdout).toContain('cannot be undone');
    expect(stdout.replaceAll('\n', ' ')).toContain('reported success for splits that changed nothing');
  });
});
