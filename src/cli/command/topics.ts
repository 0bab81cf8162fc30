import { oddReasons } from '../../erasure/input/checks.ts';
import { formats } from '../../print/formats.ts';
import { helpText } from './help-text.ts';
import { ABOUT_OPTIONS, GLOBAL_OPTIONS, type Option } from './options.ts';
import { optionText, optionUsage } from './spelling.ts';

type Rows = readonly (readonly [string, string])[];

/** What `hogctl help <name>` shows beside the help of commands: its first sentence is what it is about. */
export type Topic = {
  readonly name: string;
  readonly summary: string;
  readonly text: string;
  /** Two columns in the place of `{rows}`. */
  readonly rows: () => Rows;
};

function topic(name: string, rows: () => Rows = () => []): Topic {
  const text = helpText(`cli/topics/${name}`);
  return { name, summary: text.slice(0, text.indexOf('.\n')), text, rows };
}

export const TOPICS: readonly Topic[] = [
  topic('options', () =>
    Object.entries<Option>({ ...GLOBAL_OPTIONS, ...ABOUT_OPTIONS }).map(([name, option]) => [
      optionUsage(name, option),
      optionText(option),
    ]),
  ),
  topic('environment'),
  topic('exit-codes'),
  topic('output', () => [
    ...Object.entries(formats).map(([name, { about }]) => [name, about] as const),
    ['svg, html', 'The chart of an insight as a picture, or as a page with its figures: --save chart.svg'],
  ]),
  topic('erasure'),
  topic('odd', () => oddReasons.map((reason) => ['-', reason])),
  topic('security'),
];
