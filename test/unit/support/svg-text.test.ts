import { describe, expect, it } from 'vitest';
import { svgText } from '../../support/svg-text.ts';

describe('a picture as SVG', () => {
  it('keeps text as text, escaped', () => {
    const svg = svgText([[{ text: '<b>&"' }, { text: '  two', tone: 'title' }]], 'A & <B>');
    expect(svg).toContain('<title>A &amp; &lt;B&gt;</title>');
    expect(svg).toContain('>&lt;b&gt;&amp;&quot;</text>');
    expect(svg).toMatch(/<text x="68" [^>]*font-weight="bold">two<\/text>/);
  });

  it('draws bars as long as their marks', () => {
    const svg = svgText([[{ text: '│', tone: 'faint' }, { text: '██▌', tone: 0 }, { text: '░░' }]], '');
    const widths = [...svg.matchAll(/<rect x="(\d+)" y="14" width="(\d+)"/g)].map(([, x, width]) => [
      Number(x),
      Number(width),
    ]);
    expect(widths).toEqual([
      [20, 16],
      [36, 4],
      [44, 16],
    ]);
  });

  it('draws a dot for each dot of a line', () => {
    expect(svgText([[{ text: '⣀⠉' }]], '').match(/<circle/g)).toHaveLength(4);
  });
});
