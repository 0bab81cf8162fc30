import { join } from 'node:path';
import type { Argument, Option, Options } from '../cli/command/options.ts';
import { spellingsOf, splitOption } from '../cli/command/spelling.ts';
import { counted } from '../errors.ts';
import {
  configDirectory,
  projectFile,
  type StoredProjects,
  stateDirectory,
} from '../settings/project-file.ts';
import { findAccess } from '../settings/resolve-settings.ts';
import { namesIn, readSmallFile } from '../system/files.ts';
import type { System } from '../system/system.ts';
import {
  type CompletionCache,
  isKept,
  isOfferable,
  isQuotable,
  listOf,
  parseRecord,
  readCache,
  recordOf,
} from './cache.ts';
import type { FileNames } from './names-in-file.ts';
import { optionsAt, type Place, plainWord, readLine, readTree, type Tree } from './tree.ts';

export type Surroundings = Pick<System, 'environment' | 'platform'> & {
  /** The commands, as `writeTree` writes them. */
  readonly tree: string;
  readonly namesInFile: (file: FileNames) => Promise<readonly string[]>;
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
  /** Whose names are offered, too. */
  readonly file?: FileNames;
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
    const tree = readTree(surroundings.tree);
    const place = readLine(tree, line.slice(1, -1).map(plainWord));
    if (place === undefined) return '';
    const answer = answerAt({ tree, place, surroundings }, typed);
    const names = answer.file === undefined ? [] : await surroundings.namesInFile(answer.file);
    const offers = [...answer.offers, ...names.filter(isQuotable).map(nameless)];
    return answerLines({ ...answer, offers }, { shell, typed, quote: /^['"]/.exec(raw)?.[0] });
  } catch {
    // Such as settings that do not fit together.
    return '';
  }
}

function answerAt(question: Question, typed: string): Answer {
  const { place } = question;
  const { pending, noun, command } = place;
  const isFlag = !place.literal && typed.startsWith('-');
  const options = isFlag ? freeOptions(optionsAt(place), place) : [];
  if (pending !== undefined) {
    const answer = answerValue(question, pending.option, typed);
    return pending.option.bare ? { ...answer, offers: [...answer.offers, ...options] } : answer;
  }
  if (isFlag) {
    const { option, prefix, value } = splitOption(optionsAt(place), typed) ?? {};
    if (value === undefined) return { offers: options };
    const answer = answerValue(question, option, value);
    return { ...answer, prefix: `${prefix}${answer.prefix ?? ''}` };
  }
  if (noun === undefined) return { offers: nounOffers(question) };
  if (command === undefined) return { offers: noun.commands.flatMap(verbOffers) };
  if (place.program !== undefined) return { offers: [], program: place.program };
  const all = Object.values(command.arguments);
  const argument = all[place.count] ?? all.findLast(({ type }) => type === 'words' || type === 'insights');
  return answerValue(question, argument, typed);
}

const REPEATED = ['files', 'texts', 'repeated', 'integers', 'assignments', 'fields', 'properties', 'steps'];

/** Those that are not on the line, or may be there again. */
function freeOptions(options: Options, { given }: Place): readonly Offer[] {
  return Object.entries(options)
    .filter(([name, { type }]) => REPEATED.includes(type) || !given.has(name))
    .flatMap(([name, option]) =>
      spellingsOf(name, option)
        .slice(option.negative ? 1 : 0)
        .map((word) => ({ word, text: option.description })),
    );
}

function nounOffers({ tree, place }: Question): readonly Offer[] {
  const entries = tree.nouns.map(offerOf);
  if (!place.help) return [...entries, { word: 'help', text: 'Show the help of a command' }];
  return [...entries, ...tree.topics.map(offerOf)];
}

const offerOf = ({ name, summary }: Tree['topics'][number]): Offer => ({ word: name, text: summary });

const verbOffers = ({ name, aliases, summary }: Tree['nouns'][number]['commands'][number]) =>
  [name, ...aliases].map((word) => ({ word, text: summary }));

function answerValue(question: Question, of: Option | Argument | undefined, typed: string): Answer {
  const option = asOption(of);
  if (option === undefined) return NOTHING;
  if (option.offers?.startsWith('file ')) return { offers: [], ...fileOf(question, option) };
  const { type, choices = [] } = option;
  const paths = pathsOf(option);
  if (paths === 'after-at')
    return typed.startsWith('@') ? { offers: [], prefix: '@', paths: 'files' } : NOTHING;
  const prefix = type === 'texts' ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const named = prefix.split(',').slice(0, -1);
  // It is given back to the shell, which would read more in other words.
  if (!named.every(isOfferable)) return NOTHING;
  const stored = storedOffers(question, option.offers).filter(({ word }) => isOfferable(word));
  const free = [...choices.map(nameless), ...stored].filter(({ word }) => !named.includes(word));
  const isKey = type === 'assignments' || type === 'properties';
  const offers = isKey ? free.map(({ word, text }) => ({ word: `${word}=`, text })) : free;
  const byMeaning = option.offers === 'insight';
  return { offers, prefix, byMeaning, ...(paths === undefined ? {} : { paths }) };
}

/** Nothing for what nobody but the person knows. */
function asOption(of: Option | Argument | undefined): Option | undefined {
  if (of?.type === 'insight' || of?.type === 'insights')
    return { type: 'text', description: '', offers: 'insight' };
  return of === undefined || of.type === 'person' || of.type === 'words' ? undefined : of;
}

/** An option says by its type or its placeholder that its value is a path; `after-at`: of a file behind an `@`. */
export function pathsOf({ type, placeholder = '', description }: Option): Answer['paths'] | 'after-at' {
  if (type === 'json' || type === 'object' || /@file/.test(`${placeholder} ${description}`))
    return 'after-at';
  if (/^(folder|directory|dir)$/.test(placeholder)) return 'folders';
  return /\bfile$/.test(placeholder) || /^file\b/i.test(description) ? 'files' : undefined;
}

/** The list that an option on the line names. */
function fileOf(
  { place: { given }, surroundings }: Question,
  { of: list = 'from', offers }: Option,
): Pick<Answer, 'file'> {
  const word = given.get(list);
  if (word === undefined) return {};
  // The shell reads it so, if it is not quoted.
  const path = word.replace(/^~(?=\/)/, () => surroundings.environment.HOME ?? '~');
  const sheet = given.get(list === 'from' ? 'sheet' : 'exceptSheet');
  const encoding = given.get('encoding');
  return { file: { what: offers === 'file sheets' ? 'sheets' : 'columns', path, sheet, encoding } };
}

const nameless = (word: string): Offer => ({ word, text: '' });

const NOTHING: Answer = { offers: [] };

function storedOffers(question: Question, kind: Option['offers']): readonly Offer[] {
  switch (kind) {
    case 'project':
      return readProjects(question).projects.map(({ name, id, host }) => ({
        word: name,
        text: `${id} at ${host}`,
      }));
    case 'run':
      return runOffers(question);
    case 'insight':
      return cacheOf(question).insights.map(([word, text]) => ({ word, text }));
    case 'property':
      return cacheOf(question).properties.filter(isKept).map(nameless);
    case 'columns':
      return columnNames(question).filter(isKept).map(nameless);
    default:
      return [];
  }
}

/** What is needed of them and no more, since checking them takes as long as all the rest; the command will check. */
function readProjects({ surroundings: { environment, platform } }: Question): StoredProjects {
  const directory = configDirectory(environment, platform);
  const text = directory === undefined ? '' : readSmallFile(projectFile(directory));
  const found = parseRecord(text);
  const projects = listOf(found.projects)
    .map(recordOf)
    .flatMap(({ name, id, host }) =>
      typeof name === 'string' && typeof id === 'string' && typeof host === 'string'
        ? [{ name, id, host, key: '', protected: false }]
        : [],
    );
  return { projects, warnings: [], ...(typeof found.default === 'string' ? { default: found.default } : {}) };
}

/** The newest first, behind the word that stands for it, and then the requests that their plans name. */
function runOffers(question: Question): readonly Offer[] {
  const directory = runsOf(question);
  if (directory === undefined) return [];
  const names = [...namesIn(directory)].sort().reverse();
  const plans = names.map((name) => parseRecord(readSmallFile(join(directory, name, 'plan.json'))));
  const runs = plans.map((plan, at) => ({ word: names[at] ?? '', text: planText(plan) }));
  const requests = plans.flatMap(({ request }) => (typeof request === 'string' ? request : []));
  return [...newestOf(runs), ...runs, ...[...new Set(requests)].map(nameless)];
}

/** Which run `last` is, unless only the command can tell: of two runs of one second, or if the first one has no plan. */
function newestOf([run, next]: readonly Offer[]): readonly Offer[] {
  if (run === undefined) return [];
  const second = (offer: Offer | undefined) => offer?.word.slice(0, '20261128T120000Z'.length);
  const isSure = run.text !== '' && second(run) !== second(next);
  return [{ word: 'last', text: isSure ? `${run.word}: ${run.text}` : 'The newest run' }];
}

function planText(plan: ReturnType<typeof parseRecord>): string {
  const { name } = recordOf(plan.project);
  if (typeof plan.unique !== 'number' || typeof name !== 'string') return '';
  return `${counted(plan.unique, 'id')} in project ${name}`;
}

function runsOf({ surroundings: { environment, platform } }: Question): string | undefined {
  const directory = stateDirectory(environment, platform);
  return directory === undefined ? undefined : join(directory, 'runs');
}

/** The cache of the project and host that the command would use. Throws a usage error if it would use none. */
function cacheOf(question: Question): CompletionCache {
  const { place, surroundings } = question;
  const options = { project: place.given.get('project'), host: place.given.get('host') };
  const { environment } = surroundings;
  const { host, id } = findAccess({ options, environment, stored: readProjects(question) });
  return readCache(surroundings, { host: host.address, project: id });
}

/** Those of a command that needs no project, or of the project. */
function columnNames(question: Question): readonly string[] {
  const { place, surroundings } = question;
  const { noun, command } = place;
  if (noun === undefined || command === undefined) return [];
  const path = noun.single ? noun.name : `${noun.name} ${command.name}`;
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
  const lines = chosen.flatMap(({ word, text }) => {
    const whole = prefix + word;
    return isBash ? quoteForBash(whole, quote) : `${whole}${describe(text)}`;
  });
  if (paths !== undefined) lines.push(`:${paths}\t${prefix}`);
  if (program !== undefined) lines.push(`:command\t${program}`);
  return lines.map((line) => `${line}\n`).join('');
}

/** Bash takes a word as it is, behind the quote that is typed; nothing if that quote cannot hold it. */
function quoteForBash(word: string, quote: string | undefined): string | readonly [] {
  if (quote === "'") return word.includes("'") ? [] : word;
  return word.replace(quote === '"' ? /["$]/g : /[ "$&'()#?]/g, '\\$&');
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
