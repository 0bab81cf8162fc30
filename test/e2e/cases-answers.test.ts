import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  KEY,
  listOf,
  people,
  person,
  requestsTo,
  startService,
  startWithPeople,
  temporaryDirectory,
} from '../support/service.ts';
import type { StubAnswer, StubStep } from '../support/stub-server.ts';

describe('HTML where JSON was expected', () => {
  const markup = '<!doctype html><html><title>Sign in</title></html>';
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const answers: readonly [string, StubAnswer, number, readonly string[]][] = [
    [
      'a sign-in page with 200',
      { body: markup, headers: html },
      1,
      ['200', 'text/html', '127.0.0.1:', 'sign-in page'],
    ],
    [
      'a page that says it is JSON',
      { body: markup, headers: { 'content-type': 'application/json' } },
      1,
      ['200', 'application/json', '127.0.0.1:'],
    ],
    ['a page with 502', { status: 502, body: markup, headers: html }, 5, ['502', 'text/html', '127.0.0.1:']],
    ['an empty 503', { status: 503 }, 5, ['503', '127.0.0.1:']],
    [
      'an empty 200',
      { headers: { 'content-type': 'application/json' } },
      1,
      ['200', 'application/json', '127.0.0.1:'],
    ],
  ];

  it.each(answers)('is an error of a list: %s', async (_, answer, tries, words) => {
    const service = await startService([() => answer]);
    const { code, stdout, stderr } = await service.hogctl('persons list');
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr).not.toMatch(/<|Unexpected token|SyntaxError/);
    expect(stderr.split('\n').filter((line) => line.startsWith('error: '))).toHaveLength(1);
    expect(stderr).toContain('hint: ');
    expect(service.log).toHaveLength(tries);
  });

  it.each(answers.slice(0, 4))('is an error of a deletion: %s', async (_, answer) => {
    const service = await startService([{ on: /^GET/, json: person(42) }, () => answer]);
    const { code, stdout, stderr } = await service.hogctl('persons delete 42 --yes');
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).not.toMatch(/<|Unexpected token|accepted the deletion/);
  });

  it('takes a deletion that is answered with an empty body for accepted', async () => {
    const service = await startWithPeople([{ status: 200 }]);
    const { code, stdout, stderr } = await service.hogctl('persons delete 42 --yes');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^The service accepted the deletion of person 42/);
  });
});

