import type { Json } from '../../json/kinds.ts';
import type { Chart } from '../charts/chart.ts';
import { toChart } from '../charts/read/to-chart.ts';
import type { Asked } from '../insight-rows.ts';
import type { Figures } from '../insights/answer.ts';
import { barsBody } from './bars-body.ts';
import { boxPlotBody } from './box-plot-body.ts';
import { funnelBody } from './funnel-body.ts';
import { type Body, type Corner, type Setting, type Text, widthOf, wrapped } from './layout.ts';
import { lifecycleBody } from './lifecycle-body.ts';
import { numberBody } from './number-body.ts';
import { periodOf } from './period.ts';
import { renderSvg } from './render-svg.ts';
import { retentionBody } from './retention-body.ts';
import { seriesBody } from './series-body.ts';

/** What stands above a picture: the name of the insight, and which one it is and of when. */
export type Heading = { readonly title: string; readonly lines: readonly string[] };

type Wanted = { readonly asked?: Asked | undefined; readonly heading: Heading };

const MARGIN = 30;
const TITLE = { size: 18, height: 26 } as const;
const LINE = 18;

/**
 * The figures of an answer as a picture for a report: SVG with the same bars, lines and words as on a terminal, and
 * nothing in it that runs or is loaded. Undefined where there is nothing to draw, or a table shows it better.
 */
export function svgPicture(figures: Figures, answer: Json, { asked, heading }: Wanted): string | undefined {
  const chart = toChart(figures, answer, { asked, unicode: true });
  if (chart === undefined) return undefined;
  const body = bodyOf(chart);
  const period = periodOf(chart, { answer, asked });
  const above = aboveTexts(heading, period, body.width);
  const legend = legendOf(body, { left: MARGIN, top: above.bottom });
  const parts = body.place({ left: MARGIN, top: legend.bottom });
  const below = belowTexts(body, legend.bottom + body.height + 12);
  const size = { width: body.width + 2 * MARGIN, height: below.bottom + MARGIN / 2 };
  const texts = [...above.texts, ...(parts.texts ?? []), ...below.texts];
  return renderSvg({ ...parts, texts }, { ...size, title: heading.title, legend: legend.settings });
}

function bodyOf(chart: Chart): Body {
  switch (chart.shape) {
    case 'series':
      return seriesBody(chart);
    case 'bars':
      return barsBody(chart);
    case 'number':
      return numberBody(chart);
    case 'funnel':
      return funnelBody(chart);
    case 'retention':
      return retentionBody(chart);
    case 'lifecycle':
      return lifecycleBody(chart);
    case 'box-plot':
      return boxPlotBody(chart);
  }
}

type Block = { readonly texts: readonly Text[]; readonly bottom: number };

function aboveTexts(heading: Heading, period: string | undefined, width: number): Block {
  const titles = wrapped(heading.title, width, TITLE.size);
  const lines = [...(period === undefined ? [] : [period]), ...heading.lines].flatMap((line) =>
    wrapped(line, width),
  );
  const top = MARGIN / 2 + titles.length * TITLE.height;
  return {
    texts: [
      ...titles.map(
        (text, index): Text => ({
          x: MARGIN,
          y: MARGIN / 2 + (index + 0.5) * TITLE.height,
          text,
          size: TITLE.size,
          bold: true,
        }),
      ),
      ...lines.map((text, index): Text => ({ x: MARGIN, y: top + (index + 0.5) * LINE, text, faint: true })),
    ],
    bottom: top + lines.length * LINE + 14,
  };
}

function belowTexts({ remarks, width }: Body, top: number): Block {
  const lines = remarks.flatMap((remark) => wrapped(remark, width));
  return {
    texts: lines.map(
      (text, index): Text => ({ x: MARGIN, y: top + (index + 0.5) * LINE, text, faint: true }),
    ),
    bottom: top + lines.length * LINE,
  };
}

const SAMPLE = { width: 34, height: 14, gap: 8 } as const;

/** As many columns of names as there is room for, read downwards. */
function legendOf({ names, width }: Body, { left, top }: Corner) {
  if (names.length === 0) return { settings: [], bottom: top };
  const wide = Math.max(...names.map((name) => widthOf(name))) + SAMPLE.width + 24;
  const columns = Math.max(1, Math.min(names.length, Math.floor(width / wide)));
  const rows = Math.ceil(names.length / columns);
  const settings = Array.from(
    { length: Math.ceil(names.length / rows) },
    (_, column): Setting => ({
      data: names.slice(column * rows, (column + 1) * rows),
      orient: 'vertical',
      left: left + column * wide,
      top,
      padding: 0,
      itemWidth: SAMPLE.width,
      itemHeight: SAMPLE.height,
      itemGap: SAMPLE.gap,
      selectedMode: false,
    }),
  );
  return { settings, bottom: top + rows * (SAMPLE.height + SAMPLE.gap) + 14 };
}
