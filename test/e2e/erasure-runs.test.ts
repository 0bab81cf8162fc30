import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, numbered, uuid } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { person, startWithoutSql, startWithPeople, temporaryDirectory } from '../support/service.ts';
import type { Received, Script, StubAnswer } from '../support/stub-server.ts';

const refusal = (status: number, code: string, detail: string) => ({ status, json: { code, detail } });
const forbidden = refusal(403, 'permission_denied', "API key missing required scope 'person:write'");

/** Answers the first calls as listed, the others with success. */
function answering(...answers: readonly (StubAnswer | ((received: Received) => StubAnswer))[]): Script {
  let call = 0;
  return [
    (received) => {
      const answer = answers[call] ?? allDeleted;
      call += 1;
      return typeof answer === 'function' ? answer(received) : answer;
    },
  ];
}

const from = 'persons bulk-delete --from - --as distinct-ids --batch-size 10';
const three = { stdin: numbered(30).join('\n') };

describe('what stops a run', () => {
  it.each([
    ['a bad key', refusal(401, 'authentication_failed', 'Personal API key is invalid.'), 4, 'another region'],
    ['a missing scope', forbidden, 4, 'person:write'],
    ['a service without bulk deletion', refusal(404, 'not_found', 'Not found.'), 5, 'no such endpoint'],
    ['a wrong address', { status: 404, body: '<html>' }, 5, 'check the host'],
    [
      'a redirect',
      { status: 301, headers: { location: 'https://elsewhere.example/' } },
      5,
      'elsewhere.example',
    ],
  ] as const)('%s stops it at once, and the reason is shown', async (_, answer, code, words) => {
    const service = await startWithPeople([{ ...answer, times: 99 }]);
    const end = await service.hogctl(`${from} --yes --ignore-missing`, three);
    expect(service.log).toHaveLength(1);
    expect(end.stderr).toContain(words);
    expect(end.stderr).toMatch(
      /error: .*the run stopped .*: nothing was done for 10 ids, nothing was sent for 20 ids/,
    );
    expect(end.stderr).toMatch(/hint: .*hogctl runs resume \S+ sends what is left/);
    expect(end.code).toBe(code);
  });

  it('is told without the ids that the service quotes', async () => {
    const quoting = refusal(400, 'invalid_input', `Value "7" of ${uuid(9)} is wrong (77).`);
    const service = await startWithPeople([{ ...quoting, times: 99 }]);
    const { stderr } = await service.hogctl(`persons bulk-delete --distinct-ids u7 --ids ${uuid(9)} --yes`);
    expect(stderr).toContain('Value "(an id)" of (an id) is wrong (77)');
  });

  it('keeps the address of the service, also if a part of it is an id', async () => {
    const service = await startWithPeople([{ status: 301, headers: { location: '/elsewhere' }, times: 99 }]);
    const { stderr } = await service.hogctl('persons bulk-delete --distinct-ids u127 --yes');
    expect(stderr).toMatch(/error: .*127\.0\.0\.1:\d+/);
  });

  it('is told for three failures in a row', async () => {
    const service = await startWithPeople([{ status: 502, times: 99 }]);
    const { code, stderr } = await service.hogctl(`${from} --yes --retries 0`, {
      stdin: numbered(50).join('\n'),
    });
    expect(service.log).toHaveLength(3);
    expect(code).toBe(8);
    // Whoever is there still is sent once more before others are.
    expect(service.log.map((received) => idsOf(received)[0])).toEqual(['1', '1', '11']);
    expect(stderr).toMatch(
      /error: .*answered 502.*three failures in a row.*the outcome of 20 ids is unknown, nothing was sent for 30 ids/,
    );
  });
});

