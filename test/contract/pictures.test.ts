import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PICTURE_ANSWERS } from '../support/picture-answers.ts';
import { startService, temporaryDirectory } from '../support/service.ts';

// Run with -u, this file draws the pictures anew.
describe('the pictures in the documents', () => {
  it.each(Object.entries(PICTURE_ANSWERS))('are what --save writes: %s', async (name, answer) => {
    const service = await startService([{ json: { id: 9, ...answer } }]);
    const file = join(temporaryDirectory(), 'picture.svg');
    // All of their days are over.
    const now = () => Date.UTC(2026, 6, 1);
    expect((await service.hogctl(['insights', 'get', '9', '--save', file], { now })).code).toBe(0);
    await expect(readFileSync(file, 'utf8')).toMatchFileSnapshot(`../../docs/pictures/${name}.svg`);
  });
});
