import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';

const at = '/api/projects/1/persons/42/';
const before = {
  id: 42,
  uuid: '018f0000-0000-4000-8000-000000000042',
  distinct_ids: ['user_42', 'anonymous_1', 'anonymous_2'],
  properties: { plan: 'free', tags: [1] },
};

/** A service that shows a change to whoever asks for the third time, and a clock that only waiting moves. */
async function startSlow(after: object) {
  let asked = 0;
  const show = () => {
    asked += 1;
    return { json: asked < 3 ? before : { ...before, ...after } };
  };
  const service = await startService([
    { on: `GET ${at}`, times: 99, answer: show },
    { on: /^(POST|PATCH) .*persons\/42\//, times: 9, status: 202, json: { success: true } },
  ]);
  let clock = Date.UTC(2026, 2, 2, 12);
  const wait = async (pause: number) => {
    clock += pause;
  };
  const run = (line: string) => service.hogctl(`${line} --project 1 --yes`, { now: () => clock, wait });
  return { run, asked: () => asked };
}

const changes = [
  ['persons set 42 plan pro --wait', { properties: { plan: 'pro' } }],
  ['persons set 42 tags --json [1.0,2] --wait', { properties: { tags: [1, 2] } }],
  ['persons update 42 --set plan=pro --set age=3 --wait', { properties: { age: 3, plan: 'pro' } }],
  ['persons unset 42 plan --wait', { properties: { tags: [1] } }],
  ['persons split 42 --main user_42 --wait', { distinct_ids: ['user_42'] }],
  ['persons split 42 --only anonymous_1 --wait', { distinct_ids: ['user_42', 'anonymous_2'] }],
  ['persons split 42 --wait', { distinct_ids: ['anonymous_1'] }],
] as const;

it.each(changes)('%s ends once the service shows the change', async (line, after) => {
  const { run, asked } = await startSlow(after);
  const { code, stderr } = await run(line);
  expect([code, stderr]).toEqual([0, expect.stringContaining('The service shows the change of person 42.')]);
  expect(asked()).toBe(3);
});

it('a change that the service never shows ends with 8', async () => {
  const { run } = await startSlow({});
  const { code, stderr } = await run('persons set 42 plan pro --wait --wait-timeout 20s');
  expect(code).toBe(8);
  expect(stderr).toContain('does not show it after 20 s');
  expect(stderr).toContain('hogctl persons get 42');
});

it('waits for nothing after a dry run, and for nothing without --wait', async () => {
  const { run, asked } = await startSlow({});
  expect((await run('persons set 42 plan pro --wait --dry-run')).code).toBe(0);
  expect((await run('persons set 42 plan pro')).code).toBe(0);
  expect(asked()).toBe(0);
  const { code, stderr } = await run('persons set 42 plan pro --wait-timeout 5s');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--wait-timeout needs --wait')]);
});
