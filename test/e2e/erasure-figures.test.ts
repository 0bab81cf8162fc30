import { describe, expect, it } from 'vitest';
import { summary } from '../support/bulk-deletions.ts';
import { person, startWithoutSql, startWithPeople } from '../support/service.ts';
import type { StubAnswer } from '../support/stub-server.ts';

const LINE = 'persons bulk-delete --distinct-ids user_1,user_2,user_3 --yes';
const failure = { person_uuid: '00000000-0000-4000-8000-000000000001', step: 'postgres' };

const nobodyListed = { on: /^GET /, times: 99, json: { results: [], next: null } };

async function answered(...answers: readonly unknown[]) {
  const service = await startWithPeople(answers.map((json) => ({ status: 202, json })));
  return service.hogctl(LINE);
}

describe('figures of a bulk deletion that do not add up', () => {
  const none = { persons_found: 1, persons_deleted: 0, deletion_errors: [] };

  it.each([
    [
      'found, and only one of them deleted',
      2,
      [
        { persons_found: 3, persons_deleted: 1 },
        { ...none, persons_found: 2 },
      ],
    ],
    [
      'found, and nobody deleted',
      3,
      [
        { ...none, persons_found: 3 },
        { ...none, persons_found: 3 },
      ],
    ],
    [
      'found, and some of them queued',
      1,
      [{ persons_found: 3, persons_deleted: 0, persons_queued_for_deletion: 2 }, none],
    ],
    [
      'failed at first and not found again',
      1,
      [
        { persons_found: 3, persons_deleted: 2, deletion_errors: [failure] },
        { persons_found: 0, persons_deleted: 0, deletion_errors: [] },
      ],
    ],
  ] as const)('are partly done: %s', async (_, count, answers) => {
    const { code, stdout, stderr } = await answered(...answers);
    expect(code).toBe(8);
    expect(stdout).toMatch(new RegExp(`not accounted for +${count} +answered, and the figures do not tell`));
    const ids = count === 1 ? '1 id' : `${count} ids`;
    expect(stderr).toMatch(
      new RegExp(
        `the run is not complete: the answers do not tell what became of ${ids}\nhint: hogctl runs verify`,
      ),
    );
  });

  it.each([
    ['all queued', [{ persons_found: 3, persons_deleted: 0, persons_queued_for_deletion: 3 }]],
    [
      'one deleted when it was asked for again',
      [
        { persons_found: 3, persons_deleted: 2, deletion_errors: [failure] },
        { persons_found: 1, persons_deleted: 1, deletion_errors: [] },
      ],
    ],
  ] as const)('are not seen in others: %s', async (_, answers) => {
    const { code, stdout } = await answered(...answers);
    expect(code).toBe(0);
    expect(stdout).not.toContain('not accounted');
  });

  it.each([
    ['found', 47, { persons_found: 50, persons_deleted: 50 }],
    ['deleted', 1, { persons_found: 3, persons_deleted: 4 }],
  ])('are partly done where more persons were %s than were sent', async (_, count, answer) => {
    const { code, stdout, stderr } = await answered(answer);
    expect(code).toBe(8);
    expect(stdout).toMatch(new RegExp(`beyond what was sent +${count} +the service counted more`));
    expect(stderr).toContain(
      `the service counted ${count} ${count === 1 ? 'person' : 'persons'} more than were sent`,
    );
    expect(stderr).toContain('hint: ask the support of the service what was deleted');
  });

  it.each([
    ['negative', { persons_found: -3, persons_deleted: -3 }],
    ['text', { persons_found: '3', persons_deleted: '3', persons_queued_for_deletion: 0 }],
  ])('are not taken for figures where they are %s', async (_, answer) => {
    const { code, stdout } = await answered(answer, answer);
    expect(code).toBe(8);
    expect(stdout).toMatch(/not accounted for +3 /);
    expect(stdout).not.toMatch(/accepted|persons found/);
  });

  it('are none where persons are kept', async () => {
    const service = await startWithPeople([
      {
        on: /bulk_delete/,
        status: 202,
        json: { persons_found: 1, persons_deleted: 0, events_queued_for_deletion: true },
      },
    ]);
    const line = `persons bulk-delete ${failure.person_uuid} --keep-person --delete-events --yes`;
    const { code, stdout } = await service.hogctl(line, { environment: { HOGCTL_DIALECT: 'live' } });
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('not accounted')]);
  });
});