describe('a body cut short during an export', () => {
  const pages = Array.from({ length: 5 }, (_, index) => people(100, index * 100 + 1));
  const cuts: readonly [string, StubAnswer][] = [
    ['with a declared length', { cutAt: 500 }],
    ['chunked without its end', { cutAt: 500, chunked: true }],
    ['in the middle of gzip', { cutAt: 200, gzip: true }],
    ['chunked in the middle of gzip', { cutAt: 200, gzip: true, chunked: true }],
  ];
  const wholly: readonly [string, StubAnswer] = [
    'though it came whole',
    { body: '{"next":null,"results":[{"id":201},{"id"' },
  ];
  const cutting = (cut: StubAnswer, times: number) => {
    const third: StubStep = { json: { next: null, results: pages[2] }, ...cut, on: /cursor=2$/, times };
    return startService(
      cut.body === undefined
        ? [third, ...listOf(pages)]
        : [{ body: cut.body, on: /cursor=2$/, times }, ...listOf(pages)],
    );
  };

  it.each(cuts)('is asked for again and then whole: %s', async (_, cut) => {
    const service = await cutting(cut, 2);
    const file = join(temporaryDirectory(), 'people.csv');
    const { code } = await service.hogctl(`persons list --all --output csv --save ${file}`);
    expect(code).toBe(0);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(501);
    expect(service.log).toHaveLength(7);
  });

  it.each([...cuts, wholly])('leaves no file under the name: %s', async (_, cut) => {
    const service = await cutting(cut, 99);
    const directory = temporaryDirectory();
    const file = join(directory, 'people.csv');
    const { code, stderr } = await service.hogctl(`persons list --all --output csv --save ${file}`);
    expect(code).toBe(6);
    expect(stderr).toContain('on page 3 after 200 rows');
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('leaves an older file as it was', async () => {
    const service = await cutting({ cutAt: 500 }, 99);
    const file = join(temporaryDirectory(), 'people.csv');
    writeFileSync(file, 'older');
    await service.hogctl(`persons list --all --output csv --save ${file}`);
    expect(readFileSync(file, 'utf8')).toBe('older');
  });

  it('is an error on stdout as well, after the rows before it', async () => {
    const service = await cutting({ cutAt: 500 }, 99);
    const { code, stdout, stderr } = await service.hogctl('persons list --all --output csv');
    expect(code).toBe(6);
    expect(stdout.trim().split('\n')).toHaveLength(201);
    expect(stderr).toContain('on page 3 after 200 rows');
  });
});

describe('exit codes and streams', () => {
  const classes: readonly [number, number, string, number][] = [
    [400, 5, 'refused', 1],
    [401, 4, 'authentication', 1],
    [402, 5, 'refused', 1],
    [403, 4, 'authentication', 1],
    [404, 3, 'not-found', 1],
    [405, 5, 'refused', 1],
    [409, 5, 'refused', 1],
    [422, 5, 'refused', 1],
    [429, 6, 'unavailable', 5],
    [500, 6, 'unavailable', 5],
    [503, 6, 'unavailable', 5],
  ];

  it.each(classes)('ends %i with exit code %i', async (status, exitCode, kind, tries) => {
    const service = await startService([() => ({ status, json: { code: 'a_code', detail: 'Something.' } })]);
    const { code, stdout, stderr } = await service.hogctl('persons get 1 --output json --quiet');
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({ kind, status, code: 'a_code', exit_code: exitCode });
    expect(service.log).toHaveLength(tries);
  });

  it('ends a refused connection with exit code 6', async () => {
    const service = await startService([]);
    await service.close();
    const { code, stdout, stderr } = await service.hogctl('persons get 1 -o json -q');
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({ kind: 'unavailable', status: null });
  });

  it('ends an unknown name with exit code 6', async () => {
    const service = await startService([]);
    // A label longer than names may have is not asked for, so that no name server is waited for.
    const name = `${'a'.repeat(64)}.invalid`;
    const { code, stdout, stderr } = await service.hogctl(`persons get 1 -o json -q --host https://${name}`);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain(name);
  });

  it('ends a wrong option with exit code 2 and one line of JSON on stderr', async () => {
    const service = await startService([]);
    const { code, stdout, stderr } = await service.hogctl('persons get 1 --nope -o json');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({ kind: 'usage', exit_code: 2 });
  });

  it('says a bug in one line of JSON, the last one, behind where it was with --debug', async () => {
    const service = await startService([{ status: 429 }]);
    const random = () => {
      throw new TypeError('a fault of ours');
    };
    const { code, stderr } = await service.hogctl('persons get 1 -o json --debug', { random });
    const lines = stderr.trimEnd().split('\n');
    expect(code).toBe(1);
    expect(JSON.parse(lines.at(-1) ?? '').error).toMatchObject({ kind: 'bug', exit_code: 1 });
    expect(stderr).toMatch(/^TypeError: a fault of ours\n +at /m);
  });

  it('keeps warnings, notes and waits out of stdout', async () => {
    const service = await startService([
      { status: 429, headers: { 'retry-after': '1' } },
      ...listOf([people(100), people(1, 101)]),
    ]);
    const { code, stdout, stderr } = await service.hogctl('persons list -o json --debug');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(100);
    expect(stderr).toContain('trying again in');
    expect(stderr).toContain('warning: these are the first 100 rows');
    expect(stdout).not.toContain(KEY);
    expect(requestsTo(service)).toHaveLength(2);
  });
});
