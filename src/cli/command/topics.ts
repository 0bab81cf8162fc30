import { GLOBAL_OPTIONS, type Option, optionText, optionUsage } from './options.ts';

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

const HELP_OPTION: Option = { type: 'flag', short: 'h', description: 'Show help' };

const options: Topic = {
  name: 'options',
  summary: 'Options that every command takes',
  parts: [
    { text: ['They may stand before or after the name of the command.'] },
    {
      rows: Object.entries({
        ...GLOBAL_OPTIONS,
        help: HELP_OPTION,
        version: { ...HELP_OPTION, short: 'V', description: 'Show the version' },
      }).map(([name, option]) => [optionUsage(name, option), optionText(option)] as const),
    },
  ],
};

const environment: Topic = {
  name: 'environment',
  summary: 'Variables that hogctl reads',
  parts: [
    {
      text: ['An option wins over a variable, a variable over what is stored.'],
    },
    {
      title: 'Project and key',
      rows: [
        ['HOGCTL_API_KEY', 'A personal API key; needs project and host beside it'],
        ['HOGCTL_PROJECT', 'The project id, or the name of a stored project'],
        ['HOGCTL_HOST', 'us, eu or an address'],
        ['HOGCTL_PROTECTED', '1: this project needs --confirm <project id> before anything is destroyed'],
        [
          'HOGCTL_DIALECT',
          'live or specification: the form of requests, if the host does not tell which it reads',
        ],
        [
          'POSTHOG_CLI_API_KEY',
          "The vendor's own name, read with POSTHOG_CLI_PROJECT_ID and POSTHOG_CLI_HOST when all three are set",
        ],
      ],
    },
    {
      title: 'Directories',
      rows: [
        [
          'HOGCTL_CONFIG_DIR',
          'Where stored projects and their keys lie; else below XDG_CONFIG_HOME, APPDATA or home',
        ],
        [
          'HOGCTL_STATE_DIR',
          'Where bulk deletions keep their runs; else below XDG_STATE_HOME, LOCALAPPDATA or home',
        ],
        [
          'HOGCTL_CACHE_DIR',
          'Where names for completion and compiled code are kept; else below XDG_CACHE_HOME, LOCALAPPDATA or home',
        ],
        [
          'HOGCTL_NO_CACHE',
          'If it holds anything, nothing is kept there: no names are offered, and starting takes longer',
        ],
        ['HOGCTL_NO_NAMES', 'If it holds anything, no names are kept there, and none offered'],
      ],
    },
    {
      title: 'Network',
      rows: [
        ['HTTPS_PROXY', 'The proxy; HTTP_PROXY, ALL_PROXY and the names in lower case work too'],
        ['NO_PROXY', 'Hosts to reach without it, with commas'],
        ['NODE_EXTRA_CA_CERTS', 'A file of more certificate authorities, as --ca-file'],
        ['HOGCTL_CLIENT_CERT', 'A file, as --client-cert; HOGCTL_CLIENT_KEY as --client-key'],
      ],
    },
    {
      title: 'Terminal',
      rows: [
        ['NO_COLOR', 'No colour, if it holds anything; --color always wins over it'],
        ['FORCE_COLOR', 'Colour without a terminal too, unless it is 0 or false'],
        ['TERM', 'dumb means no colour, only ASCII, and no pager'],
        ['VISUAL', 'The editor of query --edit; else EDITOR'],
        ['HOGCTL_PAGER', 'The pager of long output; else PAGER, else less. Empty or cat: none'],
        ['CI', 'No pager, if it holds anything but false; LESS: options of less, else FRX'],
        ['LC_ALL', 'Whether charts may use more than ASCII; else LC_CTYPE, else LANG'],
      ],
    },
    {
      title: 'Where completion install writes',
      rows: [
        ['SHELL', 'The shell that it sets up unless one is named'],
        ['XDG_DATA_HOME', 'Scripts for bash, zsh and PowerShell; BASH_COMPLETION_USER_DIR for bash wins'],
        ['XDG_CONFIG_HOME', 'The script for fish, and the profile of PowerShell'],
        ['ZDOTDIR', 'Where the .zshrc is that gets three lines'],
      ],
    },
    {
      title: 'GitHub Actions',
      rows: [['GITHUB_ACTIONS', 'true: insights check annotates, and adds to the file GITHUB_STEP_SUMMARY']],
    },
    { text: ['hogctl auth status shows each setting and where it came from.'] },
  ],
};

