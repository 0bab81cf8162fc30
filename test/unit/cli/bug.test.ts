import { expect, it } from 'vitest';
import { runProgram, type Setting } from '../../support/run-program.ts';

const withoutClock: Setting = {
  environment: { HOGCTL_STATE_DIR: '/nowhere' },
  now: () => {
    throw new Error('the clock is gone');
  },
};

it('a bug names the command in which it happened', async () => {
  const { code, stderr } = await runProgram(['runs', 'prune', '--older-than', '1d', '--yes'], withoutClock);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'error: unexpected: the clock is gone\nhint: this is a bug in hogctl runs prune; --debug shows where\n',
  });
});
