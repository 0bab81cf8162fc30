import { describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';

const NAMES = [
  '::set-output name=x::y',
  '  ::stop-commands::zz',
  '##[error]a',
  '##vso[task.setvariable variable=a]b',
  "##teamcity[buildStatus text='x']",
];

/** What a service that runs jobs takes for a command to it. */
const isCommand = (line: string) => /^\s*::/.test(line) || /##(?:\[|vso\[|teamcity\[)/.test(line);

const days = ['2026-03-01', '2026-03-02'];
const insight = (name: string) => ({
  id: 9,
  short_id: 'Ab12',
  name,
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery' } },
  result: NAMES.map((label) => ({ label, data: [100, 70], days })),
});

const SERVICES = ['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION'];

describe.each(SERVICES)('the log of a job, %s', (service) => {
  it.each([
    'insights get 9 --no-chart',
    'insights get 9 --chart',
    'insights get 9 -o table --quiet',
    "insights check 9 --expect 'last > 99'",
    'insights list',
    'persons list --columns name,id',
    'persons activity',
    "query 'select event from events'",
  ])('holds no command that the service chose: %s', async (line) => {
    const activity = NAMES.map((activity) => ({ activity, user: { email: activity } }));
    const people = NAMES.map((name, id) => ({ id, name, distinct_ids: [name] }));
    const listed = [
      ...people,
      ...activity,
      ...NAMES.map((name, id) => ({ ...insight(name), id, result: null })),
    ];
    for (const name of NAMES) {
      const stub = await startService([
        { on: /query/, json: { results: NAMES.map((one) => [one]), columns: ['event'], hasMore: false } },
        { on: /insights\/9/, json: insight(name) },
        () => ({ json: { results: listed, next: null } }),
      ]);
      const { stdout, stderr } = await stub.hogctl(line, { environment: { [service]: 'true' } });
      const lines = `${stdout}\n${stderr}`.split('\n').filter((one) => !one.startsWith('::error title='));
      expect(lines.filter(isCommand)).toEqual([]);
      if (line.includes('get 9 --no')) expect(stdout).toContain('set-output name=x::y');
    }
  });

  it('leaves data for programs as it is', async () => {
    const stub = await startService([
      { on: /persons/, json: { results: NAMES.map((name, id) => ({ id, name })), next: null } },
    ]);
    const { stdout } = await stub.hogctl('persons list -o csv --columns name', {
      environment: { [service]: 'true' },
    });
    expect(stdout).toContain('\n::set-output name=x::y\n');
  });
});
