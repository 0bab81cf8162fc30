import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect, Endpoint } from '../../src/service/endpoint.ts';
import { splitWords } from '../support/split-words.ts';
import { allLeaves, type Leaf } from '../unit/cli/command-leaves.ts';
import { HARD_KEY } from './secrets.ts';

/** Where one call of the program has its service and its files. */
export type Place = { readonly origin: string; readonly folder: string };

/** `run`: a deletion with a record that can be resumed. */
export type Effect = Endpoint['effect'] | 'run';

/** How a command is called so that it sends requests. `effect` is that of its first request, by dialect. */
export type Invocation = {
  readonly path: string;
  readonly effect: Readonly<Record<Dialect, Effect>>;
  readonly words: (place: Place) => readonly string[];
  readonly stdin?: string;
  /** The one format that it knows, if so. */
  readonly output?: 'json';
  /** It wants a run that is planned and not begun. */
  readonly wantsRun: boolean;
  /** Whether a 2xx without a body is an answer to it. */
  readonly takesNothing: boolean;
  /** The faults that it copes with, and ends with 0. */
  readonly copes: (fault: string) => boolean;
};

type Exception = Partial<Pick<Invocation, 'stdin' | 'words' | 'wantsRun' | 'copes'>> & {
  readonly effect?: Effect;
  readonly live?: Effect;
};

/** Commands that send nothing, and why. */
export const LOCAL: Readonly<Record<string, string>> = {
  'runs list': 'reads the records of runs',
  'runs show': 'reads the record of a run',
  'runs find': 'reads the records of runs',
  'runs report': 'reads the record of a run',
  'runs check': 'reads the record of a run',
  'runs prune': 'removes records of runs',
  'auth list': 'reads the stored projects',
  'auth use': 'changes the stored projects',
  'auth logout': 'changes the stored projects',
  'sandbox start': 'is the service',
  'sandbox exec': 'is the service, and runs another command',
  'completion install': 'writes files of the shell',
  'completion uninstall': 'removes files of the shell',
  'completion clear': 'removes names that are kept',
  'completion bash': 'prints a script',
  'completion zsh': 'prints a script',
  'completion fish': 'prints a script',
  'completion powershell': 'prints a script',
  version: 'asks nobody, or npm',
};

const runIn = ({ folder }: Place): string => {
  const runs = join(folder, 'state', 'runs');
  return join(runs, readdirSync(runs)[0] ?? 'none');
};

const PASSED_ON = ['web page with 200', 'not JSON', 'empty body with 200'];

/** Commands whose first example needs something that stands elsewhere, or is more than one kind of call. */
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  'persons export': { words: () => ['persons', 'export'] },
  // People are looked up before they are deleted.
  'persons delete': { effect: 'read' },
  'persons bulk-delete': {
    effect: 'read',
    words: () => splitWords('persons bulk-delete --distinct-ids user_1,user_2'),
  },
  // Whose ids are split is read first.
  'persons split': { effect: 'read' },
  'runs resume': {
    effect: 'run',
    wantsRun: true,
    words: (place) => ['runs', 'resume', runIn(place), '--trust-record'],
  },
  'runs verify': { wantsRun: true, words: (place) => ['runs', 'verify', runIn(place)] },
  // What goes with it for good is read first, for the question.
  'insights delete': { effect: 'read' },
  'insights pull': { words: ({ folder }) => ['insights', 'pull', join(folder, 'pulled')] },
  'insights push': { effect: 'read', words: ({ folder }) => ['insights', 'push', join(folder, 'insights')] },
  // The live service drops unknown insights silently, so that the insight is read first.
  'insights viewed': { live: 'read' },
  'insights cancel': { words: () => ['insights', 'cancel', '0192f0c1-7a30-7000-8000-000000000001'] },
  'auth login': {
    words: ({ origin }) => splitWords(`auth login --host ${origin} --project 1 --name shop --key-stdin`),
    stdin: HARD_KEY,
    copes: (fault) => fault === '404',
  },
  // A service without that address does not tell what a key may do; without a key's rights the table is whole.
  'auth status': { copes: (fault) => fault === '404' },
  endpoints: { copes: () => true },
  // Passes on whatever comes with a 2xx.
  api: { copes: (fault) => PASSED_ON.includes(fault) },
};

/** One invocation of every command that sends requests, made of the command tree. */
export async function allInvocations(): Promise<readonly Invocation[]> {
  return (await allLeaves()).filter(({ path }) => !(path in LOCAL)).map(invocationOf);
}

function invocationOf({ path, command }: Leaf): Invocation {
  const { words, stdin, wantsRun = false, copes = () => false, ...effects } = EXCEPTIONS[path] ?? {};
  const [example = ''] = command.examples;
  const effect = effects.effect ?? command.endpoints[0]?.effect ?? 'read';
  return {
    path,
    effect: { specification: effect, live: effects.live ?? effect },
    wantsRun,
    takesNothing: effect !== 'read' && command.endpoints[0]?.emptyBody === 'allowed',
    copes,
    words: (place) => [...(words?.(place) ?? splitWords(example)), '--yes'],
    ...(stdin === undefined ? {} : { stdin }),
  };
}

/** A folder with an insight's file and a copy of the runs in `state`. */
export function furnish(folder: string, state: string | undefined): void {
  mkdirSync(join(folder, 'insights'), { recursive: true });
  const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] };
  const insight = { name: 'Visitors', query: { kind: 'InsightVizNode', source } };
  writeFileSync(join(folder, 'insights', 'visitors.json'), JSON.stringify(insight));
  if (state !== undefined) cpSync(state, join(folder, 'state'), { recursive: true });
}

/** Commands that send several requests: they look somebody up first, read page after page, wait, or write in parts. */
const LONGER: readonly string[] = [
  'persons get --email user_42@example.org',
  'persons update --distinct-id user_42 --set a=1',
  'persons delete --email user_42@example.org',
  'persons split --distinct-id user_42 --main user_42',
  'persons list --all --limit 2',
  'persons export 42 --with-events',
  'persons bulk-delete --distinct-ids user_1,user_2,user_3 --batch-size 1',
  'persons bulk-delete --property plan:exact=a --max 9 --batch-size 2',
  'persons bulk-delete 1 2 3 --batch-size 1 --delete-events',
  'insights get short42 --refresh async --wait --wait-timeout 5',
  'insights update short42 --name new',
  'insights delete short42',
  'insights viewed 1 2',
  'insights check short42 --expect "last >= 1"',
  'query "select 1" --async --wait --wait-timeout 5s',
  'api GET persons/ --paginate',
];

export const longerInvocations: readonly Invocation[] = LONGER.map((line) => ({
  path: line,
  ...(line.startsWith('persons export') ? { output: 'json' as const } : {}),
  effect: { specification: 'read', live: 'read' },
  wantsRun: false,
  takesNothing: false,
  copes: () => false,
  words: () => [...splitWords(line), '--yes'],
}));
