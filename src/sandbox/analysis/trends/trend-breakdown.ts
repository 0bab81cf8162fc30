import type { Json } from '../../../json/kinds.ts';
import {
  type Breakdown,
  type BreakdownKey,
  type BreakdownReader,
  mostFrequent,
  OTHER,
  readerOf,
  textsOfKey,
} from '../breakdown.ts';
import type { AnalysisEvent } from '../dataset.ts';
import type { Surroundings } from '../project-settings.ts';

/** The values of an event after the limit, and how results name them. */
export type TrendBreakdown = {
  readonly keysOf: (event: AnalysisEvent) => readonly BreakdownKey[];
  readonly write: (key: BreakdownKey) => { readonly title: string; readonly value: Json };
  /** "Other" and "no value" come after all others. */
  readonly isLast: (key: BreakdownKey) => boolean;
};

const DEFAULT_LIMIT = 25;
const OTHER_VALUE = '$$_posthog_breakdown_other_$$';
const MISSING_VALUE = '$$_posthog_breakdown_null_$$';

/** Prepares the breakdown of trends; `events` are those of all series, of which the most frequent values are kept. */
export function trendBreakdown(
  breakdown: Breakdown,
  events: Iterable<AnalysisEvent>,
  surroundings: Surroundings,
): TrendBreakdown {
  const reader = readerOf(breakdown, surroundings);
  const isLast = (key: BreakdownKey) => key === OTHER || key === reader.missing;
  if (breakdown.kind === 'cohorts') {
    return {
      keysOf: reader.keysOf,
      write: (key) => ({ title: String(reader.write(key).title), value: reader.write(key).value }),
      isLast,
    };
  }
  const kept = keptValues(reader, events, breakdown.limit ?? DEFAULT_LIMIT);
  return {
    keysOf: (event) => reader.keysOf(event).map((key) => (kept.has(key) ? key : OTHER)),
    write,
    isLast,
  };
}

function keptValues(reader: BreakdownReader, events: Iterable<AnalysisEvent>, limit: number) {
  const counts = new Map<BreakdownKey, number>();
  for (const event of events) {
    for (const key of reader.keysOf(event)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return mostFrequent(counts, limit);
}

/** A single property is named by its text, several by the list of theirs. */
function write(key: BreakdownKey): { title: string; value: Json } {
  if (key === OTHER) return { title: 'Other', value: OTHER_VALUE };
  const texts = textsOfKey(key);
  const values = texts.map((text) => (text === '' ? MISSING_VALUE : text));
  const title = texts.map((text) => (text === '' ? 'None' : text)).join('::');
  return { title, value: values.length === 1 ? (values[0] ?? null) : values };
}
