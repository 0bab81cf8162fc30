import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchGolden } from '../support/golden.ts';
import { inOrder } from '../support/in-order.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, type Setting } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';

const wide = { terminal: { columns: 100 } };

describe.each(['specification', 'live'] as const)(
  'projects stored on this computer, service of the dialect %s',
  (dialect) => {
    let sandbox: Awaited<ReturnType<typeof borrowSandbox>>;
    let directory: string;
    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'hogctl-auth-'));
      sandbox = await borrowSandbox({ dialect, now: '2026-06-18T12:00:00Z' });
    });
    afterAll(async () => {
      await sandbox.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    /** One case, with nothing in the environment but where projects are stored; SANDBOX stands for the service's address. */
    let minute = 0;
    const inTurn = inOrder();
    function shows(title: string, line: string, { stdin, ...setting }: Setting = {}) {
      minute += 1;
      // Runs are named after their time.
      const started = Date.UTC(2026, 5, 18, 12, minute);
      const keyOf = () => sandbox.keys[0]?.key ?? '';
      const call = inTurn(() => {
        const key = keyOf();
        return runProgram(splitWords(line.replaceAll('SANDBOX', sandbox.origin)), {
          now: () => started,
          ...setting,
          ...(setting.answers
            ? { answers: setting.answers.map((answer) => answer.replace('KEY', key)) }
            : {}),
          ...(stdin === undefined ? {} : { stdin: String(stdin).replace('KEY', key) }),
          environment: {
            HOGCTL_CONFIG_DIR: directory,
            HOGCTL_STATE_DIR: directory,
            ...setting.environment,
          },
        });
      });
      it(title, async () => {
        const { code, stdout, stderr } = await call();
        expect(stdout + stderr).not.toContain(keyOf());
        const text = `$ hogctl ${line}\nexit ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}`;
        const shown = text
          // As long as an address with a free port, so that tables keep their widths.
          .replaceAll(sandbox.origin, 'http://sandbox.example')
          .replaceAll(new URL(sandbox.origin).host, 'sandbox.example')
          .replaceAll(directory, '<directory>')
          .replace(/\b[0-9a-f]{64}\b/g, '<sha256>');
        const file = title.replace(/[^a-z0-9]+/gi, '-').toLowerCase();
        await matchGolden(shown, `../golden/auth/${dialect}/${file}.txt`);
      });
    }

    shows('lists nothing', 'auth list', wide);
    shows('says that nothing is configured', 'persons list');
    shows('has no status without a project', 'auth status');
    shows(
      'stores a project with its key from standard input',
      'auth login --host SANDBOX --project 1 --name shop --key-stdin',
      { stdin: 'KEY\n' },
    );
    shows(
      'stores a protected project',
      'auth login --host SANDBOX --project 1 --name shop-protected --protected --key-stdin',
      { stdin: 'KEY\n' },
    );
    shows('replaces a project', 'auth login --host SANDBOX --project 1 --name shop --key-stdin', {
      stdin: 'KEY\n',
    });
    shows(
      'gives no name of one project to another',
      'auth login --host us --project 1 --name shop --key-stdin',
      { stdin: 'KEY' },
    );
    shows('asks for what is not said', 'auth login --host SANDBOX --name asked', { answers: ['1', 'KEY'] });
    shows(
      'refuses a key that the service does not take',
      'auth login --host SANDBOX --project 1 --name wrong --key-stdin',
      { stdin: 'phx_wrong_wrong_wrong\n' },
    );
    shows('refuses a project token', 'auth login --host SANDBOX --project 1 --name wrong --key-stdin', {
      stdin: 'phc_wrong\n',
    });
    shows('refuses a name of digits', 'auth login --host SANDBOX --project 1 --name 42 --key-stdin', {
      stdin: 'KEY',
    });
    shows('says which option is missing', 'auth login --key-stdin', { stdin: 'KEY' });
    shows('lists projects on a terminal', 'auth list', wide);
    shows('lists projects as json', 'auth list -o json');
    shows('lists projects as csv', 'auth list -o csv');
    shows('shows the status on a terminal', 'auth status', wide);
    shows('shows the status as json', 'auth status -o json --project shop-protected');
    shows('does not delete from the default project with yes alone', 'persons delete 1 --yes');
    shows('makes another project the default', 'auth use shop-protected');
    shows('does not know a project', 'auth use nowhere');
    shows('reads from the default project', 'persons get 1 --columns id,name');
    shows(
      'does not delete from a protected project with yes alone',
      'persons delete 1 --yes --project shop-protected',
    );
    shows(
      'does not take the name of another project',
      'persons delete 1 --yes -p shop-protected --confirm shop',
    );
    shows('wants the name of a protected project typed', 'persons delete 1', { answers: ['yes'] });
    shows('deletes from a protected project whose name was typed', 'persons delete 1', {
      answers: ['shop-protected'],
    });
    shows(
      'deletes from a protected project that was confirmed',
      'persons delete 2 --yes -p shop-protected --confirm shop-protected',
    );
    shows('asks before removing a project', 'auth logout shop', { answers: ['n'] });
    shows('does not remove a project without a terminal and without yes', 'auth logout shop');
    shows('removes nothing in a dry run', 'auth logout shop --yes --dry-run');
    shows('makes nothing the default in a dry run', 'auth use shop --dry-run');
    shows(
      'does not remove a project that the environment protects with yes alone',
      'auth logout shop --yes',
      {
        environment: { HOGCTL_PROTECTED: '1' },
      },
    );
    shows('does not remove a project that the environment protects for a yes', 'auth logout shop', {
      answers: ['y'],
      environment: { HOGCTL_PROTECTED: 'true' },
    });
    shows('removes no project where the environment protects unclearly', 'auth logout shop --yes', {
      environment: { HOGCTL_PROTECTED: 'maybe' },
    });
    shows('removes a project', 'auth logout shop --yes');
    shows('does not remove a protected project with yes alone', 'auth logout shop-protected --yes');
    shows(
      'does not remove a protected project for another name',
      'auth logout shop-protected --yes --confirm shop',
    );
    shows('does not remove a protected project for a yes', 'auth logout shop-protected', { answers: ['y'] });
    shows(
      'keeps a project protected that is stored again',
      'auth login --host SANDBOX --project 1 --name shop-protected --key-stdin',
      { stdin: 'KEY' },
    );
    shows('removes the default project', 'auth logout shop-protected', { answers: ['shop-protected'] });
    shows('says that a removed project is not there', 'auth logout shop --yes');
    shows('has no default any more', 'persons list --limit 1');
    shows('asks for no key for a host that cannot be', 'auth login --host ftp://x --project 1 --name wrong', {
      answers: ['KEY'],
    });
    shows('asks for no key for a project that cannot be', 'auth login --host SANDBOX --name wrong', {
      answers: ['one', 'KEY'],
    });
  },
);
