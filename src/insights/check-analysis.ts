import type { Option, Options } from '../cli/command/options.ts';
import type { RawOptions } from '../cli/command/read-input.ts';
import { asList, isList } from '../json/kinds.ts';
import {
  analysisOptions,
  lifecycleQuery,
  retentionOptions,
  retentionQuery,
  stickinessQuery,
  trendsOptions,
  trendsQuery,
} from './analysis.ts';
import { type Field, type Reader, readFields, type Schema, tellProblem, text } from './check-fields.ts';
import type { Analysis } from './check-report.ts';
import { type FunnelFlags, funnelOptions, funnelParameters, funnelQuery, keepingOptions } from './funnel.ts';

/** Reads options as the command line does. */
export type ReadOptions = (options: Options, raw: RawOptions) => Promise<Readonly<Record<string, unknown>>>;

/** The analyses that a check may describe by the options of their commands, in place of a saved insight. */
const ANALYSES = {
  trends: { options: trendsOptions, query: trendsQuery },
  funnel: { options: funnelOptions, query: (flags: FunnelFlags) => funnelQuery(funnelParameters(flags)) },
  retention: { options: retentionOptions, query: retentionQuery },
  lifecycle: { options: analysisOptions, query: lifecycleQuery },
  stickiness: { options: analysisOptions, query: stickinessQuery },
} as const;

export type Kind = keyof typeof ANALYSES;

// Object.keys forgets which keys they are.
export const KINDS = Object.keys(ANALYSES) as readonly Kind[];

const NO_FIELDS = [...Object.keys(keepingOptions), 'chart', 'body', 'windowDays'];

function optionsOf(kind: Kind) {
  return Object.entries<Option>(ANALYSES[kind].options).flatMap(([key, option]) => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return NO_FIELDS.includes(key) ? [] : [{ key, name, option }];
  });
}

function schemaOf({ type, choices, description }: Option): Schema & { readonly description: string } {
  if (choices !== undefined) return { enum: choices, description };
  if (type === 'flag' || type === 'boolean') return { type: 'boolean', description };
  if (type === 'integer') return { type, description };
  if (!['steps', 'repeated', 'properties'].includes(type)) return { ...text, description };
  const one = ['string', 'integer'];
  return { type: [...one, 'array'], items: { type: one }, minItems: 1, description };
}

/** The fields of each analysis, as JSON Schema has them. */
export const ANALYSIS_FIELDS = Object.fromEntries(
  KINDS.map((kind) => {
    const fields = optionsOf(kind).map(({ name, option }) => [name, schemaOf(option)]);
    const description = `Options of hogctl insights ${kind}, in place of an insight`;
    const properties: Schema['properties'] = Object.fromEntries(fields);
    return [kind, { type: 'object', description, additionalProperties: false, properties }];
  }),
);

/** The query of an analysis, whose fields are read as the options of its command. */
export async function readAnalysis(
  kind: Kind,
  { node, line }: Field,
  readOptions: ReadOptions,
  reader: Reader,
): Promise<Analysis | undefined> {
  const before = reader.problems.length;
  const known = ANALYSIS_FIELDS[kind]?.properties ?? {};
  const fields = readFields(node, { known, otherwise: `${kind} takes fields such as events` }, reader);
  if (fields === undefined || reader.problems.length > before) return undefined;
  const options = optionsOf(kind);
  const raw: Record<string, boolean | readonly string[]> = {};
  const steps: string[] = [];
  const names: string[] = [];
  for (const [name, { value = '' }] of fields) {
    const texts = (asList(value) ?? [value]).map(String);
    const { key = name, option } = options.find((one) => one.name === name) ?? {};
    if (option?.type !== 'steps') raw[key] = typeof value === 'boolean' ? value : texts;
    // An event of a list may have a comma in its name.
    const flag = name === 'events' && isList(value) ? 'event' : name.replaceAll('_', '-');
    if (option?.type === 'steps') steps.push(...texts.map((one) => `--${flag}=${one}`));
    if (['event', 'events', 'actions'].includes(name)) names.push(...texts);
  }
  try {
    const known = Object.fromEntries(options.map(({ key, option }) => [key, option]));
    const flags = await readOptions(known, steps.length > 0 ? { ...raw, events: steps } : raw);
    // Each flag was read by the option of its name, which gives it its type.
    const query = ANALYSES[kind].query(flags as never);
    return { title: `${kind} of ${names.join(', ')}`, query };
  } catch (failure) {
    return tellProblem(failure, line, reader.problems);
  }
}
