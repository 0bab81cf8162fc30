import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { mutateBytes, ODD_TEXTS } from './chance.mjs';

/** Commands that read, of every noun; `1` and the ids are those of the sample. */
const READS = [
  ...[
    'persons list --limit 5',
    'persons list --all --limit 200',
    'persons get 1',
    'persons get --distinct-id shopper-0001',
  ],
  ...[
    'persons get --email x@example.org',
    'persons activity 1',
    'persons activity',
    'persons timeline 1',
    'persons cohorts 1',
    'cohorts list',
    'cohorts persons 1 --all',
  ],
  ...[
    'persons export --save p.csv',
    'persons export',
    'persons export 1 --with-events',
    'persons duplicates --by email',
  ],
  ...[
    'persons funnel --events sign_up,order_completed',
    'persons lifecycle --events $pageview',
    'persons trends --events $pageview',
  ],
  ...[
    'persons stickiness --events $pageview --days 1',
    'persons funnel-correlation --events product_viewed,order_completed --correlated a',
  ],
  ...[
    'insights list',
    'insights list --all --full',
    'insights get 1',
    'insights get 2 --refresh --wait --wait-timeout 2',
    'insights get 3 --chart',
  ],
  ...[
    'insights get 4 --save x.svg',
    'insights activity 1',
    'insights activity',
    'insights sharing 1',
    'insights access-controls 1',
  ],
  ...[
    'insights last-viewed',
    'insights check 1 --expect last>=1',
    'insights pull defs',
    'insights trends --events $pageview',
  ],
  ...[
    'insights retention --events $pageview',
    'insights funnel --events product_viewed,order_completed',
    'insights lifecycle --events $pageview',
  ],
  ...[
    'insights stickiness --events $pageview',
    'insights global-access-controls 1',
    'projects list',
    'auth status',
    'endpoints',
  ],
  ...[
    'api GET insights/ -f limit=2',
    'api GET persons/ --paginate -f limit=50',
    'runs list',
    'persons deletion-status',
  ],
];
const OUTPUTS = [[], ['-o', 'json'], ['-o', 'ndjson'], ['-o', 'csv'], ['-o', 'tsv'], ['-o', 'table']];
const NOW = ['--retries', '0', '--timeout', '10'];

/** Options of every command: switches, and those that take a value. */
const GLOBALS = [
  ...['--no-headers', '--yes', '-y', '--dry-run', '--quiet', '-q', '--debug', '--help', '--version'].map(
    (name) => ({ names: [name] }),
  ),
  ...['--project', '-p', '--host', '--output', '-o', '--columns', '--save', '--confirm'].map((name) => ({
    names: [name],
    value: {},
  })),
  ...['--timeout', '--retries', '--ca-file', '--color'].map((name) => ({ names: [name], value: {} })),
];

/** Left out: what runs until Ctrl-C, asks npm, opens an editor, or runs a program that is named. */
const NEVER = /^(--watch|--edit|--key-command|--check|--self-test)$/;

function anyLine({ chance, tree }) {
  const noun = chance.pick(tree.nouns.filter(({ name }) => name !== 'sandbox'));
  const command = chance.pick(noun.commands);
  const words = noun.single ? [noun.name] : [noun.name, chance.pick(command.names)];
  const options = [...command.options, ...command.options, ...GLOBALS].filter(
    ({ names }) => !names.some((name) => NEVER.test(name)),
  );
  const option = () => {
    const { names, value } = chance.pick(options);
    const name = chance.pick(names);
    if (value === undefined) return [chance.often(0.9) ? name : `${name}=${chance.pick(ODD_TEXTS)}`];
    const text = chance.often(0.3) && value.words ? chance.pick(value.words) : chance.pick(ODD_TEXTS);
    return chance.often(0.3) && name.startsWith('--') ? [`${name}=${text}`] : [name, text];
  };
  const args = command.arguments.flatMap(() => (chance.often(0.85) ? [chance.pick(ODD_TEXTS)] : []));
  const parts = [
    ...args.map((one) => [one]),
    ...chance.some(4, option),
    ...(chance.often(0.1) ? [[chance.pick(ODD_TEXTS)]] : []),
  ];
  parts.sort(() => chance.random() - 0.5);
  const asked = parts.flat().some((word) => /^(-[a-z]*y|--yes)/.test(word));
  return {
    words: [...words, ...parts.flat(), ...(chance.often(0.5) ? NOW : [])].map((word) =>
      word.replaceAll('\0', ''),
    ),
    asked,
    mayWrite: true,
  };
}

