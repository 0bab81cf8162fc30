import { join } from 'node:path';
import { configDirectory, stateDirectory } from '../settings/directories.ts';
import { parseProjectList, projectFile, type StoredProjects } from '../settings/project-file.ts';
import { findAccess } from '../settings/resolve-settings.ts';
import { namesIn, readSmallFile } from '../system/files.ts';
import type { System } from '../system/system.ts';
import { type CompletionCache, isOfferable, readCache } from './cache.ts';
import type { Tree, TreeCommand, TreeNoun, TreeOption, Value } from './tree.ts';

export type Surroundings = Pick<System, 'environment' | 'platform'> & {
  /** The commands, as the build wrote them down or as they are defined. */
  readonly tree: () => Promise<Tree>;
};

/** A word to complete to, and what it means. */
export type Offer = { readonly word: string; readonly text: string };

type Question = {
  readonly tree: Tree;
  readonly place: Place;
  readonly surroundings: Surroundings;
};

/** `paths` and `program` are for the shell to find. */
type Answer = {
  readonly offers: readonly Offer[];
  /** What stands in the word before the part that is completed. */
  readonly prefix?: string;
  /** Whether the meaning of a word, as the name of an insight, can be typed in place of it. */
  readonly byMeaning?: boolean;
  readonly paths?: 'files' | 'folders';
  readonly program?: number;
};

/**
 * The answer to Tab, a line each: a word, a tab, what the word means. `:files` or `:folders` with a prefix, and
 * `:command` with a position in the line, ask the shell to complete by itself. `words` are the name of the shell, the
 * line up to the cursor, and the word at the cursor behind a `=`, since PowerShell drops an empty one. Reads only
 * files. It never says that something is wrong: the command that is being typed will.
 */