describe('a run that was stopped', () => {
  const stopped = () => startWithPeople(answering(allDeleted, forbidden));

  it('goes on when the same command is typed again, with --yes', async () => {
    const service = await stopped();
    expect(await service.hogctl(`${from} --yes`, three)).toMatchObject({ code: 8 });
    const again = await service.hogctl(`${from} --yes`, three);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('--new-run starts a new one');
    expect(service.log.map((received) => idsOf(received)[0])).toEqual(['1', '11', '11', '21']);
    expect(runsOf(service)).toHaveLength(1);
  });

  it('asks first at a terminal', async () => {
    const service = await stopped();
    const line = `persons bulk-delete --from ${join(temporaryDirectory(), 'ids.txt')} --as distinct-ids --batch-size 10`;
    writeFileSync(line.split(' ')[3] ?? '', three.stdin);
    await service.hogctl(`${line} --yes`);
    expect(await service.hogctl(line, { answers: ['n'] })).toMatchObject({ code: 7 });
    expect(service.log).toHaveLength(2);
    expect(await service.hogctl(line, { answers: ['y'] })).toMatchObject({ code: 0 });
    expect(service.log).toHaveLength(4);
  });

  it('is left alone with --new-run', async () => {
    const service = await stopped();
    await service.hogctl(`${from} --yes`, three);
    // Of whom the first ten are gone by then.
    expect(await service.hogctl(`${from} --yes --new-run`, three)).toMatchObject({ code: 0 });
    expect(service.log.map((received) => idsOf(received)[0])).toEqual(['1', '11', '11', '21']);
    expect(runsOf(service)).toHaveLength(2);
  });

  it('is another one with other flags', async () => {
    const service = await stopped();
    await service.hogctl(`${from} --yes`, three);
    await service.hogctl(`${from} --yes --delete-events`, three);
    expect(runsOf(service)).toHaveLength(2);
  });

  it('goes to the project of its plan only', async () => {
    const service = await stopped();
    await service.hogctl(`${from} --yes`, three);
    const { code, stderr } = await service.hogctl('runs resume 2026 --yes', {
      environment: { HOGCTL_PROJECT: '2' },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('this run is for project 1');
    expect(service.log).toHaveLength(2);
  });
});

describe('signals during a run', () => {
  it.each([
    ['SIGINT', 130, 'interrupted'],
    ['SIGTERM', 143, 'terminated'],
  ] as const)('%s finishes the call in flight and ends with %i', async (name, code, word) => {
    const controller = new AbortController();
    const service = await startWithPeople(
      answering(allDeleted, (received) => ({ ...allDeleted(received), work: () => controller.abort(name) })),
    );
    const end = await service.hogctl(`${from} --yes`, { ...three, signal: controller.signal });
    expect(end.code).toBe(code);
    expect(service.log).toHaveLength(2);
    expect(end.stderr).toContain(
      `error: ${word}: 2 of 3 calls done, 0 in flight without an answer, 1 not sent\nhint: hogctl runs resume `,
    );
    expect(await service.hogctl(`${from} --yes`, three)).toMatchObject({ code: 0 });
    expect(service.log.flatMap(idsOf)).toEqual(numbered(30, ''));
  });

  it('a second one stops now, and the call in flight is unknown', async () => {
    const [soon, now] = [new AbortController(), new AbortController()];
    const stop = () => {
      soon.abort('SIGINT');
      setImmediate(() => now.abort('SIGINT'));
    };
    const service = await startWithPeople(answering(allDeleted, { never: true, work: stop }));
    const end = await service.hogctl(`${from} --yes`, {
      ...three,
      signal: soon.signal,
      forcedSignal: now.signal,
    });
    expect(end.code).toBe(130);
    expect(end.stderr).toContain('1 of 3 calls done, 1 in flight without an answer, 1 not sent');
  });

  it('while people are looked up, nothing is deleted', async () => {
    const controller = new AbortController();
    const service = await startWithoutSql([
      { on: /by_distinct_ids/, times: 9, json: { results: {} }, work: () => controller.abort('SIGTERM') },
      { on: /persons\/\?limit=10$/, times: 9, json: { next: null, results: [person(999)] } },
    ]);
    const end = await service.hogctl(`${from} --yes`, {
      stdin: numbered(300).join('\n'),
      signal: controller.signal,
      environment: { HOGCTL_DIALECT: 'live' },
    });
    expect(end.code).toBe(143);
    expect(service.log.filter(({ url }) => url.includes('bulk_delete'))).toEqual([]);
    expect(runsOf(service)).toEqual([]);
  });
});
