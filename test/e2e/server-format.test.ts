import { describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';

describe('--server-format', () => {
  it.each([
    ['persons list --all', '--all'],
    ['insights list --all --limit 5', '--all'],
    ['persons funnel --events a,b --all', '--all'],
    ['api GET persons/ --paginate', '--paginate'],
    ["insights trends --events a --expect 'last > 1' --unfinished", '--expect and --unfinished'],
    ['insights trends --events a --create Sales', '--create'],
    ['insights get 1 --require-result --max-age 1h --wait', '--wait and --require-result and --max-age'],
    ['insights get 1 --chart', '--chart'],
    ['persons list --columns id', '--columns'],
    ['persons list --all --no-headers --spreadsheet-safe', '--all and --no-headers and --spreadsheet-safe'],
  ])('refuses what does nothing to one answer as it came: %s', async (line, named) => {
    const service = await startService([]);
    expect(await service.hogctl(`${line} --server-format csv`)).toEqual({
      code: 2,
      stdout: '',
      stderr: [
        `error: ${named} cannot be used with --server-format, which prints one answer unchanged\n`,
        'hint: use -o csv or -o json instead\n',
      ].join(''),
    });
    expect(service.log).toHaveLength(0);
  });

  it('passes one page on', async () => {
    const service = await startService([{ on: /[?&]format=csv/, body: 'id\n1\n' }]);
    const { code, stdout } = await service.hogctl('persons list --limit 5 --server-format csv');
    expect([code, stdout]).toEqual([0, 'id\n1\n']);
    // The service answers 406 to a format that the request does not accept.
    expect(service.log[0]?.headers.accept).toBe('*/*');
  });
});
