import { describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { answerFrom, known } from '../support/two-stores.ts';

const nobody = { json: { next: null, previous: null, results: [] } };

describe('before a deletion', () => {
  it('a plan that is refused for its size asks nothing of the service', async () => {
    const service = await startService([() => nobody]);
    const { code, stderr } = await service.hogctl('persons bulk-delete --distinct-ids a,b,c --max 2 --yes');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: the plan holds 3 ids, more than --max 2\nhint: check the input or raise --max\n',
    });
    expect(service.log).toEqual([]);
  });

  it('addresses are asked for in questions that every server takes', async () => {
    const addresses = Array.from({ length: 80 }, (_, at) => `${'x'.repeat(90)}${at}@example.org`);
    const people = addresses.map((address, at) => known(at + 1, address));
    const service = await startService([answerFrom({ listed: [known(100), ...people], queried: people })]);
    const line = ['persons', 'bulk-delete', '--from', '-', '--as', 'emails', '--dry-run'];
    const { code, stderr } = await service.hogctl(line, { stdin: addresses.join('\n') });
    expect(code, stderr).toBe(0);
    const asked = service.log.map(({ url }) => url).filter((url) => url.includes('properties='));
    expect(asked.length).toBeGreaterThan(1);
    expect(Math.max(...service.log.map(({ url }) => url.length))).toBeLessThan(4094);
    for (const address of addresses)
      expect(asked.filter((url) => decodeURIComponent(url).includes(`"${address}"`)).length, address).toBe(1);
  });
});