export async function complete(words: readonly string[], surroundings: Surroundings): Promise<string> {
  const [shell = '', ...line] = words;
  const raw = line.at(-1)?.slice(1) ?? '';
  const typed = plainWord(raw);
  try {
    const tree = await surroundings.tree();
    const place = readLine(tree, line.slice(1, -1).map(plainWord));
    if (place === undefined) return '';
    const answer = await answerAt({ tree, place, surroundings }, typed);
    return answerLines(answer, { shell, typed, quote: /^['"]/.exec(raw)?.[0] });
  } catch {
    // Such as settings that do not fit together.
    return '';
  }
}

async function answerAt(question: Question, typed: string): Promise<Answer> {
  const { tree, place } = question;
  const { pending, noun, command } = place;
  const isFlag = !place.literal && typed.startsWith('-');
  const options = isFlag ? freeOptions(optionsAt(tree, place), place) : [];
  if (pending !== undefined) {
    const answer = await answerValue(question, pending.value, typed);
    return pending.bare ? { ...answer, offers: [...answer.offers, ...options] } : answer;
  }
  if (isFlag) {
    const { option, prefix, value } = splitOption(optionsAt(tree, place), typed);
    if (value === undefined) return { offers: options };
    const answer = await answerValue(question, option?.value, value);
    return { ...answer, prefix: `${prefix}${answer.prefix ?? ''}` };
  }
  if (noun === undefined) return { offers: nounOffers(question) };
  if (command === undefined) return { offers: verbOffers(noun.commands) };
  if (place.program !== undefined) return { offers: [], program: place.program };
  const last = command.arguments.length - 1;
  const position = command.many ? Math.min(place.count, last) : place.count;
  return answerValue(question, command.arguments[position], typed);
}

/** Those that are not on the line, or may be there again. */
function freeOptions(options: readonly TreeOption[], { given }: Place): readonly Offer[] {
  return options
    .filter((option) => option.repeated || !given.has(option))
    .flatMap(({ names, text }) => names.map((word) => ({ word, text })));
}

function nounOffers({ tree, place }: Question): readonly Offer[] {
  const entries = tree.nouns.map(({ name, text }) => ({ word: name, text }));
  if (!place.help) return [...entries, { word: 'help', text: 'Show the help of a command' }];
  return [...entries, ...tree.topics.map(({ name, text }) => ({ word: name, text }))];
}

const verbOffers = (commands: readonly { readonly names: readonly string[]; readonly text: string }[]) =>
  commands.flatMap(({ names, text }) => names.map((word) => ({ word, text })));

async function answerValue(question: Question, value: Value = {}, typed: string): Promise<Answer> {
  const { paths, words = [] } = value;
  if (paths === 'after-at')
    return typed.startsWith('@') ? { offers: [], prefix: '@', paths: 'files' } : NOTHING;
  const prefix = value.isList ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const named = prefix.split(',').slice(0, -1);
  // It is given back to the shell, which would read more in other words.
  if (!named.every(isOfferable)) return NOTHING;
  const found = await storedOffers(question, value.offers);
  const offers = [
    ...words.map((word) => ({ word, text: '' })),
    ...found.filter(({ word }) => isOfferable(word)),
  ]
    .filter(({ word }) => !named.includes(word))
    .map(({ word, text }) => ({ word: value.isKey ? `${word}=` : word, text }));
  const byMeaning = value.offers === 'insight';
  return { offers, prefix, byMeaning, ...(paths === undefined ? {} : { paths }) };
}

const NOTHING: Answer = { offers: [] };

async function storedOffers(question: Question, kind: Value['offers']): Promise<readonly Offer[]> {
  const nameless = (word: string): Offer => ({ word, text: '' });
  switch (kind) {
    case 'project':
      return readProjects(question).projects.map(({ name, id, host }) => ({
        word: name,
        text: `${id} at ${host}`,
      }));
    case 'run':
      return runNames(question).map(nameless);
    case 'insight':
      return cacheOf(question).insights.map(([word, text]) => ({ word, text }));
    case 'property':
      return cacheOf(question).properties.map(nameless);
    case 'columns':
      return columnNames(question).map(nameless);
    default:
      return [];
  }
}

function readProjects({ surroundings: { environment, platform } }: Question): StoredProjects {
  const directory = configDirectory(environment, platform);
  const parsed = directory && parseProjectList(readSmallFile(projectFile(directory)), platform);
  return parsed && 'list' in parsed ? { ...parsed.list, warnings: [] } : { projects: [], warnings: [] };
}

/** The latest first. */
function runNames({ surroundings: { environment, platform } }: Question): readonly string[] {
  const directory = stateDirectory(environment, platform);
  return directory === undefined ? [] : [...namesIn(join(directory, 'runs'))].sort().reverse();
}

/** The cache of the project and host that the command would use. Throws a usage error if it would use none. */
function cacheOf(question: Question): CompletionCache {
  const { place, surroundings } = question;
  const options = { project: optionValue(place, '--project'), host: optionValue(place, '--host') };
  const { environment } = surroundings;
  const { host, id } = findAccess({ options, environment, stored: readProjects(question) });
  return readCache(surroundings, { host: host.address, project: id });
}

/** Those of a command that needs no project, or of the project. */
function columnNames(question: Question): readonly string[] {
  const { place, surroundings } = question;
  const { noun, command } = place;
  if (noun === undefined || command === undefined) return [];
  const path = noun.single ? noun.name : `${noun.name} ${command.names[0]}`;
  return readCache(surroundings, undefined).columns[path] ?? cacheOf(question).columns[path] ?? [];
}

type Typed = {
  readonly shell: string;
  readonly typed: string;
  /** The quote that the typed word begins with. */
  readonly quote: string | undefined;
};

function answerLines(answer: Answer, { shell, typed, quote }: Typed): string {
  const { offers, prefix = '', paths, program } = answer;
  const rest = typed.slice(prefix.length);
  const fitting = offers.filter(({ word }) => word.startsWith(rest));
  const isBash = shell === 'bash';
  const chosen = fitting.length === 0 && isBash && answer.byMeaning ? byMeaning(offers, rest) : fitting;
  const lines = chosen.map(({ word, text }) => {
    const whole = prefix + word;
    // Bash takes a word as it is, and of what is offered it reads only $ as more than a letter.
    return isBash ? whole.replaceAll('$', quote === "'" ? '$$' : '\\$$') : `${whole}${describe(text)}`;
  });
  if (paths !== undefined) lines.push(`:${paths}\t${prefix}`);
  if (program !== undefined) lines.push(`:command\t${program}`);
  return lines.map((line) => `${line}\n`).join('');
}

/** Bash shows no descriptions, so the name of an insight leads to its short id if it is the only one. */
function byMeaning(offers: readonly Offer[], start: string): readonly Offer[] {
  const found = offers.filter(
    ({ text }) => start !== '' && text.toLowerCase().startsWith(start.toLowerCase()),
  );
  return found.length === 1 ? found : [];
}

function describe(text: string): string {
  const line = /^[ -~]*$/.test(text) ? text : text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return line === '' ? '' : `\t${line}`;
}

/** Where the words before the cursor lead. */
export type Place = {
  /** Whether `help` came first. */
  readonly help: boolean;
  readonly noun: TreeNoun | undefined;
  readonly command: TreeCommand | undefined;
  /** The option whose value comes next. */
  readonly pending: TreeOption | undefined;
  /** How many arguments are there, as themselves or by an option. */
  readonly count: number;
  readonly given: ReadonlyMap<TreeOption, string>;
  /** Whether `--` came, behind which nothing is an option. */
  readonly literal: boolean;
  /** The position of another program's name in the whole line, as in `sandbox exec -- npm test`. */
  readonly program: number | undefined;
};

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };
type Reading = Writable<Omit<Place, 'given'>> & { readonly given: Map<TreeOption, string> };

const start = (): Reading => ({
  help: false,
  noun: undefined,
  command: undefined,
  pending: undefined,
  count: 0,
  given: new Map(),
  literal: false,
  program: undefined,
});

/** Reads the words behind `hogctl`. Returns undefined if one of them is no noun or verb. */
function readLine(tree: Tree, words: readonly string[]): Place | undefined {
  let place = start();
  for (const [at, word] of words.entries()) {
    if (takesAsValue(place, word)) continue;
    if (word === '--' && !place.literal) place.literal = true;
    else if (!place.literal && isOption(word)) takeOption(place, tree, word);
    else if (place.command?.passThrough) {
      if (word !== 'hogctl') return { ...place, literal: true, program: at + 1 };
      place = start();
    } else if (!takeWord(place, tree, word)) return undefined;
  }
  return place.command?.passThrough ? { ...place, program: words.length + 1 } : place;
}

const isOption = (word: string): boolean => word.startsWith('-') && word !== '-';

function takesAsValue(place: Reading, word: string): boolean {
  const { pending } = place;
  place.pending = undefined;
  if (pending === undefined) return false;
  if (pending.bare && !pending.value?.words?.includes(word)) return false;
  place.given.set(pending, word);
  return true;
}

/** Takes a noun, a verb or an argument. Returns false for a noun or verb that there is not. */
function takeWord(place: Reading, tree: Tree, word: string): boolean {
  if (place.command !== undefined) {
    place.count += 1;
  } else if (place.noun !== undefined) {
    place.command = place.noun.commands.find(({ names }) => names.includes(word));
    return place.command !== undefined;
  } else if (word === 'help' && !place.help) {
    place.help = true;
  } else {
    place.noun = tree.nouns.find(({ name }) => name === word);
    place.command = place.noun?.single;
    return place.noun !== undefined;
  }
  return true;
}

function takeOption(place: Reading, tree: Tree, word: string): void {
  const { option, value } = splitOption(optionsAt(tree, place), word);
  if (option === undefined) return;
  if (option.standsIn) place.count += 1;
  place.given.set(option, value ?? '');
  if (option.value !== undefined && value === undefined) place.pending = option;
}

/** The options that may stand at a place. */
function optionsAt(tree: Tree, { noun, command }: Pick<Place, 'noun' | 'command'>) {
  const own = noun === undefined ? tree.rootOptions : (command?.options ?? []);
  return [...own, ...tree.options];
}

type Split = {
  readonly option: TreeOption | undefined;
  /** The value that is joined on, and what stands before it. */
  readonly value?: string;
  readonly prefix?: string;
};

/** The option of `--name`, `--name=value`, `-n`, `-nvalue`, `-n=value`, or the last of several letters. */
function splitOption(options: readonly TreeOption[], word: string): Split {
  const named = (name: string) => options.find(({ names }) => names.includes(name));
  if (word.startsWith('--')) {
    const [name = '', ...rest] = word.split('=');
    return rest.length === 0
      ? { option: named(name) }
      : { option: named(name), prefix: `${name}=`, value: rest.join('=') };
  }
  for (let at = 1; at < word.length; at += 1) {
    const option = named(`-${word[at]}`);
    if (at === word.length - 1) return { option };
    if (option?.value === undefined) continue;
    const end = word[at + 1] === '=' ? at + 2 : at + 1;
    return { option, prefix: word.slice(0, end), value: word.slice(end) };
  }
  return { option: undefined };
}

/** The value of an option on the line, the last one if there are several. */
function optionValue(place: Place, name: string): string | undefined {
  for (const [option, value] of place.given) if (option.names.includes(name)) return value;
  return undefined;
}

/** A word as the command would get it, of one as it stands on the line: without its quotes. */
export function plainWord(word: string): string {
  let plain = '';
  let quote = '';
  for (let at = 0; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    if (letter === quote) quote = '';
    else if (quote === '' && (letter === "'" || letter === '"')) quote = letter;
    else if (letter === '\\' && quote !== "'" && at + 1 < word.length) plain += word[++at];
    else plain += letter;
  }
  return plain;
}
