import { expect, it } from 'vitest';
import { runProgram } from '../../../support/run-program.ts';

it('shows the help of a bulk deletion under headings, on one screen', async () => {
  const { stdout } = await runProgram(['persons', 'bulk-delete', '--help']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const titles = (text: string) => text.match(/^(?:Who|What goes|Safety|Answer|Pace):$/gm);
  expect(titles(stdout)).toEqual(['Who:', 'What goes:', 'Safety:', 'Answer:']);
  const all = await runProgram(['help', 'persons', 'bulk-delete']);
  expect(titles(all.stdout)).toEqual(['Who:', 'What goes:', 'Safety:', 'Answer:', 'Pace:']);
  expect(all.stdout).not.toMatch(/^Options:$/m);
});
