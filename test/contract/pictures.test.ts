import { describe, expect, it } from 'vitest';
import { startService } from '../e2e/service.ts';
import { linesOf } from '../support/lines-of.ts';
import { PICTURE_ANSWERS } from '../support/picture-answers.ts';
import { readSvg } from '../support/read-svg.ts';
import { svgText } from '../support/svg-text.ts';

/** Shapes and text: a picture runs nothing and loads nothing. */
const ALLOWED = ['svg', 'title', 'rect', 'text', 'circle'];

// Run with -u, this file draws the pictures anew.
describe('the pictures in the documents', () => {
  it.each(Object.entries(PICTURE_ANSWERS))('are what a terminal shows: %s', async (name, answer) => {
    const service = await startService([{ json: { id: 9, ...answer } }]);
    const { code, stdout } = await service.hogctl('insights get 9 --color always', {
      terminal: { columns: 80 },
      environment: { LANG: 'en_US.UTF-8' },
    });
    expect(code).toBe(0);
    // A table follows where the chart does not hold every figure.
    const [chart = ''] = stdout.split('\n\n');
    const picture = svgText(linesOf(chart), answer.name);
    const used = readSvg(picture).tags.map((tag) => tag.name);
    expect(used.filter((tag) => !ALLOWED.includes(tag))).toEqual([]);
    expect(picture).not.toMatch(/ on\w+=|href|url\(|style=/);
    await expect(picture).toMatchFileSnapshot(`../../docs/pictures/${name}.svg`);
  });
});