function anyAnswer({ chance }) {
  const words = chance.pick(READS).split(' ');
  return { words: [...words, ...chance.pick(OUTPUTS), ...NOW], mutate: true };
}

const IDS = [
  'shopper-0001',
  'shopper-0002',
  'nobody',
  '1',
  'a@example.org',
  '0198d3a0-0000-7000-8000-000000000001',
  '""',
  '"a""b"',
  '#N/A',
  ' x ',
  '1,52E+18',
];

const USUAL = {
  ids: ['1', '2', '3', '999999', '0198d3a0-0000-7000-8000-000000000001'],
  emails: ['a@example.org', 'B@Example.org', 'nobody@example.org'],
  'distinct-ids': ['shopper-0001', 'shopper-0002', 'shopper-0003', 'nobody'],
};

function idText(chance, kind) {
  const strange = chance.pick([0, 0, 0, 0.05, 0.3]);
  const odd = chance.pick([IDS, ODD_TEXTS]);
  const lines = chance.some(40, () => chance.pick(chance.often(strange) ? odd : USUAL[kind]));
  const form = chance.below(10);
  if (form === 0) return JSON.stringify(lines);
  if (form === 1) return lines.map((id) => JSON.stringify({ distinct_id: id })).join('\n');
  if (form === 2)
    return `distinct_id;note\n${lines.map((id) => `${id};${chance.pick(ODD_TEXTS)}`).join('\r\n')}`;
  if (form === 3) return `"distinct_id","n"\n${lines.map((id) => `"${id}","1"`).join('\n')}`;
  return lines.join(chance.pick(['\n', '\n', '\n', '\r\n', '\n\n', '\t']));
}

/** A file in a ZIP, as far as a workbook needs it. */
function workbook(chance) {
  const sheet = `<?xml version="1.0"?><worksheet><sheetData>${chance.some(9, (at) => `<row r="${at + 1}"><c r="A${at + 1}" t="inlineStr"><is><t>${chance.pick(IDS).replace(/[<&]/g, '')}</t></is></c></row>`).join('')}</sheetData></worksheet>`;
  const data = deflateRawSync(Buffer.from(sheet));
  const name = Buffer.from('xl/worksheets/sheet1.xml');
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(data.length, 18);
  local.writeUInt32LE(sheet.length, 22);
  local.writeUInt16LE(name.length, 26);
  return Buffer.concat([local, name, data]);
}

const BULK_OPTIONS = [
  ['--column', 'distinct_id'],
  ['--odd', 'send'],
  ['--trim'],
  ['--odd', 'skip'],
  ['--delete-events'],
  ['--batch-size', '2'],
  ['--ignore-missing'],
  ['--receipt', 'receipt.csv'],
];