const exitCodes: Topic = {
  name: 'exit-codes',
  summary: 'What an exit code tells a script',
  parts: [
    {
      rows: [
        ['0', 'done: an empty list and a reader who closed the pipe are that too'],
        ['1', 'bug: a bug in hogctl; --debug shows where'],
        ['2', 'usage: the command is wrong, or something that it needs is missing; nothing was changed'],
        ['3', 'not-found: the service has no such thing'],
        ['4', 'authentication: the key, or a scope that it lacks'],
        ['5', 'refused: the service said no, or a run is locked or lacks its ids'],
        ['6', 'unavailable: no answer in spite of all retries; try again later'],
        ['7', 'cancelled: the answer was no; nothing was changed'],
        ['8', 'partial: partly done, or the outcome is unknown; look before you repeat it'],
        ['9', 'check: a check that was asked for does not hold'],
        ['130', 'interrupted: Ctrl-C, or the terminal has gone'],
        ['143', 'terminated: SIGTERM'],
      ],
    },
    {
      text: [
        'Texts of messages may change, codes do not. With -o json or ndjson, and stderr not a terminal, an error is one line of JSON, the last on stderr, with the word above as its kind. sandbox exec ends with the code of its command.',
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
        ['table', 'For people; the default'],
        ['json', 'As the service sent it, numbers with their own digits'],
        ['ndjson', 'A line for each row, for pipes'],
        ['csv, tsv', 'For spreadsheets; with --spreadsheet-safe if other people chose the values'],
        [
          'svg, html',
          'The chart of an insight as a picture, or as a page with its figures: --save chart.svg',
        ],
        ['parquet', 'Files of query and persons export, with types; times are UTC, the rest is JSON'],
      ],
    },
    {
      text: [
        'Data goes to stdout, notes and warnings to stderr. A terminal changes colour and width. If it is too narrow for a table, UUIDs and times are shortened and minor columns left out, which a note names; names and addresses stay. --columns chooses and orders fields, and a dotted path reaches inside one. --save writes a file that is complete or not there. -q leaves out notes; warnings stay.',
        'A list without --all ends after --limit rows, 100 unless said otherwise, and warns if there are more. --jq runs a program of jq over the JSON of an answer, over a list page by page, each an array of rows. Texts come without quotes, unless -o ndjson or the name of the file says that each line is JSON. Numbers keep their digits unless the program calculates; 1e1000 becomes 1E+1000. A program that fails on the answer ends with 8.',
      ],
    },
  ],
};

const erasure: Topic = {
  name: 'erasure',
  summary: 'Erasing many people, and the proof of it',
  parts: [
    {
      title: 'The way of a request',
      examples: [
        'persons bulk-delete --from people.csv --as distinct-ids --column distinct_id --delete-events --plan-only',
        'runs show 20261128T120000Z',
        'runs resume 20261128T120000Z',
        'runs verify last',
        'runs verify --due',
        'runs report last --save report.md',
      ],
    },
    {
      text: [
        'The first command plans and stops; another person can read the plan, and resume carries out exactly that. Without --plan-only it asks, then starts at once.',
        'Ids that look damaged, such as null or 1.23E+15, are refused with their lines; --allow-odd-ids says that they are meant. If the only column has a name of its own, --column says it.',
        'Each step is in a journal before it is sent. After Ctrl-C, a crash or a lost network, resume sends what is not known to be done.',
        'Events are deleted by the service on Sundays at 05:00 UTC. Until then they are requested, not deleted, and verify ends with 9. On Monday verify --due asks about every run that owes something; --wait asks until it holds. Without --delete-events events stay.',
        'verify asks the person list and SQL, and counts events through SQL if the service has no deletion status; that takes query:read. People who came back are named with the distinct id that still sends.',
        'Ids stay in the record as long as something is owed. runs prune <run> gives one up, and its report says so.',
        'The report names no person. Those who have it, the check key of the run and an id can tell whether that id was in the run.',
      ],
    },
  ],
};

const security: Topic = {
  name: 'security',
  summary: 'Where keys and ids go, and where they do not',
  parts: [
    {
      text: [
        'A key is typed at a prompt, piped in with --key-stdin, or set in HOGCTL_API_KEY; no option takes it. auth login stores it in a file that only you can read. It goes to the host it was stored for and nowhere else, and is masked in errors, --debug and --dry-run.',
        'Nothing is destroyed without a typed answer, or --yes together with a project named by option or variable. A project stored with --protected must be named, at the question or by --confirm <name>, also with --yes.',
        'A bulk deletion keeps its ids in a file that only you can read, until runs verify holds, or at once with --drop-ids.',
        'hogctl speaks to no other service: no telemetry, and no look for a newer version unless version --check asks for it.',
      ],
    },
  ],
};

export const TOPICS: readonly Topic[] = [options, environment, exitCodes, output, erasure, security];