describe('a look at the people that fails after everything was sent', () => {
  const { person_uuid: uuid } = failure;
  const start = (after: StubAnswer) => {
    let isSent = false;
    const shown = { ...person(1), name: undefined };
    return startWithoutSql([
      {
        on: /bulk_delete/,
        status: 202,
        json: summary({ found: 1, deleted: 1, events: true }),
        work: () => {
          isSent = true;
        },
      },
      ({ url }) => {
        if (isSent) return after;
        return url.includes('limit=10')
          ? { json: { next: null, results: [person(999)] } }
          : { json: { results: { [uuid]: shown } } };
      },
    ]);
  };
  const line = `persons bulk-delete ${uuid} --delete-events --yes --retries 0`;
  const environment = { HOGCTL_DIALECT: 'live' };

  it('is told, and takes nothing from what the service said', async () => {
    const { hogctl } = await start({ status: 503 });
    const { code, stderr } = await hogctl(line, { environment });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('hogctl could not check whether they are gone: '),
    ]);
    expect(stderr).toContain('To ask what is left:');
    expect(JSON.parse((await hogctl('runs list -o json')).stdout)[0].owed).toBe('persons, events');
  });

  it('is told where a signal ends it', async () => {
    const stop = new AbortController();
    const { hogctl } = await start({ never: true, work: () => stop.abort('SIGINT') });
    const signals = { signal: stop.signal, forcedSignal: stop.signal };
    const { code, stderr } = await hogctl(line, { environment, ...signals });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('hogctl could not check whether they are gone: '),
    ]);
    expect(stderr).toContain('hogctl runs verify');
  });
});

describe('events and recordings that were asked for', () => {
  const flags = { events: '--delete-events', recordings: '--delete-recordings' };

  it.each(
    (['events', 'recordings'] as const).flatMap((what) => [
      { what, answer: true, figure: 'queued', code: 0 },
      { what, answer: false, figure: 'not queued', code: 8 },
      { what, answer: undefined, figure: 'not told', code: 8 },
    ]),
  )('$what of an answer $answer are "$figure", with $code', async ({ what, answer, figure, code }) => {
    const other = what === 'events' ? 'recordings' : 'events';
    const json = {
      persons_found: 3,
      persons_deleted: 3,
      [`${what}_queued_for_deletion`]: answer,
      [`${other}_queued_for_deletion`]: true,
    };
    const service = await startWithPeople([nobodyListed, { status: 202, json }]);
    const end = await service.hogctl(`${LINE} ${flags[what]} ${flags[other]}`);
    expect(end.code).toBe(code);
    expect(end.stdout).toMatch(new RegExp(`${what} ${figure} +3 +persons`));
    expect(end.stdout).toMatch(new RegExp(`${other} queued +3 +persons`));
    if (answer === false)
      expect(end.stderr).toContain(`did not queue the deletion of the ${what} of 3 persons`);
    if (answer !== true)
      expect(end.stderr).toContain(
        '3 ids are gone, and no answer says that their events or recordings go, too',
      );
    const { stdout } = await service.hogctl('runs report 2026');
    expect(stdout).toContain(`| ${what} ${figure} | 3 |`);
    const isRefused = what === 'recordings' && answer === false;
    expect(stdout.includes('The deletion of recordings was requested')).toBe(!isRefused);
    expect(stdout.includes('The service did not queue the deletion of the recordings')).toBe(isRefused);
    const report = JSON.parse((await service.hogctl('runs report 2026 -o json')).stdout);
    expect(report[what].persons).toEqual({
      queued: answer === true ? 3 : 0,
      not_queued: answer === false ? 3 : 0,
      not_told: answer === undefined ? 3 : 0,
    });
  });

  it.each(['events', 'recordings'] as const)('%s that were not asked for have no figure', async (what) => {
    const json = { persons_found: 3, persons_deleted: 3, [`${what}_queued_for_deletion`]: false };
    const service = await startWithPeople([{ status: 202, json }]);
    const end = await service.hogctl(LINE);
    expect(end.code).toBe(0);
    expect(end.stdout).not.toContain(what);
  });

  it('count a retry that says no', async () => {
    const failed = { persons_found: 3, persons_deleted: 2, recordings_queued_for_deletion: true };
    const service = await startWithPeople([
      { status: 202, json: { ...failed, deletion_errors: [failure] } },
      {
        status: 202,
        json: { persons_found: 1, persons_deleted: 1, recordings_queued_for_deletion: false },
      },
    ]);
    const { code, stdout } = await service.hogctl(`${LINE} --delete-recordings`);
    expect([code, stdout]).toEqual([8, expect.stringMatching(/recordings not queued +1 /)]);
  });
});
