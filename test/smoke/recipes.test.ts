import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cleanEnvironment, type Ended, start, temporaryDirectory } from './built-program.ts';

const root = join(import.meta.dirname, '..', '..');
const recipe = readFileSync(join(root, 'docs', 'recipes', 'ci.md'), 'utf8');

/** The code of a chapter, in the order of its blocks. */
function blocks(title: string, language: string): readonly string[] {
  const [, chapter = ''] = recipe.split(`\n## ${title}\n`);
  const [own = ''] = chapter.split('\n## ');
  return [...own.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code);
}

const isInstallation = (line: string) => line.startsWith('npm install');

/** A folder as the job finds it: only what the recipe says is fetched is there. */
function workspace(): string {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, 'tools'));
  const fetch =
    "#!/bin/sh\nprintf 'request,distinct_id\\nR-1,shopper-0001\\nR-2,shopper-0002\\nR-3,nobody\\n'\n";
  writeFileSync(join(folder, 'tools', 'fetch-requests'), fetch, { mode: 0o755 });
  return folder;
}

/** Runs each script in a bash of its own, as a CI service does, until one fails; all against one sandbox. */
function runSteps(
  folder: string,
  scripts: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const steps = scripts.map((script, at) => {
    writeFileSync(join(folder, `step-${at}.sh`), script);
    return `bash --noprofile --norc -eo pipefail step-${at}.sh`;
  });
  writeFileSync(join(folder, 'job.sh'), `set -e\n${steps.join('\n')}\n`);
  const line = 'cd "$1" && exec hogctl sandbox exec -- bash job.sh';
  const environment = { ...cleanEnvironment(), GITHUB_STEP_SUMMARY: join(folder, 'summary.md'), ...more };
  return start(['bash', '-c', line, 'bash', folder], environment).ended;
}

type Figures = {
  readonly jobs: {
    readonly figures: {
      readonly steps: readonly {
        readonly uses?: string;
        readonly with?: Readonly<Record<string, string>>;
      }[];
    };
  };
};
type Action = {
  readonly inputs: object;
  readonly runs: {
    readonly steps: readonly { readonly run?: string; readonly env?: Readonly<Record<string, string>> }[];
  };
};
type Step = { readonly name?: string; readonly run?: string };
type Workflow = {
  readonly jobs: { readonly erase: { readonly env: object; readonly steps: readonly Step[] } };
};
type Schedule = {
  readonly jobs: {
    readonly verify: { readonly env: Readonly<Record<string, string>>; readonly steps: readonly Step[] };
  };
};
type GitLab = {
  readonly erase: {
    readonly variables: object;
    readonly before_script: readonly string[];
    readonly script: readonly string[];
    readonly after_script: readonly string[];
  };
};

