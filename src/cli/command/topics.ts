import { oddReasons } from '../../erasure/input/checks.ts';
import { formats } from '../../print/formats.ts';
import { ABOUT_OPTIONS, GLOBAL_OPTIONS, type Option, optionText, optionUsage } from './options.ts';

/** One block of a topic: examples to type, then two columns, then sentences. */
export type TopicPart = {
  readonly title?: string;
  /** Commands without the word hogctl. */
  readonly examples?: readonly string[];
  readonly rows?: readonly (readonly [string, string])[];
  readonly text?: readonly string[];
};

/** What `hogctl help <name>` shows beside the help of commands. */
export type Topic = {
  readonly name: string;
  readonly summary: string;
  readonly parts: readonly TopicPart[];
};

const options: Topic = {
  name: 'options',
  summary: 'Options that every command takes',
  parts: [
    { text: ['Write them before or after the name of the command.'] },
    {
      rows: Object.entries<Option>({ ...GLOBAL_OPTIONS, ...ABOUT_OPTIONS }).map(
        ([name, option]) => [optionUsage(name, option), optionText(option)] as const,
      ),
    },
  ],
};

const environment: Topic = {
  name: 'environment',
  summary: 'Variables that hogctl reads',
  parts: [
    {
      text: ['An option wins over a variable, and a variable over a stored project.'],
    },
    {
      title: 'Project and key',
      rows: [
        ['HOGCTL_API_KEY', 'A personal API key; needs project and host as well'],
        ['HOGCTL_PROJECT', 'The project id, or the name of a stored project'],
        ['HOGCTL_HOST', 'us, eu or a URL'],
        ['HOGCTL_PROTECTED', '1: require --confirm <project id> before anything is destroyed'],
        ['HOGCTL_DIALECT', 'live or specification: the form of requests, if the host does not show it'],
        [
          'POSTHOG_CLI_API_KEY',
          "The vendor's own name, read with POSTHOG_CLI_PROJECT_ID and POSTHOG_CLI_HOST when all three are set",
        ],
      ],
    },
    {
      title: 'Directories',
      rows: [
        ['HOGCTL_CONFIG_DIR', 'Stored projects and their keys; else below XDG_CONFIG_HOME, APPDATA or home'],
        ['HOGCTL_STATE_DIR', 'Runs of bulk deletions; else below XDG_STATE_HOME, LOCALAPPDATA or home'],
        [
          'HOGCTL_CACHE_DIR',
          'Names for completion, and compiled code; else below XDG_CACHE_HOME, LOCALAPPDATA or home',
        ],
        [
          'HOGCTL_NO_CACHE',
          'If not empty, keep nothing there: no names are offered, and starting takes longer',
        ],
        ['HOGCTL_NO_NAMES', 'If not empty, keep and offer no names'],
      ],
    },
    {
      title: 'Network',
      rows: [
        ['HTTPS_PROXY', 'The proxy; HTTP_PROXY, ALL_PROXY and the names in lower case work too'],
        ['NO_PROXY', 'Hosts to reach without a proxy, separated by commas'],
        ['NODE_EXTRA_CA_CERTS', 'File of more certificate authorities, as --ca-file'],
        ['HOGCTL_CLIENT_CERT', 'File, as --client-cert; HOGCTL_CLIENT_KEY as --client-key'],
      ],
    },
    {
      title: 'Terminal',
      rows: [
        ['NO_COLOR', 'If not empty, no colour; --color always wins over it'],
        ['FORCE_COLOR', 'Colour even without a terminal, unless it is 0 or false'],
        ['TERM', 'dumb means no colour, only ASCII, and no pager'],
        ['VISUAL', 'Editor for query --edit; else EDITOR'],
        ['HOGCTL_PAGER', 'Pager for long output; else PAGER, else less. Empty or cat: no pager'],
        ['LESS', 'Options of less, else FRX'],
        ['CI', 'If not empty and not false, no question and no pager'],
        ['LC_ALL', 'Whether charts may use more than ASCII; else LC_CTYPE, else LANG'],
      ],
    },
    {
      title: 'Where completion install writes',
      rows: [
        ['SHELL', 'Shell to set up if none is given'],
        ['XDG_DATA_HOME', 'Scripts for bash, zsh and PowerShell; BASH_COMPLETION_USER_DIR for bash wins'],
        ['XDG_CONFIG_HOME', 'The script for fish, and the profile of PowerShell'],
        ['ZDOTDIR', 'Directory of .zshrc, which gets three lines'],
      ],
    },
    {
      title: 'GitHub Actions',
      rows: [['GITHUB_ACTIONS', 'true: insights check annotates, and adds to the file GITHUB_STEP_SUMMARY']],
    },
    { text: ['hogctl auth status shows each setting and its source.'] },
  ],
};

