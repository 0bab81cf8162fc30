import type { NumberChart } from '../charts/chart.ts';
import { type Body, fitted, type Text, WIDTH, widthOf } from './layout.ts';

const LARGE = 72;
const LINE = 24;

/** A large number with its name below; what it is compared with stands below that. */
export function numberBody({ totals, remarks }: NumberChart): Body {
  const [first, ...others] = totals;
  const text = first?.text ?? '';
  const size = Math.max(14, Math.min(LARGE, (LARGE * WIDTH) / Math.max(1, widthOf(text, LARGE))));
  const names = [
    fitted(first?.name ?? '', WIDTH, 16),
    ...others.map(({ name, text: figure }) => fitted(`${name}: ${figure}`, WIDTH, 16)),
  ];
  return {
    width: WIDTH,
    height: size + 30 + names.length * LINE,
    names: [],
    remarks,
    place: ({ left, top }) => ({
      texts: [
        { x: left, y: top + 10 + size / 2, text: fitted(text, WIDTH, size), size, bold: true },
        ...names.map(
          (name, index): Text => ({
            x: left,
            y: top + size + 24 + (index + 0.5) * LINE,
            text: name,
            size: 16,
          }),
        ),
      ],
    }),
  };
}
