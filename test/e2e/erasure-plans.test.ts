import { expect, it } from 'vitest';
import { allDeleted } from '../support/bulk-deletions.ts';
import { runProgram } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';
import { startService } from './service.ts';

it('guards a project under its other name, and names the one of the plan (B9)', async () => {
  const { environment: all, log } = await startService([
    { on: /^GET/, times: 9, json: { id: 1, name: 'Shop', results: [] } },
    allDeleted,
  ]);
  const { HOGCTL_CONFIG_DIR = '', HOGCTL_STATE_DIR = '', HOGCTL_HOST, HOGCTL_API_KEY } = all;
  const environment = { HOGCTL_CONFIG_DIR, HOGCTL_STATE_DIR };
  const hogctl = (line: string, stdin = '') => runProgram(splitWords(line), { environment, stdin });
  for (const name of ['other', 'live-shop --protected']) {
    const login = `auth login --host ${HOGCTL_HOST} --project 1 --dialect specification --key-stdin --name ${name}`;
    expect(await hogctl(login, `${HOGCTL_API_KEY}\n`)).toMatchObject({ code: 0 });
  }
  await hogctl('auth use other');
  const deletion = 'persons bulk-delete --distinct-ids user_1 --yes --project';
  expect(await hogctl(`${deletion} other`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('add --confirm other'),
  });
  expect(await hogctl(`${deletion} live-shop --plan-only`)).toMatchObject({ code: 0 });
  const { code, stderr } = await hogctl('runs resume 2026 --yes --confirm live-shop');
  expect([code, stderr]).toEqual([2, expect.stringContaining('add --project live-shop')]);
  expect(log.filter(({ method }) => method === 'POST')).toEqual([]);
});
