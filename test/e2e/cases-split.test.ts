import { describe, expect, it } from 'vitest';
import { startService } from './service.ts';

describe('a split that answers success and changes nothing', () => {
  it('is called requested, never done, and says how to check', async () => {
    const service = await startService([{ status: 201, json: { success: true } }]);
    const { code, stdout, stderr } = await service.hogctl('persons split 42 --project 1 --yes');
    expect(code).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain('Requested: split person 42');
    expect(stderr).toContain('runs in the background; check it with persons get');
    expect(stderr).not.toMatch(/split into|was split/);
    expect(service.log).toHaveLength(1);
  });

  it('is warned of in its help', async () => {
    const service = await startService([]);
    const { code, stdout } = await service.hogctl('persons split --help');
    expect(code).toBe(0);
    expect(stdout).toContain('cannot be undone');
    expect(stdout.replaceAll('\n', ' ')).toContain('reported success for splits that changed nothing');
  });
});
