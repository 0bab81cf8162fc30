import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { uuid } from '../support/bulk-deletions.ts';
import { erased, OLD } from './erased.ts';

describe('the distinct ids of the private file', () => {
  it.each([
    ['another', '"anonymous_2"'],
    ['none', ''],
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
    const { verify } = await erased({ listed: there, inSql: there, date });
    const { code, record } = await verify();
    expect([code, record.left, record.recreated]).toEqual([9, 1, 0]);
  });

  it.each(['2026-04-01T00:00:00Z', '9999-12-31T23:59:59Z', '+275000-01-01T00:00:00Z'])(
    'takes nobody for come back who was created later than the service says it is: %s',
    async (created) => {
      const { verify } = await erased({ listed: { uuid: uuid(1), created } });
      const { code, record } = await verify();
      expect([code, record.left, record.recreated]).toEqual([9, 1, 0]);
    },
  );

  it('reads a time without a zone, as SQL writes it, as one of UTC', async () => {
    const zone = process.env.TZ;
    process.env.TZ = 'America/Los_Angeles';
    try {
      const { verify } = await erased({ inSql: { uuid: uuid(1), created: '2026-03-02 10:00:00' } });
      const { code, record } = await verify();
      expect([code, record.left]).toEqual([9, 1]);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
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
    const { verify } = await erased({ counts }, '--delete-events');
    await expect(verify()).rejects.toThrow();
  });
});