describe('the recipe for CI jobs', { timeout: 60_000 }, () => {
  it('erases and reports in GitHub Actions', async () => {
    const [text = ''] = blocks('Erasure in GitHub Actions', 'yaml');
    // The recipe is ours, and what is missing in it fails below.
    const { erase } = (parse(text) as Workflow).jobs;
    expect(erase.env).toMatchObject({ HOGCTL_STATE_DIR: expect.stringMatching(/workspace \}\}\/record$/) });
    const scripts = erase.steps.flatMap(({ run }) => (run === undefined || isInstallation(run) ? [] : [run]));
    expect(scripts).toHaveLength(4);
    const folder = workspace();
    const place = { HOGCTL_STATE_DIR: join(folder, 'record') };
    const { code, stdout, stderr } = await runSteps(folder, scripts, place);
    expect([code, stderr]).toEqual([0, expect.stringContaining('hogctl runs verify last')]);
    expect(String(stdout)).toMatch(/^deleted +2$/m);
    const report = readFileSync(join(folder, 'report.md'), 'utf8');
    expect(report).toContain('## Outcome: partly done');
    expect(report).not.toContain('shopper-');
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toBe(report);
  });

  it('erases and reports in GitLab CI', async () => {
    const [text = ''] = blocks('Erasure in GitLab CI', 'yaml');
    const { erase } = parse(text) as GitLab;
    expect(erase.variables).toMatchObject({ HOGCTL_STATE_DIR: '$CI_PROJECT_DIR/record' });
    const first = [...erase.before_script.filter((line) => !isInstallation(line)), ...erase.script].join(
      '\n',
    );
    const folder = workspace();
    const place = { HOGCTL_STATE_DIR: join(folder, 'record') };
    const { code, stdout } = await runSteps(folder, [first, erase.after_script.join('\n')], place);
    expect([code, String(stdout)]).toEqual([0, expect.stringMatching(/^deleted +2$/m)]);
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain('## Outcome: partly done');
  });

  describe('on Mondays', () => {
    const keep = 'export HOGCTL_STATE_DIR=$PWD/kept\n';
    const erase = `${keep}hogctl persons bulk-delete --distinct-ids shopper-0001 --delete-events --yes > erased.txt`;
    const monday = 'hogctl sandbox advance --to 2026-06-22T07:00:00Z > advanced.txt';
    const summaryIn = (folder: string) => readFileSync(join(folder, 'summary.md'), 'utf8');

    it('annotates and lists what is owed in GitHub Actions, until it has gone', async () => {
      const [text = ''] = blocks('Every Monday in GitHub Actions', 'yaml');
      const { verify } = (parse(text) as Schedule).jobs;
      expect(verify.env.HOGCTL_STATE_DIR).toBe('/srv/hogctl');
      const scripts = verify.steps.flatMap(({ run }) =>
        run === undefined || isInstallation(run) ? [] : [keep + run],
      );
      expect(scripts).toHaveLength(2);
      const early = workspace();
      const owing = await runSteps(early, [erase, ...scripts]);
      expect(owing.code).toBe(9);
      const remark =
        '\\d+ events from before the deletion still there, pending until Sunday 2026-06-21, 05:00 UTC';
      expect(String(owing.stdout)).toMatch(new RegExp(`^::error title=Erasure 20\\S+::${remark}$`, 'm'));
      expect(summaryIn(early)).toMatch(new RegExp(`^\\| 20\\S+ \\| false \\| ${remark} \\|$`, 'm'));
      const late = workspace();
      const proven = await runSteps(late, [erase, monday, ...scripts]);
      expect([proven.code, String(proven.stdout)], proven.stderr).toEqual([0, '']);
      expect(summaryIn(late)).toMatch(/^\| 20\S+ \| true \| {2}\|$/m);
    });

    it('lists what is owed in GitLab CI, until it has gone', async () => {
      const [text = ''] = blocks('Every Monday in GitLab CI', 'yaml');
      const job = (parse(text) as Record<'verify-erasures', GitLab['erase']>)['verify-erasures'];
      const script = keep + job.script.join('\n');
      const early = workspace();
      expect(await runSteps(early, [erase, script])).toMatchObject({ code: 9 });
      expect(readFileSync(join(early, 'due.md'), 'utf8')).toContain('still there, pending until Sunday');
      const late = await runSteps(workspace(), [erase, monday, script]);
      expect(late.code, late.stderr).toBe(0);
    });
  });

  it('checks a figure, and fails when it does not hold', async () => {
    const checks = blocks('Fail a build on a figure', 'sh');
    const last = checks.at(-1) ?? '';
    const passed = await runSteps(workspace(), checks);
    expect([passed.code, String(passed.stdout)]).toEqual([0, expect.stringContaining('as expected\n')]);
    const failed = await runSteps(workspace(), [last.replace('>= 20', '>= 2000')]);
    expect(failed.code).toBe(9);
  });

  describe('for many figures', () => {
    const chapter = 'Many figures at once';
    const files = blocks(chapter, 'yaml');
    const [checks = ''] = files;
    const [github = ''] = files.filter((text) => text.includes('\njobs:'));
    const [gitlab = ''] = files.filter((text) => text.startsWith('check-figures:'));
    /** A folder with the file of checks, the first figure of which is wanted to be this high. */
    const withChecks = (least: number): string => {
      const folder = workspace();
      writeFileSync(join(folder, 'checks.yaml'), checks.replace('last >= 20', `last >= ${least}`));
      return folder;
    };

    it('installs, checks and tells in GitHub Actions', async () => {
      const { figures } = (parse(github) as Figures).jobs;
      const used = figures.steps.find(({ uses }) => uses === './tools')?.with ?? {};
      const { inputs, runs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action;
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(used)));
      const folder = withChecks(2000);
      const pack = 'pack --ignore-scripts --pack-destination'.split(' ');
      execFileSync('npm', [...pack, join(folder, 'tools')], {
        cwd: root,
        env: cleanEnvironment(),
        stdio: 'ignore',
      });
      const steps = runs.steps.map(({ run = '', env = {} }) => {
        // The sandbox says where it is; what GitHub would put in is an environment here.
        const names = Object.keys(env).filter((name) => !name.startsWith('HOGCTL_'));
        expect(['ACTION SHA256', 'COMMAND']).toContain(names.join(' '));
        return `export PATH="$(paste -s -d: "$GITHUB_PATH"):$PATH"\n${run}`;
      });
      const given = { ACTION: join(folder, 'tools'), COMMAND: used.command ?? '', RUNNER_TEMP: folder };
      const runner = { GITHUB_ACTIONS: 'true', GITHUB_PATH: join(folder, 'path') };
      writeFileSync(runner.GITHUB_PATH, '');
      const job = await runSteps(folder, steps, { ...given, ...runner });
      expect(job.code, job.stderr).toBe(9);
      expect(job.stderr).toMatch(
        /^::error file=checks\.yaml,line=3,title=Signups go on::expected last >= 2000 for .*$/m,
      );
      expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('| **no** |');
      expect(readFileSync(runner.GITHUB_PATH, 'utf8')).toContain(join(folder, 'hogctl', 'bin'));
      expect(existsSync(join(folder, 'hogctl', 'bin', 'hogctl'))).toBe(true);
    });

    it.each([
      [20, 0],
      [2000, 9],
    ])('leaves a report to GitLab CI, at least %i', async (least, code) => {
      const job = (parse(gitlab) as Record<'check-figures', GitLab['erase']>)['check-figures'];
      const folder = withChecks(least);
      const ended = await runSteps(folder, [job.script.join('\n')]);
      expect(ended.code, ended.stderr).toBe(code);
      expect(readFileSync(join(folder, 'checks.xml'), 'utf8')).toContain('tests="6"');
    });
  });

  it('exports to one file, night after night', async () => {
    const folder = workspace();
    const night = blocks('Export every night', 'sh');
    const { code, stderr } = await runSteps(folder, [...night, ...night]);
    expect(code, stderr).toBe(0);
    expect(existsSync(join(folder, 'people.ndjson.gz'))).toBe(true);
  });
});
