import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { people, person, startService, temporaryDirectory } from './service.ts';

const list = (count: number, next: string | null) => ({ json: { results: people(count), next } });

describe('--jq', () => {
  it('runs over each page of a list, and prints texts without quotes', async () => {
    const service = await startService([
      { on: /offset=2/, json: { results: people(4).slice(2), next: null } },
      () => list(2, `${service.origin}/api/projects/1/persons/?offset=2`),
    ]);
    const { code, stdout } = await service.hogctl([
      'persons',
      'list',
      '--all',
      '--jq',
      '.[].distinct_ids[0], length',
    ]);
    expect([code, stdout]).toEqual([0, 'user_1\nuser_2\n2\nuser_3\nuser_4\n2\n']);
  });

  it('gets numbers with their own digits, and keeps them unless the program calculates', async () => {
    const body = '{"id":12345678901234567890,"a":1.10,"b":9007199254740993}';
    const service = await startService([{ times: 2, body, headers: { 'content-type': 'application/json' } }]);
    const line = (program: string) => service.hogctl(['persons', 'get', '42', '--jq', program]);
    expect((await line('.')).stdout).toBe(`${body}\n`);
    expect((await line('.b + 0')).stdout).toBe('9007199254740992\n');
  });

  it('takes the answer of api, and of an insight, as it came', async () => {
    const service = await startService([{ times: 2, json: { id: 9, short_id: 'abc', result: [1] } }]);
    expect((await service.hogctl('api GET insights/9/ --jq .short_id')).stdout).toBe('abc\n');
    expect((await service.hogctl('insights get 9 --jq .result')).stdout).toBe('[1]\n');
  });

  it('indents on a terminal, and shows no control characters there', async () => {
    const properties = { name: 'a\u001b[31mb' };
    const service = await startService([{ json: { ...person(1), properties } }]);
    const { stdout } = await service.hogctl(
      ['persons', 'get', '42', '--jq', '{properties}, .properties.name'],
      { terminal: {} },
    );
    expect(stdout).toBe('{\n  "properties": {\n    "name": "a\\u001b[31mb"\n  }\n}\na\\u001b[31mb\n');
  });

  it('keeps the quotes with -o ndjson, and in a file that is called so', async () => {
    const service = await startService([list(2, null), list(2, null), list(2, null)]);
    const folder = temporaryDirectory();
    const line = (...words: string[]) =>
      service.hogctl(['persons', 'list', '--jq', '.[].distinct_ids[0]', ...words]);
    expect((await line('-o', 'ndjson')).stdout).toBe('"user_1"\n"user_2"\n');
    const saved = await line('--save', join(folder, 'a.jsonl'));
    expect([saved.code, saved.stderr]).toEqual([0, `Saved to ${join(folder, 'a.jsonl')}.\n`]);
    expect(readFileSync(join(folder, 'a.jsonl'), 'utf8')).toBe('"user_1"\n"user_2"\n');
    await line('--save', join(folder, 'a.txt'));
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('user_1\nuser_2\n');
  });

  it.each([
    [['--jq', '.[] |'], '--jq: syntax error, unexpected end of file at <top-level>, line 1, column 5:'],
    [['--jq', '.[] | nme'], '--jq: nme/0 is not defined at <top-level>, line 1, column 7:'],
    [['--jq', ''], '--jq is empty'],
    [['--jq', '.', '-o', 'csv'], '-o csv cannot be used with --jq, which prints the output of its program'],
    [
      ['--jq', '.', '--columns', 'id', '--no-headers'],
      '--columns and --no-headers cannot be used with --jq, which prints the output of its program',
    ],
    [
      ['--jq', '.', '--save', 'a.csv'],
      '-o csv cannot be used with --jq, which prints the output of its program',
    ],
    [['--jq', '.', '--save', 'a.json'], '--jq cannot write .json files'],
    [['--jq', '.', '--save', 'a.xlsx'], 'this command cannot write .xlsx files'],
  ])('is refused before anything is sent: %j', async (words, message) => {
    const service = await startService([]);
    const { code, stdout, stderr } = await service.hogctl(['persons', 'list', ...words]);
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', `error: ${message}`]);
    expect(service.log).toEqual([]);
  });

  it('does not go with an export that is resumed', async () => {
    const service = await startService([]);
    const words = ['--resume', 's', '--save', 'a.ndjson', '--jq', '.'];
    expect((await service.hogctl(['persons', 'export', ...words])).code).toBe(2);
    expect(service.log).toEqual([]);
  });

  it('ends with 8 if the program fails on the answer, after what it made before', async () => {
    const service = await startService([list(2, null)]);
    const { code, stdout, stderr } = await service.hogctl(['persons', 'list', '--jq', '.[0].id, .[0].id.x']);
    expect([code, stdout]).toEqual([8, `${people(1)[0]?.id}\n`]);
    expect(stderr).toContain('error: the jq program failed on the answer: Cannot index');
  });

  it('leaves no file behind if the program fails', async () => {
    const service = await startService([list(2, null)]);
    const file = join(temporaryDirectory(), 'a.txt');
    expect((await service.hogctl(['persons', 'list', '--jq', '1, error("no")', '--save', file])).code).toBe(
      8,
    );
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });

  it('says on stderr what the program says itself', async () => {
    const service = await startService([list(1, null)]);
    const { stdout, stderr } = await service.hogctl(['persons', 'list', '--jq', 'length | debug']);
    expect([stdout, stderr]).toEqual(['1\n', '["DEBUG:",1]\n']);
  });

  it.each([
    ['while the program runs', 200],
    ['before it begins', 0],
  ])('can be interrupted %s', async (_, after) => {
    const stop = new AbortController();
    const service = await startService([
      { ...list(1, null), work: () => setTimeout(() => stop.abort('SIGINT'), after) },
    ]);
    const { code } = await service.hogctl(['persons', 'list', '--jq', 'def f: f; f'], {
      signal: stop.signal,
    });
    expect(code).toBe(130);
  });
});
