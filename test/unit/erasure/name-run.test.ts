import { expect, it } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import { nameRun } from '../../../src/erasure/projects/carry-out.ts';
import { CliError, usageError } from '../../../src/errors.ts';

const said: string[] = [];
// Naming a run touches nothing else of it.
const context = { warn: (text: string) => said.push(text) } as unknown as Context;

it('an error in the midst of a run keeps all it says, and names the run and how to go on', () => {
  const error = new CliError('unavailable', 'no connection', { hint: 'try later', status: 503, code: 'x' });
  expect(nameRun(error, '2026-k3', context)).toMatchObject({
    kind: 'unavailable',
    message: 'run 2026-k3: no connection',
    hint: 'try later; then hogctl runs resume 2026-k3 sends what is left',
    status: 503,
    code: 'x',
  });
});

it('a usage error comes before the first call and stays as it is', () => {
  const error = usageError('a rate of 0 is not possible');
  expect(nameRun(error, '2026-k3', context)).toBe(error);
});

it('a bug stays one, and the run is told of beside it', () => {
  const bug = new TypeError('x is undefined');
  expect(nameRun(bug, '2026-k3', context)).toBe(bug);
  expect(said).toEqual(['Run 2026-k3: hogctl runs resume 2026-k3 sends what is left.']);
});
