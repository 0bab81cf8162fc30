import type { Line, Tone } from '../../src/output/charts/picture.ts';

/** Codes of a terminal by what they were written for. */
const TONES: Readonly<Record<string, Tone>> = {
  1: 'title',
  2: 'faint',
  36: 0,
  33: 1,
  35: 2,
  32: 3,
  34: 4,
  31: 5,
};

/** What a terminal got, as lines with tones again. Throws for a code that no chart uses. */
export function linesOf(output: string): readonly Line[] {
  return output
    .trimEnd()
    .split('\n')
    .map((line) =>
      [...line.matchAll(/\u001b\[(\d+)m([^\u001b]*)\u001b\[(?:22|39)m|([^\u001b]+|\u001b)/g)].map(
        ([, code, toned, plain]) => {
          if (plain === '\u001b') throw new Error(`a code that no chart uses: ${JSON.stringify(line)}`);
          if (code === undefined) return { text: plain ?? '' };
          const tone = TONES[code];
          if (tone === undefined) throw new Error(`a colour that no chart uses: ${code}`);
          return { text: toned ?? '', tone };
        },
      ),
    );
}
