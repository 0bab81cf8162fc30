import { defineCommand } from '../../cli/command/define-command.ts';
import { checkRun } from '../../erasure/check-run.ts';
import { runPath } from '../../erasure/find-run.ts';
import { formatSeal, parseSeal } from '../../erasure/journal.ts';
import { CliError, usageError } from '../../errors.ts';

export const checkRunCommand = defineCommand({
  name: 'check',
  endpoints: [],
  summary: 'Check the record of a run against its hashes, and against what its end printed',
  examples: [
    'runs check 20261128T120000Z',
    'runs check 20261128T120000Z --expect 12:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
  arguments: {
    run: { type: 'text', offers: 'run', description: 'Id of the run, or its start, or its directory' },
  },
  options: {
    expect: { type: 'text', placeholder: 'lines:hash', description: 'What the end of the run printed' },
  },
  async run({ run: name, expect }, context) {
    const seal = expect === undefined ? undefined : parseSeal(expect);
    if (expect !== undefined && seal === undefined) {
      throw usageError(
        `--expect cannot read "${expect}"`,
        'it takes what the end of the run printed, such as 12:9f86d0...',
      );
    }
    const checked = checkRun(runPath(name, context), { expect: seal });
    await context.print({
      journal: formatSeal(checked.seal),
      check_key: checked.checkKey ?? null,
      holds: checked.problems.length === 0,
      problems: checked.problems,
    });
    if (checked.problems.length === 0) return;
    throw new CliError('check', `the record of the run does not hold: ${checked.problems.join('; ')}`);
  },
});
