import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startService, temporaryDirectory } from '../support/service.ts';

const service = () => startService([() => ({ json: { results: [], next: null } })]);

// A device without an end, as a link in a folder may lead to one.
describe.skipIf(process.platform === 'win32')('a file without an end', { timeout: 60_000 }, () => {
  it.each([
    ['query', '@/dev/zero'],
    ['insights', 'create', '--name', 'x', '--query', '@/dev/zero'],
    ['insights', 'check', '--file', '/dev/zero'],
    ['persons', 'list', '--properties', '@/dev/zero'],
    ['api', 'POST', 'query/', '--input', '/dev/zero', '--yes', '--project', '1'],
  ])('is not read to it: %s %s %s %s %s', async (...words) => {
    const { hogctl, log } = await service();
    const { code, stderr } = await hogctl(words.filter((word) => word !== undefined));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/\/dev\/zero:? (it )?is larger than /),
    });
    expect(log).toEqual([]);
  });

  it.each(['pull', 'push'])('is not followed to by insights %s, as no link is', async (verb) => {
    const { hogctl, log } = await service();
    const folder = join(temporaryDirectory(), 'insights');
    mkdirSync(folder);
    symlinkSync('/dev/zero', join(folder, 'orders.json'));
    const { code, stderr } = await hogctl(['insights', verb, folder, '--yes', '--project', '1']);
    expect(code).toBe(2);
    expect(stderr).toContain('orders.json is a link, which is not followed');
    expect(log.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
