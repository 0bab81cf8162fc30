import { onTestFinished } from 'vitest';
import type { Dialect } from '../../src/service/endpoint.ts';
import { borrowSandbox } from './open-sandbox.ts';
import { runProgram, type Setting, sandboxEnvironment } from './run-program.ts';
import { temporaryDirectory } from './service.ts';
import { splitWords } from './split-words.ts';

const SHOPPERS = ['shopper-0001', 'shopper-0007', 'shopper-0009'];

/** A few people of the sample: the whole of it takes four times as long to start. */
const data = {
  persons: SHOPPERS.map((id) => ({
    distinct_ids: [id, `device-${id}`],
    properties: { email: `${id}@example.org` },
  })),
  events: SHOPPERS.flatMap((id) =>
    [id, id, `device-${id}`].map((distinct_id, day) => ({
      event: 'product_viewed',
      distinct_id,
      timestamp: `2026-06-1${day}T08:00:00Z`,
    })),
  ),
};

/** A sandbox on a Thursday with a state directory; each command comes a minute later. */
export async function onSandbox(dialect: Dialect = 'specification') {
  const sandbox = await borrowSandbox({ dialect, data, now: '2026-06-18T12:00:00Z' });
  onTestFinished(() => sandbox.stop());
  const state = temporaryDirectory();
  let minute = 0;
  const hogctl = (line: string, setting: Setting = {}) => {
    minute += 1;
    const now = Date.parse('2026-06-18T12:00:00Z') + minute * 60_000;
    return runProgram(splitWords(line), {
      now: () => now,
      ...setting,
      environment: {
        ...sandboxEnvironment(sandbox, dialect),
        HOGCTL_STATE_DIR: state,
      },
    });
  };
  return { hogctl, state };
}
