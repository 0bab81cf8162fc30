import { afterEach, beforeEach } from 'vitest';
import { forgetEnded, tellEnded } from './last-ended.ts';

// A test that fails says what the program said last, also if it only looked at the exit code.
beforeEach(forgetEnded);
afterEach(({ task }) => {
  const [error] = task.result?.state === 'fail' ? (task.result.errors ?? []) : [];
  const told = tellEnded();
  if (error === undefined || told === '') return;
  error.message += `\n\n${told}`;
});
