import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHANGED, NOT_RUN } from '../support/document-exceptions.ts';
import { type DocumentStep, documentSteps, firstBlock } from '../support/document-steps.ts';
import { matchGolden } from '../support/golden.ts';
import { cleanEnvironment, start, temporaryDirectory } from './built-program.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((path) => `docs/${path.replaceAll('\\', '/')}`)
  // Its examples are run one by one, by a test of their own.
  .filter((path) => path.endsWith('.md') && path !== 'docs/commands.md');
const documents = ['README.md', 'CONTRIBUTING.md', ...pages.sort()].filter(
  (path) => documentSteps(read(path)).length > 0,
);

const RUN = '20261128T120000Z';

/** What a shell knows before the first step: the sandbox as a project to store, after which only stored ones count. */
const PRELUDE = `
sandbox_host=$HOGCTL_HOST sandbox_project=$HOGCTL_PROJECT sandbox_key=$HOGCTL_API_KEY
store_project() {
  unset HOGCTL_HOST HOGCTL_PROJECT HOGCTL_API_KEY
  hogctl auth login --host "$sandbox_host" --project "$sandbox_project" --name "$@" --key-stdin <<<"$sandbox_key"
}
`;

/** A longer output is kept by its beginning, and by a hash of the rest. */
const MOST_LINES = 24;

type Ran = DocumentStep & { readonly code: string; readonly stdout: string; readonly stderr: string };

const isNotRun = (document: string, { text }: DocumentStep): boolean =>
  NOT_RUN.some((one) => one.document === document && one.text === text);

/** The step as a script can run it: a run has the name it got, and nobody answers. */
function asTyped(document: string, step: DocumentStep): string {
  const text = CHANGED.filter((one) => one.document === document).reduce(
    (sofar, { text, becomes }) => sofar.replace(text, becomes),
    step.text,
  );
  const name = `$(hogctl runs list -o ndjson | tail -n 1 | cut -d '"' -f 4)`;
  return text.replaceAll(RUN, name);
}

/** Files that the documents speak of. */
function furnish(folder: string, document: string): void {
  if (document === 'docs/recipes/erasure.md')
    writeFileSync(join(folder, 'requests.csv'), firstBlock(read(document), 'csv'));
  if (document === 'docs/recipes/ci.md')
    writeFileSync(join(folder, 'checks.yaml'), firstBlock(read(document), 'yaml', '\nchecks:'));
}

/** Runs the steps of a document one after the other in one shell, all of them against one sandbox. */
async function runDocument(document: string, steps: readonly DocumentStep[]): Promise<readonly Ran[]> {
  const folder = temporaryDirectory();
  const results = temporaryDirectory();
  furnish(folder, document);
  const script = steps.map((step, at) => {
    const file = join(results, String(at));
    return `{\n${asTyped(document, step)}\n} >${file}.out 2>${file}.err </dev/null\necho $? >${file}.code\n`;
  });
  writeFileSync(join(results, 'session.sh'), PRELUDE + script.join(''));
  const state = temporaryDirectory();
  const clean = cleanEnvironment();
  const environment = { ...clean, HOGCTL_STATE_DIR: state };
  const line = 'cd "$1" && exec hogctl sandbox exec -- bash -o pipefail "$2/session.sh"';
  const { code, stderr } = await start(['bash', '-c', line, 'bash', folder, results], environment).ended;
  expect(code, stderr).toBe(0);
  const tidy = tidier({ folder, state, home: clean.HOME ?? '' });
  return steps.map((step, at) => {
    const [out = '', error = '', ended = ''] = ['out', 'err', 'code'].map((kind) =>
      readFileSync(join(results, `${at}.${kind}`), 'utf8'),
    );
    return { ...step, code: ended.trim(), stdout: tidy(out), stderr: tidy(error) };
  });
}

/** Puts a name in the place of whatever is another one each time. */
function tidier({
  folder,
  state,
  home,
}: {
  readonly folder: string;
  readonly state: string;
  readonly home: string;
}): (text: string) => string {
  // The sandbox has a clock of its own, far from this one but for a moment of history.
  const isNow = (time: string) => Math.abs(Date.parse(time) - Date.now()) < 600_000;
  return (text) =>
    text
      .replaceAll(`HOGCTL_STATE_DIR=${state} `, '')
      .replaceAll(state, '<home>/.local/state/hogctl')
      .replaceAll(folder, '<folder>')
      .replaceAll(home, '<home>')
      .replace(/127\.0\.0\.1:\d+/g, '<sandbox>')
      .replace(/localhost:\d+/g, '<other name of the sandbox>')
      .replace(/\bSunday 20\d\d-\d\d-\d\d/g, 'Sunday <date>')
      .replace(/\b[0-9a-f]{64}\b/g, '<sha256>')
      .replace(/\b20\d{6}T\d{6}Z(?:-\w+)?/g, RUN)
      .replace(/\b20\d\d-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, (time) => (isNow(time) ? '<now>' : time))
      .replace(/\b\w{3}, \d\d \w{3} 20\d\d [\d:]{8} GMT/g, '<now>')
      .replace(/\b\d+ ms\b/g, '<time>');
}

function shortened(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= MOST_LINES) return text;
  const rest = lines.slice(MOST_LINES).join('\n');
  const hash = createHash('sha256').update(rest).digest('hex');
  return `${lines.slice(0, MOST_LINES).join('\n')}\n(${lines.length - MOST_LINES} more lines: ${hash})\n`;
}

const transcript = (ran: readonly Ran[]): string =>
  ran
    .map(
      ({ text, code, stdout, stderr }) =>
        `$ ${text}\nexit ${code}\n--- stdout\n${shortened(stdout)}--- stderr\n${shortened(stderr)}`,
    )
    .join('\n');

describe('what the documents say to type', { timeout: 120_000 }, () => {
  it.each(documents)('does on the sandbox what is known of it: %s', async (document) => {
    const steps = documentSteps(read(document)).filter((step) => !isNotRun(document, step));
    if (steps.length === 0) return;
    const ran = await runDocument(document, steps);
    const name = document
      .replace(/^docs\//, '')
      .replaceAll('/', '-')
      .replace(/\.md$/, '.txt')
      .toLowerCase();
    await matchGolden(transcript(ran), `../golden/documents/${name}`);
    for (const step of ran) {
      expect(step.code, transcript([step])).toBe('0');
      if (step.shown !== undefined) expect(step.stdout).toBe(`${step.shown}\n`);
    }
  });

  it.each(NOT_RUN)('has a step in $document that is not run: $text', ({ document, text }) => {
    expect(documentSteps(read(document)).map((step) => step.text)).toContain(text);
  });

  it.each(CHANGED)('has a step in $document that is changed: $text', ({ document, text }) => {
    expect(documentSteps(read(document)).some((step) => step.text.includes(text))).toBe(true);
  });
});
