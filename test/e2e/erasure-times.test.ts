import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { uuid } from '../support/bulk-deletions.ts';
import { erased, OLD } from '../support/erased.ts';

describe('the distinct ids of the private file', () => {
  it.each([
    ['another', '"anonymous_2"'],
    ['one with a letter changed', '"anonymouS_1"'],
    ['none', ''],
    ["somebody else's beside it", '"anonymous_1","user_9"'],
  ])('are compared with the plan: %s in place of one', async (_, other) => {
    const { service } = await erased({ events: [0, 0] }, '--delete-events');
    const [run] = JSON.parse((await service.hogctl('runs list -o json')).stdout);
    const file = join(run.directory, 'ids');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(other === '' ? ',"anonymous_1"' : '"anonymous_1"', other));
    expect(readFileSync(file, 'utf8')).not.toBe(text);
    const before = service.log.length;
    for (const verb of ['check', 'verify']) {
      const { code, stdout, stderr } = await service.hogctl(`runs ${verb} last`);
      expect({ verb, code, stderr }).toMatchObject({ verb, code: 9 });
      expect(stdout + stderr).toContain('not those');
    }
    expect(service.log.length).toBe(before);
  });
});

describe('what proves nothing', () => {
  it.each([
    ['1970', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ['a time before the person came', 'Wed, 31 Dec 2025 00:00:00 GMT'],
  ])('does not hold where the answer is dated %s and the person is there', async (_, date) => {
    const there = { uuid: uuid(1), created: OLD };
    const { verify } = await erased({ listed: there, inSql: there, isAtOnce: true, date });
    const { code, record } = await verify();
    expect([code, record.left, record.came_back]).toEqual([9, 1, 0]);
  });

  it.each([
    '2026-03-02T11:59:59Z',
    '2026-03-05T09:00:00Z',
    '2026-04-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '+275000-01-01T00:00:00Z',
    'yesterday',
  ])('does not hold by a date of who has the ids since the call: %s', async (created) => {
    const { verify } = await erased({ listed: { uuid: uuid(1), created }, isAtOnce: true });
    const { code, record } = await verify();
    expect([code, record.left + record.came_back]).toEqual([9, 1]);
  });

  it.each(['+275000-01-01T00:00:00Z', 'yesterday'])(
    'takes whoever has the UUID for the planned person if the date is none: %s',
    async (created) => {
      const { verify } = await erased({ listed: { uuid: uuid(1), created } });
      const { code, record } = await verify();
      expect([code, record.left, record.came_back]).toEqual([9, 1, 0]);
    },
  );

  it('reads a time without a zone, as SQL writes it, as one of UTC', async () => {
    const zone = process.env.TZ;
    process.env.TZ = 'America/Los_Angeles';
    try {
      const { verify } = await erased({ inSql: { uuid: uuid(1), created: OLD }, isAtOnce: true });
      const { code, record } = await verify();
      expect([code, record.left, record.came_back]).toEqual([9, 1, 0]);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it.each([
    ['an hour ahead', 'Fri, 06 Mar 2026 13:00:00 GMT', 9],
    ['two seconds ahead', 'Fri, 06 Mar 2026 12:00:02 GMT', 9],
    ['the same', 'Fri, 06 Mar 2026 12:00:00 GMT', 0],
    ['read before the answer was made', 'Fri, 06 Mar 2026 11:59:40 GMT', 0],
  ])(
    'believes a count of events only if the clock of their arrival is not ahead: %s',
    async (_, arrival, code) => {
      const { verify } = await erased({ events: [0, 1], arrival }, '--delete-events');
      const { code: ended, record } = await verify();
      expect([ended, record.events.open]).toEqual([code, code === 0 ? 0 : 1]);
    },
  );

  it.each([
    ['no event of any time is proof', 0, 0],
    ['one that came later is none', 1, 9],
  ])('if the clocks differ, %s', async (_, later, expected) => {
    const { verify } = await erased(
      { events: [0, later], arrival: 'Sat, 07 Mar 2026 12:00:00 GMT' },
      '--delete-events',
    );
    expect(await verify()).toMatchObject({ code: expected });
  });

  it.each([
    [[['', '']]],
    [[[' ', ' ']]],
    [[['0x0', '0']]],
    [
      [
        [0, 0],
        [7, 0],
      ],
    ],
    [[[0]]],
    [[]],
  ])('takes no answer for no events that is not two counts: %j', async (counts) => {
    const { service } = await erased({ counts }, '--delete-events');
    const { code, stdout, stderr } = await service.hogctl('runs verify last');
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain('the query answered without');
    expect((await service.hogctl('runs list -o json')).stdout).toContain('"has_ids":true');
  });
});
