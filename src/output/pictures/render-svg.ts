import { BarChart, BoxplotChart, HeatmapChart, LineChart } from 'echarts/charts';
import { GraphicComponent, GridComponent, LegendComponent, VisualMapComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { escapeControls } from '../../system/escape-controls.ts';
import { FAINT, FONT, INK, type Parts, type Setting, TEXT_SIZE, type Text } from './layout.ts';

use([
  BarChart,
  BoxplotChart,
  HeatmapChart,
  LineChart,
  GraphicComponent,
  GridComponent,
  LegendComponent,
  VisualMapComponent,
  SVGRenderer,
]);

type Sheet = {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly legend: readonly Setting[];
};

const RULES_END = '</style>';

/** Nobody points at a picture, so nothing answers to a pointer, and nothing moves. */
const still = { silent: true, animation: false, emphasis: { disabled: true } };

/** The parts on one white sheet, as SVG that is the same each time. */
export function renderSvg(parts: Parts, { width, height, title, legend }: Sheet): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    const option = {
      animation: false,
      backgroundColor: '#ffffff',
      textStyle: { fontFamily: FONT, fontSize: TEXT_SIZE, color: INK },
      legend: legend.map((one) => ({ ...one, textStyle: { fontSize: TEXT_SIZE, color: INK } })),
      // Labels have the room that was kept for them; the library shall not move the axes.
      grid: (parts.grid ?? []).map((grid) => ({ ...grid, outerBoundsMode: 'none' })),
      xAxis: parts.xAxis ?? [],
      yAxis: parts.yAxis ?? [],
      series: (parts.series ?? []).map((series) => ({ ...series, ...still })),
      ...(parts.visualMap === undefined ? {} : { visualMap: parts.visualMap }),
      graphic: { elements: (parts.texts ?? []).map(toElement) },
    };
    chart.setOption(guarded(option));
    return tidy(chart.renderToSVGString().replaceAll(GUARDED, PROTOTYPE), title);
  } finally {
    chart.dispose();
  }
}

const PROTOTYPE = '__proto__';
/** With a word joiner in it, which has no width. */
const GUARDED = '__proto\u2060__';

/**
 * The library keeps widths of texts in plain objects, where a text of this name would change the prototype of all
 * objects, and with it every picture after it. So it is shown another one.
 */
function guarded<Value>(value: Value): Value {
  // Casts: strings become strings, and lists and objects keep their shape.
  if (typeof value === 'string') return value.replaceAll(PROTOTYPE, GUARDED) as Value;
  if (Array.isArray(value)) return value.map(guarded) as Value;
  if (typeof value === 'function') return ((...words: unknown[]) => guarded(value(...words))) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, guarded(part)])) as Value;
}

function toElement({ x, y, text, size = TEXT_SIZE, bold, faint, align = 'left', color }: Text): Setting {
  const fill = color ?? (faint === true ? FAINT : INK);
  const font = `${bold === true ? 'bold ' : ''}${size}px ${FONT}`;
  return { type: 'text', silent: true, style: { x, y, text, fill, font, align, verticalAlign: 'middle' } };
}

/**
 * The library writes for pages: rules for a pointer, marks for its own scripts, ids that count up with each drawing.
 * A picture needs none of them. Texts cannot hold what is replaced here, since their quotes and angles are escaped.
 */
function tidy(svg: string, title: string): string {
  const bare = withoutRules(svg)
    .replace(/ (?:ecmeta_\w+|class|pointer-events)="[^"]*"/g, '')
    // Many programs that read SVG don't know the baseline of pages, all of them know a shift.
    .replaceAll(' dominant-baseline="central"', ' dy="0.35em"')
    .replace(/(id="|url\(#)zr\d+-/g, '$1')
    .replace(
      /^<svg ([^>]*)>/,
      (_, attributes: string) => `<svg ${attributes} role="img">\n<title>${escapeXml(title)}</title>`,
    );
  // XML has no way to write control characters and these two at all.
  const safe = escapeControls(bare, { keepLineBreaks: true }).replace(/[\ufffe\uffff]/g, '\ufffd');
  return `${safe.trimEnd()}\n`;
}

/** Leaves out the one element of rules, which is the last. */
function withoutRules(svg: string): string {
  const from = svg.lastIndexOf('<style');
  const end = svg.indexOf(RULES_END, from);
  return from < 0 || end < 0 ? svg : svg.slice(0, from) + svg.slice(end + RULES_END.length).trimStart();
}

function escapeXml(text: string): string {
  return escapeControls(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
