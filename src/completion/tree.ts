import { type Option, splitOption } from '../cli/command/options.ts';

/** What can stand in one place of the command line. */
export type Value = {
  readonly words?: readonly string[];
  /** `after-at`: files behind an `@`. */
  readonly paths?: 'files' | 'folders' | 'after-at';
  /** Names of stored projects, of runs, or from the completion cache. */
  readonly offers?: Option['offers'];
  /** Whether several can stand there, with commas. */
  readonly isList?: true;
  /** Whether `=` and a value follow. */
  readonly isKey?: true;
};

export type TreeOption = {
  /** Every spelling, the short one first. */
  readonly names: readonly string[];
  readonly text: string;
  /** Absent for a switch. */
  readonly value?: Value;
  /** The value may be left out, as in `--refresh`. */
  readonly bare?: true;
  readonly repeated?: true;
  /** It replaces an argument, as `--email` replaces a person. */
  readonly standsIn?: true;
};

export type TreeCommand = {
  /** The name, then aliases. */
  readonly names: readonly string[];
  readonly text: string;
  readonly options: readonly TreeOption[];
  readonly arguments: readonly Value[];
  /** Whether the last argument takes several words. */
  readonly many?: true;
  readonly passThrough?: true;
};

export type TreeNoun = {
  readonly name: string;
  readonly text: string;
  /** A noun that is a command itself. */
  readonly single?: TreeCommand;
  readonly commands: readonly TreeCommand[];
};

/** The whole command line as data. The build writes it down, so that Tab loads no command. */
export type Tree = {
  readonly nouns: readonly TreeNoun[];
  /** What only `help` explains. */
  readonly topics: readonly { readonly name: string; readonly text: string }[];
  /** Options of every command. */
  readonly options: readonly TreeOption[];
  /** Options that stand before every noun. */
  readonly rootOptions: readonly TreeOption[];
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
export function readLine(tree: Tree, words: readonly string[]): Place | undefined {
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
  } else if (word === 'help' && !place.help) {
    place.help = true;
  } else if (place.noun !== undefined) {
    place.command = place.noun.commands.find(({ names }) => names.includes(word));
    return place.command !== undefined;
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
export function optionsAt(tree: Tree, { noun, command }: Pick<Place, 'noun' | 'command'>) {
  const own = noun === undefined ? tree.rootOptions : (command?.options ?? []);
  // A command may know more values of an option that all have.
  const taken = new Set(own.flatMap(({ names }) => names));
  return [...own, ...tree.options.filter(({ names }) => !names.some((name) => taken.has(name)))];
}

/** The value of an option on the line, the last one if there are several. */
export function optionValue(place: Place, name: string): string | undefined {
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
