import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { namedFormats } from '../../src/print/formats.ts';
import { runProgram } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';
import { type Stub, startStub } from '../support/stub-server.ts';
import { natureOf, startGoodService } from './good-service.ts';
import { allInvocations, furnish, longerInvocations } from './invocations.ts';
import { makePlaces } from './place.ts';
import { HARD_KEY } from './secrets.ts';

const places = makePlaces();
let stub: Stub;

afterEach(() => stub.close());
afterAll(places.remove);

async function environmentOf(dialect: string) {
  stub = await startStub([startGoodService()]);
  const folder = places.next();
  const environment = {
    HOGCTL_HOST: stub.origin,
    HOGCTL_PROJECT: '1',
    HOGCTL_API_KEY: HARD_KEY,
    HOGCTL_DIALECT: dialect,
    HOGCTL_CONFIG_DIR: join(folder, 'config'),
    HOGCTL_STATE_DIR: join(folder, 'state'),
  };
  return { environment, folder };
}

const commands = [...(await allInvocations()), ...longerInvocations].filter(({ wantsRun }) => !wantsRun);

describe.each(['specification', 'live'])('a dry run on a service of the dialect %s', (dialect) => {
  it.each(commands.map((one) => [one.path, one] as const))(
    'sends nothing that changes anything: %s',
    async (_, { words, stdin }) => {
      const { environment, folder } = await environmentOf(dialect);
      furnish(folder, undefined);
      const given = words({ origin: stub.origin, folder });
      const isJson = dialect === 'live';
      const { code, stdout, stderr } = await runProgram(
        [...given, '--dry-run', ...(isJson ? ['-o', 'json'] : [])],
        { environment, ...(stdin === undefined ? {} : { stdin }) },
      );
      expect(code, stderr).not.toBe(1);
      if (isJson && stdout.trim() !== '') expect(() => JSON.parse(stdout), stdout).not.toThrow();
      expect(stub.log.filter((request) => natureOf(request).effect !== 'read')).toEqual([]);
    },
  );
});

describe('the ids of persons', () => {
  const uuid = '00000000-0000-4000-8000-000000000001';

  it.each([
    ['distinct_ids', 'user_1'],
    ['ids', uuid],
  ])('are printed in a dry run on request alone: %s', async (name, id) => {
    const { environment } = await environmentOf('specification');
    const words = splitWords('api POST persons/bulk_delete/ --input - --dry-run');
    const setting = { environment, stdin: JSON.stringify({ [name]: [id, `${id}0`] }) };
    for (const output of namedFormats) {
      const hidden = await runProgram([...words, '-o', output], setting);
      expect(hidden.stdout).toContain('2 ids, shown by --show-ids');
      expect(hidden.stdout + hidden.stderr).not.toContain(id);
      const shown = await runProgram([...words, '-o', output, '--show-ids'], setting);
      expect(shown.stdout).toContain(id);
    }
    expect(stub.log).toEqual([]);
  });

  it.each([
    ['persons delete 4711', '4711'],
    [`persons update ${uuid} --set a=1`, uuid],
    ['persons unset 4711 plan', '4711'],
    ['persons reset-distinct-id user_1', 'user_1'],
    ['api DELETE persons/4711/', '4711'],
  ])('are printed in a dry run of one person on request alone: %s', async (line, id) => {
    const { environment } = await environmentOf('live');
    for (const output of namedFormats) {
      const words = splitWords(`${line} --dry-run -o ${output}`);
      const hidden = await runProgram(words, { environment });
      expect([hidden.code, hidden.stdout]).toEqual([
        0,
        expect.stringMatching(/\*\*\*\/|shown by --show-ids/),
      ]);
      expect(hidden.stdout + hidden.stderr).not.toContain(id);
      const shown = await runProgram([...words, '--show-ids'], { environment });
      expect(shown.stdout).toContain(id);
    }
  });

  it.each(['--distinct-ids user_1,user_2', uuid])('are not in the plan of one: %s', async (ids) => {
    const { environment } = await environmentOf('specification');
    const words = splitWords(`persons bulk-delete ${ids} --dry-run`);
    const { code, stdout, stderr } = await runProgram(words, { environment });
    expect([code, stub.log.filter(({ url }) => url.includes('bulk_delete'))]).toEqual([0, []]);
    expect(stdout + stderr).not.toMatch(/user_\d|00000000-/);
  });
});
