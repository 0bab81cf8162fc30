import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startService, temporaryDirectory } from '../e2e/service.ts';
import { PICTURE_ANSWERS } from '../support/picture-answers.ts';

/** Shapes and text: a picture runs nothing and loads nothing. */
const ALLOWED = ['svg', 'title', 'rect', 'text', 'circle'];

// Run with -u, this file draws the pictures anew.
describe('the pictures in the documents', () => {
  it.each(Object.entries(PICTURE_ANSWERS))('are what the program draws: %s', async (name, answer) => {
    const service = await startService([{ json: { id: 9, ...answer } }]);
    const file = join(temporaryDirectory(), `${name}.svg`);
    const { code, stderr } = await service.hogctl(['insights', 'get', '9', '--save', file]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const picture = readFileSync(file, 'utf8');
    const tags = new Set([...picture.matchAll(/<(\w+)/g)].map(([, tag]) => tag));
    expect([...tags].filter((tag) => !ALLOWED.includes(tag ?? ''))).toEqual([]);
    expect(picture).not.toMatch(/ on\w+=|href|url\(|style=/);
    await expect(picture).toMatchFileSnapshot(`../../docs/pictures/${name}.svg`);
  });
});
