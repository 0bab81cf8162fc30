import { describe, expect, it } from 'vitest';
import { summary, uuid } from '../support/bulk-deletions.ts';
import { startService } from './service.ts';

describe('errors that name persons', () => {
  it.each([
    ['who are no persons at all', 'distinct-ids', 'u1'],
    ['whom nobody asked for', 'ids', uuid(9)],
  ])('%s are listed and not sent', async (_, kind, stranger) => {
    const errors = [{ person_uuid: stranger, step: 'postgres' }];
    const service = await startService([{ status: 202, json: summary({ found: 2, deleted: 1, errors }) }]);
    const { code, stdout, stderr } = await service.hogctl(
      `persons bulk-delete --from - --as ${kind} --yes -o json --retries 0`,
      { stdin: [uuid(1), uuid(2)].join('\n') },
    );
    expect(service.log).toHaveLength(1);
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({
      failed: 1,
      failures: [{ person_uuid: null, step: 'postgres' }],
      not_deleted: 0,
    });
    expect(stderr).toContain('hogctl runs verify');
  });
});
