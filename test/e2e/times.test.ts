import { describe, expect, it } from 'vitest';
import { people, startService } from '../support/service.ts';

describe('lengths of time', () => {
  it.each([
    ['persons list --timeout 0', '--timeout must be at least 0.001 s, not "0"'],
    ['persons list --timeout 5m', '--timeout takes a length of time, not "5m"'],
    ['insights get 9 --wait --wait-timeout 0s', '--wait-timeout must be at least 0.001 s, not "0s"'],
    ['runs prune --older-than soon', '--older-than takes a length of time, not "soon"'],
    ['insights check 9 --max-age 24', '--max-age takes a length of time, not "24"'],
  ])('are refused before anything is sent: %s', async (line, message) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl(line);
    expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${message}`]);
    expect(service.log).toEqual([]);
  });

  it.each(['0.05', '0.05s', '50 s'])('limit a request: --timeout=%s', async (length) => {
    const waits = length === '50 s';
    const service = await startService([
      waits ? { json: { results: people(1), next: null } } : { never: true },
    ]);
    const { code } = await service.hogctl(['persons', 'list', '--retries', '0', '--timeout', length]);
    expect(code).toBe(waits ? 0 : 6);
  });
});
