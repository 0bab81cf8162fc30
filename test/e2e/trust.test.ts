import { chmodSync, chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasOtherUsers } from '../support/other-users.ts';
import { KEY, person, startService, temporaryDirectory } from '../support/service.ts';
import { loginWords, wantingTheKey, withoutKey } from '../support/stored-key.ts';

describe.skipIf(process.platform === 'win32')('directories that others can change', () => {
  it('give no key, and a key of the environment is told that protection and legal holds are not known', async () => {
    const service = await wantingTheKey();
    const environment = withoutKey(service.environment);
    await service.hogctl(loginWords(service, '--protected'), { stdin: KEY, environment });
    chmodSync(environment.HOGCTL_CONFIG_DIR, 0o777);
    const own = await service.hogctl('persons get 1 -p shop', {
      environment: { ...environment, HOGCTL_API_KEY: '' },
    });
    expect(own.code).toBe(2);
    const given = await service.hogctl('persons get 1');
    expect(given.code).toBe(0);
    expect(given.stderr).toContain(
      'are not trusted, and neither their protection nor their legal holds are known',
    );
    const list = await service.hogctl('auth list');
    expect(list).toMatchObject({ code: 2, stderr: expect.stringContaining('chmod 700') });
  });

  it('keep no runs', async () => {
    const service = await startService([() => ({ json: person(1) })]);
    const directory = service.environment.HOGCTL_STATE_DIR ?? '';
    chmodSync(directory, 0o770);
    for (const words of ['runs list', 'persons delete 1 --yes', 'runs verify last']) {
      const { code, stderr } = await service.hogctl(words);
      expect(code).toBe(2);
      expect(stderr).toContain(`${directory} can be changed by other users (mode 770)`);
      expect(stderr).toContain(`chmod 700 '${directory}'; if it is a tmpfs, mount it with mode=700`);
    }
    expect([readdirSync(directory), service.log]).toEqual([[], []]);
    // A file in its place is no directory without runs, of which nothing would be owed.
    const file = join(directory, 'file');
    writeFileSync(file, '');
    for (const words of ['runs list --due', 'runs verify --due', 'runs find --ids 1']) {
      const { code, stderr } = await service.hogctl(words, { environment: { HOGCTL_STATE_DIR: file } });
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${file} is not a directory`)]);
    }
  });
});

describe.skipIf(!hasOtherUsers)('root with the home of another user', () => {
  it('writes nothing below it', async () => {
    const service = await wantingTheKey();
    const home = temporaryDirectory();
    chownSync(home, 65_534, 65_534);
    const environment = { HOME: home, HOGCTL_CONFIG_DIR: '', HOGCTL_STATE_DIR: '' };
    const login = await service.hogctl(loginWords(service), { stdin: KEY, environment });
    expect(login.code).toBe(2);
    expect(login.stderr).toContain('is in the home directory of another user, and root writes nothing there');
    const shown = await service.hogctl('persons get 1', { environment, attended: true });
    expect(shown.code).toBe(0);
    const deleted = await service.hogctl('persons delete 1 --yes', { environment });
    expect(deleted.code).toBe(2);
    expect(deleted.stderr).toContain('HOGCTL_STATE_DIR');
    expect(existsSync(join(home, '.config'))).toBe(false);
    expect(readdirSync(home)).toEqual([]);
  });
});
