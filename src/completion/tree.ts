import type { Command, Group } from '../cli/command/command.ts';
import {
  ABOUT_OPTIONS,
  GLOBAL_OPTIONS,
  type Option,
  type Options,
  standIns,
} from '../cli/command/options.ts';
import { splitOption, wantsValue } from '../cli/command/spelling.ts';

/** What Tab needs to know of a command. */
type TreeCommand = Pick<
  Command,
  'name' | 'aliases' | 'summary' | 'arguments' | 'options' | 'passThrough' | 'special'
>;

type TreeNoun = Pick<Group, 'name' | 'summary' | 'single'> & { readonly commands: readonly TreeCommand[] };

/** The whole command line as data. The build writes it down, so that Tab loads no command. */
export type Tree = {
  readonly nouns: readonly TreeNoun[];
  /** What only `help` explains. */
  readonly topics: readonly { readonly name: string; readonly summary: string }[];
};

/** A line with all but the commands, then a line with the commands of each noun, since Tab parses only what it needs. */
export function writeTree({ nouns, ...rest }: Tree): string {
  const heads = nouns.map(({ commands: _, ...noun }) => noun);
  return [{ ...rest, nouns: heads }, ...nouns.map(({ commands }) => commands)]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

/** The tree of such a text, whose commands are parsed when they are looked at. */
export function readTree(text: string): Tree {
  const [head = '', ...lines] = text.split('\n');
  const tree: Tree = JSON.parse(head);
  const nouns = tree.nouns.map((noun, index) => ({
    ...noun,
    get commands() {
      return JSON.parse(lines[index] ?? '[]');
    },
  }));
  return { ...tree, nouns };
}

type Named = { readonly name: string; readonly option: Option };

/** Where the words before the cursor lead. */
export type Place = {
  /** Whether `help` came first. */
  readonly help: boolean;
  readonly noun: TreeNoun | undefined;
  readonly command: TreeCommand | undefined;
  /** The option whose value comes next. */
  readonly pending: Named | undefined;
  /** How many arguments are there, as themselves or by an option. */
  readonly count: number;
  /** The last value of each option on the line, by our name of the option. */
  readonly given: ReadonlyMap<string, string>;
  /** Whether `--` came, behind which nothing is an option. */
  readonly literal: boolean;
  /** The position of another program's name in the whole line, as in `sandbox exec -- npm test`. */
  readonly program: number | undefined;
};

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };
type Reading = Writable<Omit<Place, 'given'>> & { readonly given: Map<string, string> };

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
export function readLine(tree: Tree, words: readonly string[]): Place | undefined {
  let place = start();
  for (const [at, word] of words.entries()) {
    if (takesAsValue(place, word)) continue;
    if (word === '--' && !place.literal) place.literal = true;
    else if (!place.literal && isOption(word)) takeOption(place, word);
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
  const { name, option } = pending;
  if (option.bare !== undefined && !option.choices?.includes(word)) return false;
  place.given.set(name, word);
  return true;
}

/** Takes a noun, a verb or an argument. Returns false for a noun or verb that there is not. */
function takeWord(place: Reading, tree: Tree, word: string): boolean {
  if (place.command !== undefined) {
    place.count += 1;
  } else if (word === 'help' && !place.help) {
    place.help = true;
  } else if (place.noun !== undefined) {
    place.command = place.noun.commands.find(({ name, aliases }) => [name, ...aliases].includes(word));
    return place.command !== undefined;
  } else {
    place.noun = tree.nouns.find(({ name }) => name === word);
    place.command = place.noun?.single && place.noun.commands[0];
    return place.noun !== undefined;
  }
  return true;
}

function takeOption(place: Reading, word: string): void {
  const spelt = splitOption(optionsAt(place), word);
  if (spelt === undefined) return;
  // It replaces an argument, as `--email` replaces a person.
  if (place.command && Object.hasOwn(standIns(place.command), spelt.name)) place.count += 1;
  place.given.set(spelt.name, spelt.value ?? '');
  if (wantsValue(spelt)) place.pending = spelt;
}

/** The options that may stand at a place, those of the command first. */
export function optionsAt({ noun, command }: Pick<Place, 'noun' | 'command'>): Options {
  const { help, version } = ABOUT_OPTIONS;
  const own = noun === undefined ? { version } : ownOptions(command);
  const shown = Object.entries(own).filter(([, { hidden }]) => !hidden);
  // A command may know more values of an option that all have.
  return { ...Object.fromEntries(shown), ...GLOBAL_OPTIONS, help, ...Object.fromEntries(shown) };
}

function ownOptions(command: TreeCommand | undefined): Options {
  if (command === undefined) return {};
  const { output } = GLOBAL_OPTIONS;
  const special = command.special && { output: { ...output, choices: [...output.choices, command.special] } };
  return { ...standIns(command), ...command.options, ...special };
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
