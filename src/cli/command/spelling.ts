import type { Argument, Option, Options } from './options.ts';

/** `delete_events` and `deleteEvents` are both spelt `--delete-events`. */
export function flagOf(name: string): string {
  const words = name.replace(/^\$/, '').replaceAll('_', '-');
  return `--${words.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function takesValue(option: Option): boolean {
  return option.type !== 'flag' && option.type !== 'boolean';
}

/** What an option says of itself: description, choices, what to use instead. */
export function optionText({ description, choices: [first, ...more] = [], deprecated }: Option): string {
  const choices = first && !description.includes(first) ? `: ${[first, ...more].join(', ')}` : '';
  return `${description}${choices}${deprecated ? ` (deprecated: use ${deprecated})` : ''}`;
}

/** How an option is written, with its short form or the room for one. */
export function optionUsage(name: string, option: Option): string {
  const short = option.short ? `-${option.short}, ` : '    ';
  const flag = flagOf(name);
  if (option.type === 'boolean') {
    return `${short}${flag.replace('--', option.negative ? '--no-' : '--[no-]')}`;
  }
  if (!takesValue(option)) return `${short}${flag}`;
  const placeholder = option.placeholder ?? DEFAULT_PLACEHOLDERS[option.type] ?? 'text';
  const value = option.bare === undefined ? `<${placeholder}>` : `[${placeholder}]`;
  const isRepeated = ['files', 'repeated', 'assignments', 'fields', 'properties'].includes(option.type);
  return `${short}${flag} ${value}${isRepeated ? '...' : ''}`;
}

const DEFAULT_PLACEHOLDERS: Readonly<Record<string, string>> = {
  integer: 'n',
  number: 'n',
  integers: 'n,n',
  texts: 'a,b',
  json: 'json',
  object: 'json',
  node: 'json',
  date: 'date',
  duration: 'time',
  time: 'ISO time',
  'person-id': 'id',
  assignments: 'key=value',
  fields: 'key=value',
  properties: 'expr',
};

/** Every spelling of an option, the short one first. */
export function spellingsOf(name: string, option: Option): readonly string[] {
  const flag = flagOf(name);
  if (option.type === 'boolean') return [flag, flag.replace('--', '--no-')];
  return option.short ? [`-${option.short}`, flag] : [flag];
}

/** What a word says of an option: the value that is joined on, and what stands before it. */
type Spelt = {
  readonly name: string;
  readonly option: Option;
  readonly value?: string;
  readonly prefix?: string;
};

/** The option of `--name`, `--name=value`, `-n`, `-nvalue`, `-n=value`, or the last of several letters. */
export function splitOption(options: Options, word: string): Spelt | undefined {
  const find = (spelling: string): Spelt | undefined => {
    for (const [name, option] of Object.entries(options))
      if (spellingsOf(name, option).includes(spelling)) return { name, option };
    return undefined;
  };
  if (word.startsWith('--')) {
    const [flag = '', ...rest] = word.split('=');
    const found = find(flag);
    return found && rest.length > 0 ? { ...found, prefix: `${flag}=`, value: rest.join('=') } : found;
  }
  for (let at = 1; word.startsWith('-') && at < word.length; at += 1) {
    const found = find(`-${word[at]}`);
    if (at === word.length - 1) return found;
    if (found === undefined || !takesValue(found.option)) continue;
    const end = word[at + 1] === '=' ? at + 2 : at + 1;
    return { ...found, prefix: word.slice(0, end), value: word.slice(end) };
  }
  return undefined;
}

export function wantsValue(spelt: Spelt | undefined): spelt is Spelt {
  return spelt !== undefined && takesValue(spelt.option) && spelt.value === undefined;
}

/** The usage text of an argument: `<key>`, `[person]`, `<id...>`. */
export function argumentUsage(name: string, argument: Argument): string {
  const many = argument.type === 'words' || argument.type === 'insights' ? '...' : '';
  const text = 'placeholder' in argument && argument.placeholder ? argument.placeholder : name;
  return argument.optional ? `[${text}${many}]` : `<${text}${many}>`;
}
