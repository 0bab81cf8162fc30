// Writes the files of a new command of an operation that only reads, after one that is there:
//   npm run new -- annotations list --like cohorts list
// It adds the row, the handler of the sandbox, the command, the test, the manual's entry and the note on the change, each
// with what can be known of it; `npm run generate` and `npm run check` do the rest, and say what is still missing.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const read = (path) => readFileSync(join(root, path), 'utf8');
const done = new Set();

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  done.add(path);
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** Puts a text before the first place that the pattern finds. */
function insert(path, place, text) {
  const before = read(path);
  const at = before.search(place);
  if (at < 0) stop(`${path} has no place for ${text.trim()}`);
  write(path, before.slice(0, at) + text + before.slice(at));
}

const [noun = '', verb = '', like, likeNoun = '', likeVerb = ''] = process.argv.slice(2);
if (like !== '--like' || !/^[a-z-]+$/.test(noun) || !/^[a-z-]+$/.test(verb))
  stop('usage: npm run new -- annotations list --like cohorts list');
const command = `src/commands/${noun}/${verb}.ts`;
const model = `src/commands/${likeNoun}/${likeVerb}.ts`;
if (existsSync(join(root, command))) stop(`${command} is there already`);
if (!existsSync(join(root, model))) stop(`there is no ${model}`);

const singular = (word) => word.replace(/ies$/, 'y').replace(/s$/, '');
const camel = (text) => text.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
const pascal = (text) => camel(`-${text}`);
const words = (text) => text.replaceAll('-', ' ');

const platform = read('src/service/platform.ts');
const [, likeRow = ''] = /endpoints: \[platform\.(\w+)\]/.exec(read(model)) ?? [];
const [, row = ''] = new RegExp(`^  ${likeRow}: \\{\\n(.*?)^  \\},\\n`, 'ms').exec(platform) ?? [];
const isList = row.includes('...list') && !row.includes(':id');
if (!isList && !/method: 'GET'.*:id\/'/s.test(row))
  stop(
    `${model} is no list and no single read of src/service/platform.ts: try --like cohorts list, or cohorts get`,
  );

const one = singular(noun);
const what = isList ? words(noun) : `one ${words(one)}`;
const summary = `${isList ? 'List' : 'Show'} ${what}`;
const name = verb === 'list' ? camel(noun) : camel(verb === 'get' ? one : `${one}-${verb}`);
const exported = verb === 'list' ? `list${pascal(noun)}` : `${camel(verb)}${pascal(one)}`;
const path = `/${noun.replaceAll('-', '_')}/`;
const scope = `${one.replaceAll('-', '_')}:read`;
if (new RegExp(`^  ${name}: \\{`, 'm').test(platform))
  stop(`src/service/platform.ts has a row ${name} already`);

const own = isList
  ? `    ...list,
    id: '${name}',
    summary: '${summary}',
    path: '${path}',
    scopes: ['${scope}'],
    response: 'page of objects',
`
  : `    id: '${name}',
    summary: '${summary}',
    method: 'GET',
    path: '${path}:id/',
    scopes: ['${scope}'],
    parameters: [{ name: 'id', type: 'integer', required: true, minimum: 1, description: 'Its id' }],
    response: 'anything',
    effect: 'read',
`;
insert('src/service/platform.ts', /^\} as const satisfies Record/m, `  ${name}: {\n${own}  },\n`);

const scopes = 'src/service/endpoint.ts';
if (!read(scopes).includes(`'${scope}'`)) insert(scopes, / {2}\| 'user:read';/, `  | '${scope}'\n`);

const handler = isList
  ? `const ${exported}: Handler<typeof platform.${name}> = async ({ input, address }) => {
  return { status: 200, body: pageOf(address, readPart(input), []) };
};`
  : `const ${exported}: Handler<typeof platform.${name}> = async () => {
  throw notFound('Not found.');
};`;
const handlers = 'src/sandbox/handlers/platform.ts';
insert(handlers, /^\/\*\* The operations around the 36\. \*\/\nexport/m, `${handler}\n\n`);
insert(handlers, /^\} satisfies Handlers<typeof platform>/m, `  ${name}: ${exported},\n`);

const body = isList
  ? `  options: { all: allOption },
  async run({ all, ...input }, context) {
    await context.print(await context.list(platform.${name}, input, { all }));
  },`
  : `  arguments: { id: { type: 'integer', minimum: 1, description: '${pascal(one)} id' } },
  async run({ id }, context) {
    const client = await context.client();
    await context.print(await client.call(platform.${name}, { id }));
  },`;
const line = `${noun} ${verb}${isList ? '' : ' 3'}`;
write(
  command,
  `import { defineCommand } from '../../cli/command/define-command.ts';
${isList ? "import { allOption } from '../../cli/requests.ts';\n" : ''}import { platform } from '../../service/platform.ts';

export const ${exported} = defineCommand({
  name: '${verb}',
  endpoints: [platform.${name}],
  summary: '${summary}',
  examples: ['${line}', '${line} -o json'],
${body}
});
`,
);

if (!read('src/commands/index.ts').includes(`defineGroup('${noun}'`))
  insert(
    'src/commands/index.ts',
    /^ {2}defineSingle\(\n {4}'api'/m,
    `  defineGroup('${noun}', 'Show ${words(noun)}', {}),\n`,
  );

const about = JSON.parse(read('package.json'));
const page = `man/hogctl-${noun}.1`;
if (!about.man.includes(page)) {
  const man = [...about.man, page].sort();
  write('package.json', `${JSON.stringify({ ...about, man }, undefined, 2)}\n`);
}

const test = `test/e2e/${noun}.test.ts`;
const shown = `  shows('${isList ? `lists ${words(noun)}` : `misses the ${words(one)}`}', '${line}');\n`;
if (existsSync(join(root, test))) insert(test, /^\}\);/m, shown);
else
  write(
    test,
    `import { describe } from 'vitest';
import { golden } from '../support/golden.ts';

describe('${words(noun)} on the sandbox', () => {
  const { shows } = golden('${noun}');
${shown}});
`,
  );

// As the program itself takes it: without a repository nothing can be published.
const isReleased = 'repository' in about;
if (isReleased) write(`changes/${noun}-${verb}.md`, `\`${noun} ${verb}\`: ${summary.toLowerCase()}.\n`);

process.stdout.write(`${[...done].map((file) => `wrote ${file}\n`).join('')}
Now mend what could not be known:
- the row ${name} in src/service/platform.ts: parameters, and scopes as the service names them
- what the handler in ${handlers} answers, so that the transcript shows rows
- summary and columns in ${command}
${isReleased ? '' : '- the list of what the first version offers, in CHANGELOG.md\n'}
Then: npm run generate && npx vitest run ${test} && npm run check
`);
