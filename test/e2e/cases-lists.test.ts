import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineCommand, defineGroup } from '../../src/cli/command/define-command.ts';
import { allOption } from '../../src/cli/requests.ts';
import type { Json } from '../../src/json/kinds.ts';
import { persons } from '../../src/service/persons.ts';
import {
  KEY,
  listOf,
  people,
  person,
  queryOf,
  requestsTo,
  startService,
  temporaryDirectory,
} from '../support/service.ts';
import { AUTHORITY, readCertificate, startStub } from '../support/stub-server.ts';

describe('next comes back with http:// behind a proxy that ends TLS', () => {
  const variants: readonly [string, (port: number, plain: number) => string][] = [
    ['with the port of the service', (port) => `http://127.0.0.1:${port}`],
    ['with port 80 left out', () => 'http://127.0.0.1'],
    ['with the port of another listener', (_, plain) => `http://127.0.0.1:${plain}`],
  ];
  it.each(variants)('stays on the configured origin, %s', async (_, origin) => {
    const plain = await startStub();
    onTestFinished(() => plain.close());
    const { key, cert } = readCertificate('server');
    const service = await startService(
      [
        (received) => {
          const second = queryOf(received).has('cursor');
          const next = `${origin(service.port, plain.port)}/api/projects/1/persons/?cursor=2`;
          return { json: { next: second ? null : next, results: [person(second ? 2 : 1)] } };
        },
      ],
      { tls: { key, cert } },
    );
    const { code, stdout, stderr } = await service.hogctl(
      `persons list --all --output ndjson --ca-file '${AUTHORITY}'`,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual([1, 2]);
    expect(requestsTo(service)).toEqual([
      'GET /api/projects/1/persons/?limit=1000',
      'GET /api/projects/1/persons/?cursor=2',
    ]);
    expect(service.log.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${KEY}`,
      `Bearer ${KEY}`,
    ]);
    expect(plain.connections()).toBe(0);
  });
});

describe('a short page is not the last one', () => {
  const pages = [people(98), people(100, 99), people(40, 199)];
  it.each([
    ['without a count', {}],
    ['with a count of null', { count: null }],
  ])('reads on until next ends, %s', async (_, extra) => {
    const service = await startService(listOf(pages, extra));
    const json = await service.hogctl('persons list --all --limit 100 --output json');
    expect(json).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(json.stdout)).toHaveLength(238);
    const table = await service.hogctl('persons list --all --limit 100', { terminal: { columns: 100 } });
    expect(table.code).toBe(0);
    // A header of two lines.
    expect(table.stdout.trimEnd().split('\n')).toHaveLength(240);
    expect(table.stdout + table.stderr).not.toMatch(/undefined|NaN|null|total/);
  });

  it('reads past an empty page', async () => {
    const service = await startService(listOf([people(2), [], people(2, 3)]));
    const { stdout } = await service.hogctl('persons list --all -o ndjson');
    expect(stdout.trim().split('\n')).toHaveLength(4);
  });
});

describe('next does not advance', () => {
  it('ends when the next page is the one just read, and leaves no file', async () => {
    const service = await startService([
      (received) => ({ json: { next: `${service.origin}${received.url}`, results: people(100) } }),
    ]);
    const file = join(temporaryDirectory(), 'people.csv');
    const { code, stderr } = await service.hogctl(`persons list --all --output csv --save ${file}`);
    expect(code).toBe(6);
    expect(stderr).toContain('the list does not end');
    expect(stderr).toContain('after 100 rows');
    expect(service.log.length).toBeLessThanOrEqual(3);
    expect(existsSync(file)).toBe(false);
  });

  it('ends when two pages point at each other, and leaves an older file alone', async () => {
    const service = await startService([
      (received) => {
        const at = Number(queryOf(received).get('cursor') ?? 1);
        const next = `/api/projects/1/persons/?cursor=${at === 3 ? 2 : at + 1}`;
        return { json: { next, results: people(100, at * 100) } };
      },
    ]);
    const file = join(temporaryDirectory(), 'people.csv');
    writeFileSync(file, 'older');
    const { code, stderr } = await service.hogctl(`persons list --all --output csv --save ${file}`);
    expect(code).toBe(6);
    expect(stderr).toContain('after 300 rows');
    expect(service.log).toHaveLength(3);
    expect(readFileSync(file, 'utf8')).toBe('older');
  });

  it('leaves the JSON document on stdout open, so that it does not pass for a whole one', async () => {
    const service = await startService([
      (received) => ({ json: { next: `${service.origin}${received.url}`, results: people(2) } }),
    ]);
    const { code, stdout } = await service.hogctl('persons list --all --output json');
    expect(code).toBe(6);
    expect(() => JSON.parse(stdout)).toThrow();
  });
});

/** Lists every tenth of the persons that it reads; with `--sort` it prints them only once it has all. */
const everyTenth = defineGroup('persons', 'Persons', {
  list: async () =>
    defineCommand({
      name: 'list',
      endpoints: [persons.list],
      summary: 'List every tenth person',
      examples: [],
      options: { all: allOption, sort: { type: 'flag', needsRows: true, description: 'Sort them' } },
      async run({ all, sort, ...input }, context) {
        const kept: (readonly Json[])[] = [];
        for await (const { rows } of await context.list(persons.list, input, { all }))
          kept.push(rows.filter((_, at) => at % 10 === 0));
        await context.print(sort ? kept.flat() : pagesOf(kept));
      },
    }),
});

async function* pagesOf(pages: readonly (readonly Json[])[]) {
  yield* pages;
}

describe('more rows than one page', () => {
  const capped = () => startService(listOf([people(100), people(100, 101), people(50, 201)]));

  it('shows as many rows as were asked for, over as many pages as that takes', async () => {
    const { code, stdout, stderr } = await (await capped()).hogctl('persons list --limit 250 --output json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toHaveLength(250);
  });

  it('says that more rows exist where it stops, and how to get them', async () => {
    const service = await capped();
    const { code, stdout, stderr } = await service.hogctl('persons list --output json --quiet');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(100);
    expect(stderr).toBe(
      'warning: these are the first 100 rows, and the service has more; --all reads all of them\n',
    );
    expect(service.log).toHaveLength(1);
  });

  it.each([
    ['of one page', 'persons list', 'these are 10 of the first 100 rows'],
    ['of several', 'persons list --limit 230', 'these are 23 of the first 230 rows'],
    ['that are sorted, too', 'persons list --sort', 'these are 10 of the first 100 rows'],
  ])('says of how many rows those are that a command keeps, %s', async (_, line, told) => {
    const service = await capped();
    const { code, stderr } = await service.hogctl(`${line} -o ndjson`, { commands: [everyTenth] });
    expect(code).toBe(0);
    expect(stderr).toBe(`warning: ${told}, and the service has more; --all reads all of them\n`);
    const file = join(temporaryDirectory(), 'people.csv');
    const saved = await service.hogctl(`persons list --save ${file}`, { commands: [everyTenth] });
    expect(saved.code).toBe(8);
    expect(saved.stderr).toContain(`${file} was not written: these would be 10 of the first 100 rows`);
    expect(saved.stderr).toContain('--limit 100 says that these are enough');
  });

  it('stops inside a page', async () => {
    const { stdout, stderr } = await (await capped()).hogctl('persons list --limit 120 -o ndjson');
    expect(stdout.trim().split('\n')).toHaveLength(120);
    expect(stderr).toContain('first 120 rows');
  });

  it.each(['0', 'abc', '-1', '1.5', '1e3', '', '99999999999999999999'])(
    'refuses --limit=%s before any request',
    async (limit) => {
      const service = await capped();
      const { code, stderr } = await service.hogctl(['persons', 'list', `--limit=${limit}`]);
      expect(code).toBe(2);
      expect(stderr).toContain('--limit');
      expect(service.log).toEqual([]);
    },
  );
});
