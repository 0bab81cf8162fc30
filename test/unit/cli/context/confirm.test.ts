import { describe, expect, it } from 'vitest';
import { type Asker, confirmAct, type Question } from '../../../../src/cli/context/confirm.ts';
import { CliError } from '../../../../src/errors.ts';
import { resolveSettings } from '../../../../src/settings/resolve-settings.ts';

type Situation = {
  readonly project?: string;
  readonly protected?: boolean;
  readonly named?: boolean;
  readonly interactive?: boolean;
  readonly yes?: boolean;
  readonly confirm?: string;
  readonly question?: Partial<Question>;
  readonly answer?: string;
};

/** What comes of a question, and whether anybody was asked. */
async function confirm(situation: Situation): Promise<readonly [string, string | undefined]> {
  const { project, named = true, interactive = false, answer = '', yes, confirm: name } = situation;
  const shop = { name: 'shop', host: 'https://us.posthog.com', id: '1', key: 'phx_abcdef' };
  const environment =
    project === undefined ? {} : { HOGCTL_API_KEY: 'phx_abcdef', HOGCTL_PROJECT: project, HOGCTL_HOST: 'us' };
  let asked: string | undefined;
  const asker: Asker = {
    interactive,
    environment,
    options: { ...(yes && { yes }), ...(name !== undefined && { confirm: [name] }) },
    settings: async () =>
      resolveSettings({
        options: project === undefined && named ? { project: 'shop' } : {},
        environment,
        stored: {
          projects: [{ ...shop, protected: situation.protected ?? false }],
          default: 'shop',
          warnings: [],
        },
      }),
    ask: async ({ text }) => {
      asked = text;
      return answer;
    },
  };
  try {
    await confirmAct({ action: 'delete person 42', ...situation.question }, asker);
    return ['goes on', asked];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [`${error.kind}: ${error.message}`, asked];
  }
}

describe('an act that destroys', () => {
  it.each([
    ['with --yes and a project that was named', { yes: true }],
    ['with --yes in a protected project that is confirmed', { yes: true, protected: true, confirm: 'shop' }],
    [
      'with --yes where everybody is meant and that is confirmed',
      { yes: true, confirm: 'shop', question: { strict: true } },
    ],
    ['on this computer, with --yes', { yes: true, named: false, question: { local: true } }],
  ] as const)('goes on unasked %s', async (_, situation) => {
    expect(await confirm(situation)).toEqual(['goes on', undefined]);
  });

  it.each([
    ['where nobody can be asked', {}, /^usage: cannot ask without a terminal/],
    [
      'on this computer where nobody can be asked',
      { question: { local: true } },
      /^usage: cannot ask without a terminal/,
    ],
    ['with --yes in the default project', { yes: true, named: false }, /^usage: --yes needs a named project/],
    [
      'with --yes alone in a protected project',
      { yes: true, protected: true },
      /^usage: project shop must be confirmed/,
    ],
    [
      'with --yes alone in a protected project, at a terminal',
      { yes: true, protected: true, interactive: true },
      /^usage: project shop must be confirmed/,
    ],
    [
      'with --yes alone where everybody is meant',
      { yes: true, question: { strict: true } },
      /^usage: project shop must be confirmed/,
    ],
    ['confirmed with another name', { yes: true, confirm: 'blog' }, /^usage: --confirm names "blog"/],
    [
      'confirmed with the id of a project that has a name',
      { yes: true, protected: true, confirm: '1' },
      /^usage: --confirm names "1"/,
    ],
    ['confirmed with nothing', { yes: true, protected: true, confirm: '' }, /^usage: --confirm names ""/],
    [
      'in whatever project the web app is in',
      { project: '@current', yes: true },
      /^usage: @current can become/,
    ],
    [
      'in whatever project the web app is in, at a terminal',
      { project: '@current', interactive: true },
      /^usage: @current can become/,
    ],
  ] as const)('is refused %s', async (_, situation, message) => {
    const [outcome, asked] = await confirm(situation);
    expect(outcome).toMatch(message);
    expect(asked).toBeUndefined();
  });

  it.each(['y', 'Y', 'yes', ' YES '])('goes on at a terminal after %j', async (answer) => {
    const [outcome, asked] = await confirm({ interactive: true, answer });
    expect(outcome).toBe('goes on');
    expect(asked).toBe(
      'This will delete person 42\nin project shop (1) at https://us.posthog.com.\nContinue? [y/N] ',
    );
  });

  it.each(['', 'n', 'no', 'yesterday', 'ye', 'j', 'shop'])(
    'is cancelled at a terminal after %j',
    async (answer) => {
      const [outcome] = await confirm({ interactive: true, answer });
      expect(outcome).toBe('cancelled: cancelled, nothing was changed');
    },
  );

  it.each([
    ['the name of a protected project', { protected: true }, 'shop'],
    ['the name of the project where everybody is meant', { question: { strict: true, type: '500' } }, 'shop'],
    ['the number of people', { question: { type: '500' } }, '500'],
    ['the id of a project without a name', { project: '7', question: { strict: true } }, '7'],
  ] as const)('wants typed %s', async (_, situation, word) => {
    const [outcome, asked] = await confirm({ ...situation, interactive: true, answer: word });
    expect([outcome, asked?.endsWith(`Type ${word} to confirm: `)]).toEqual(['goes on', true]);
    for (const answer of ['y', 'yes', '', word.toUpperCase() === word ? `${word}0` : word.toUpperCase()]) {
      const [other] = await confirm({ ...situation, interactive: true, answer });
      expect(other).toBe('cancelled: cancelled, nothing was changed');
    }
  });

  it('that names the project asks no more for its name, but for the number of people', async () => {
    const situation = { protected: true, confirm: 'shop', interactive: true, question: { type: '500' } };
    expect(await confirm({ ...situation, answer: '500' })).toEqual(['goes on', expect.any(String)]);
  });
});