const exitCodes: Topic = {
  name: 'exit-codes',
  summary: 'What an exit code tells a script',
  parts: [
    {
      rows: [
        ['0', 'done: also for an empty list, and if the reader closed the pipe'],
        ['1', 'bug: a bug in hogctl; --debug shows where'],
        ['2', 'usage: the command is wrong, or it needs something that is missing; nothing was changed'],
        ['3', 'not-found: the service does not have it'],
        ['4', 'authentication: the key is wrong, or lacks a scope'],
        ['5', 'refused: the service refused, or a run is locked or has lost its ids'],
        ['6', 'unavailable: no answer after all retries; try again later'],
        ['7', 'cancelled: you answered no; nothing was changed'],
        ['8', 'partial: partly done, or the outcome is unknown; check before you repeat it'],
        ['9', 'check: a requested check does not hold'],
        ['130', 'interrupted: Ctrl-C, or the terminal was closed'],
        ['143', 'terminated: SIGTERM'],
      ],
    },
    {
      text: [
        'The texts of messages may change, the codes do not. With -o json or ndjson, if stderr is not a terminal, an error is one line of JSON. It is the last line on stderr, and its kind is the word above. sandbox exec exits with the code of its command.',
      ],
    },
  ],
};

const output: Topic = {
  name: 'output',
  summary: 'Formats, columns and files',
  parts: [
    {
      examples: [
        'persons list --all -o csv --columns id,properties.email --save people.csv',
        'persons list --all -o ndjson | wc -l',
      ],
    },
    {
      title: 'Formats',
      rows: [
        ...Object.entries(formats).map(([name, { about }]) => [name, about] as const),
        [
          'svg, html',
          'The chart of an insight as a picture, or as a page with its figures: --save chart.svg',
        ],
      ],
    },
    {
      text: [
        'Data goes to stdout, notes and warnings to stderr. A terminal only changes colour and width. If it is too narrow for a table, UUIDs and times are shortened and minor columns left out, and a note says so. Names and emails are shortened last. --columns chooses and orders columns; a dotted path reads a nested field. --save writes the whole file or none. -q hides notes; warnings are still shown.',
        'A list without --all ends after --limit rows (default 100), and warns if there are more. -o ndjson prints a JSON value per line, for jq and the like. Numbers keep their digits.',
      ],
    },
  ],
};

const erasure: Topic = {
  name: 'erasure',
  summary: 'How to erase many people, and prove it',
  parts: [
    {
      title: 'Steps of a request',
      examples: [
        'persons bulk-delete --from people.csv --as emails --dry-run',
        'persons bulk-delete --from people.csv --as emails --delete-events',
        'runs verify last',
        'runs verify --due',
        'runs report last --save report.html',
        'runs find --emails ana.berg@example.org',
      ],
    },
    {
      text: [
        'The dry run shows for each line who has the address, in upper or lower case. The second command shows its plan, asks, and then starts. --column names the column of the addresses, and --sheet the sheet of a workbook. For the ids that events carry, use --as distinct-ids.',
        '--except <file> leaves out people on legal hold. --receipt <file> writes the list again with an answer on each line. --projects a,b deletes in several projects. --received <day> says when the request came in. runs find tells whether somebody was erased.',
        'With --plan-only the command stops after its plan. Another person can check the plan with runs show, and runs resume carries out exactly that plan.',
        'Addresses and ids that look damaged, such as null or 1.23E+15, are refused with their lines, unless --odd skip or --odd send is given.',
        'Each step is written to a journal before it is sent. After Ctrl-C, a crash or a network failure, resume sends what is not known to be done.',
        'The service deletes events on Sundays at 05:00 UTC. Until then their deletion is only requested, and verify exits with 9. On Monday, run verify --due to verify every run that owes something; --wait repeats until it holds. Without --delete-events, events are kept.',
        'verify asks the person list and SQL. If the service has no deletion status, it counts events through SQL, which needs query:read. It lists people who came back, with the distinct id that still sends events.',
        'Ids stay in the record as long as something is owed. runs prune <run> gives up a run, and its report says so.',
        'The report names no person. With the report, the check key of the run and an id, you can tell whether that id was in the run.',
      ],
    },
  ],
};

const odd: Topic = {
  name: 'odd',
  summary: 'Which ids and addresses look damaged',
  parts: [
    {
      text: [
        'A list is refused if a line in it is one of these. --odd skip leaves such lines out, and --odd send says that they are meant.',
      ],
    },
    { rows: oddReasons.map((reason) => ['-', reason] as const) },
  ],
};

const security: Topic = {
  name: 'security',
  summary: 'Where keys and ids go, and where they do not',
  parts: [
    {
      text: [
        'A key is typed at a prompt, piped in with --key-stdin, or set in HOGCTL_API_KEY; no option takes it. auth login stores it in a file that only you can read. It is only sent to the host it was stored for, and is masked in errors, --debug and --dry-run.',
        'Nothing is destroyed without a typed answer, or --yes with a project named by option or variable. A project stored with --protected must also be confirmed by name, at the question or with --confirm <name>.',
        'A bulk deletion keeps its ids in a file that only you can read, until runs verify holds.',
        'hogctl talks to no other service. It has no telemetry, and only version --check looks for a newer version.',
      ],
    },
  ],
};

export const TOPICS: readonly Topic[] = [options, environment, exitCodes, output, erasure, odd, security];