function anyIds({ chance, cwd, tree }) {
  const command = tree.nouns
    .find(({ name }) => name === 'persons')
    .commands.find(({ names }) => names.includes('bulk-delete'));
  const known = new Map(command.options.flatMap(({ names, value }) => names.map((name) => [name, value])));
  const kinds = known.get('--as')?.words ?? ['distinct-ids'];
  const kind = chance.pick([...kinds, 'distinct-ids', 'distinct-ids']);
  const text = idText(chance, kind);
  const forms = [
    ...Array(5).fill(Buffer.from(text)),
    Buffer.from(`\ufeff${text}`),
    Buffer.from(`\ufeff${text}`, 'utf16le'),
    workbook(chance),
  ];
  const encoded = chance.pick(forms);
  const bytes = chance.often(0.35) ? mutateBytes(encoded, chance) : encoded;
  const file = chance.pick(['ids.txt', 'ids.csv', 'ids.json', 'ids.ndjson', 'ids.xlsx']);
  writeFileSync(join(cwd, file), bytes);
  const more = chance.some(3, () => chance.pick(BULK_OPTIONS)).filter(([name]) => known.has(name));
  const asked = chance.often(0.6);
  const words = ['persons', 'bulk-delete', '--from', file, '--as', kind];
  const end = asked ? ['--yes', '-p', '1'] : ['--dry-run'];
  return {
    words: [...words, ...more.flat(), ...end, ...NOW],
    asked,
    given: bytes,
    mutate: chance.often(0.3),
  };
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function anyRun({ chance, state, sample }) {
  cpSync(sample.folder, state, { recursive: true });
  const files = filesBelow(state);
  for (let left = 1 + chance.below(2); left > 0 && files.length > 0; left -= 1) {
    const file = chance.pick(files);
    writeFileSync(file, chance.often(0.1) ? '' : mutateBytes(readFileSync(file), chance));
  }
  const run = chance.often(0.1) ? 'last' : chance.pick(sample.runs);
  const words = chance.pick([
    ...[
      ['list'],
      ['list', '--due'],
      ['check', run],
      ['show', run],
      ['report', run],
      ['report', run, '-o', 'json'],
      ['verify', run],
      ['verify', '--due'],
    ],
    ...[
      ...Array(6).fill(['resume', run, '--yes', '-p', '1']),
      ['resume', run, '--yes', '-p', '1'],
      ['prune', '--older-than', '0', '--yes'],
      ['prune', run, '--yes'],
      ['find', '--distinct-ids', 'shopper-0001'],
    ],
  ]);
  return { words: ['runs', ...words, ...NOW], asked: words[0] === 'resume', given: sample.given };
}

const TOKENS = [
  ...[
    'select',
    'select',
    'from',
    'from',
    'persons',
    'events',
    'where',
    'group by',
    'order by',
    'limit',
    'with',
    'as',
    'union all',
    'join',
    'on',
    'having',
  ],
  ...[
    'count()',
    'uniq(distinct_id)',
    'properties.plan',
    'person.properties.email',
    '$pageview',
    "'a'",
    "'a''b'",
    '"b"',
    '*',
    ',',
    '(',
    ')',
    '=',
    '>',
    '+',
    '-',
    ';',
    '--',
    '/*',
    '*/',
  ],
  ...[
    '1',
    '0',
    '1e400',
    'null',
    'now()',
    'toStartOfDay(timestamp)',
    'interval 1 day',
    'id',
    'event',
    'timestamp',
    'arrayJoin([1,2])',
    'x -> x',
    '{a}',
    '?',
    '::int',
    'between',
    'like',
    'in',
    'case when',
    'end',
  ],
  ...[
    'sqlite_master',
    'duckdb_tables()',
    "read_csv('x')",
    'pragma',
    'attach',
    'drop table persons',
    'delete from events',
    'copy',
    'set',
    'install',
    'repeat(event,1000)',
    'range(1000000000)',
    'recursive',
  ],
];
const STATEMENTS = [
  'select count() from persons',
  "select properties.plan, count() from persons where properties.plan = 'pro' group by 1 order by 2 desc limit 5",
  'select event, uniq(distinct_id) as people from events where timestamp > now() - interval 7 day group by event',
  'with a as (select * from persons) select id from a limit 3',
];

function anySql({ chance }) {
  const kind = chance.below(4);
  const statement = chance.pick(STATEMENTS);
  const words = statement.split(' ');
  for (let left = 1 + chance.below(3); left > 0; left -= 1)
    words.splice(chance.below(words.length), chance.below(2), chance.pick(TOKENS));
  const mutated = kind === 1 ? mutateBytes(Buffer.from(statement), chance).toString('utf8') : words.join(' ');
  const sql = kind === 0 ? chance.some(25, () => chance.pick(TOKENS)).join(' ') : mutated;
  return {
    words: [
      'query',
      `--output=${chance.pick(['json', 'csv', 'table'])}`,
      ...NOW,
      '--',
      sql.replaceAll('\0', ''),
    ],
    sql: true,
  };
}

export const KINDS = { lines: anyLine, answers: anyAnswer, ids: anyIds, runs: anyRun, sql: anySql };

/** Runs to damage: one done, one planned and not carried out, made by the program itself. */
export async function makeSample(folder, run) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const given = 'shopper-0001\nshopper-0002\nshopper-0003\n';
  writeFileSync(join(folder, '..', 'sample-ids.txt'), given);
  const words = [
    'persons',
    'bulk-delete',
    '--from',
    join(folder, '..', 'sample-ids.txt'),
    '--as',
    'distinct-ids',
    '--yes',
    '-p',
    '1',
  ];
  for (const more of [['--delete-events'], ['--plan-only', '--new-run']]) {
    const { code, stderr } = await run([...words, ...more]);
    // 8: the deletion of events is not confirmed.
    if (code !== 0 && code !== 8) throw new Error(`the run to damage could not be made: ${stderr}`);
  }
  const runs = existsSync(join(folder, 'runs')) ? readdirSync(join(folder, 'runs')) : readdirSync(folder);
  if (runs.length === 0) throw new Error('no run was made to damage');
  // A run sends the persons that its plan found by these ids.
  const resolved = filesBelow(folder).filter((file) => file.endsWith('/ids'));
  return {
    folder,
    runs,
    given: Buffer.concat([Buffer.from(given), ...resolved.map((file) => readFileSync(file))]),
  };
}
