import { describe, expect, it } from 'vitest';
import { KEY, startService } from '../support/service.ts';

const LENGTH = 1_000_000;
/** No system passes on a longer argument. */
const LONGEST_ARGUMENT = 120_000;
const texts = ['(', '"', ',', '=', ' ', '.', '{"a":'];
/** Files of ids are looked at id by id. */
const fewer = ['"', ',', '{"a":'];

/** `?` stands for the text; standard input is as long as it may be. */
const lines: readonly (readonly string[])[] = [
  ['persons', 'list', '--property', '?'],
  ['persons', 'list', '--properties', '?'],
  ['persons', 'list', '--columns', '?'],
  ['persons', 'list', '--host', '?'],
  ['persons', 'get', '?'],
  ['persons', 'update', '1', '--set', '?', '--yes'],
  ['persons', 'bulk-delete', '--distinct-ids', '?', '--dry-run'],
  ['persons', 'bulk-delete', '--from', '-', '--as', 'distinct-ids', '--dry-run'],
  ['persons', 'bulk-delete', '--from', '-', '--as', 'emails', '--dry-run'],
  ['query', '?'],
  ['query', '?', '--limit', '7'],
  ['insights', 'check', '9', '--expect', '?'],
  ['insights', 'check', '9', '--max-age', '?'],
  ['insights', 'check', '--file', '-'],
  ['insights', 'create', '--query', '?'],
  ['insights', 'funnel', '--events', '?'],
  ['insights', 'funnel', '--event', 'a', '--where', '?', '--event', 'b'],
  ['insights', 'trends', '--events', 'a', '--date-from', '?'],
  ['api', 'GET', '?'],
  ['api', 'POST', 'query/', '-f', '?', '--dry-run'],
  ['runs', 'show', '?'],
  ['?'],
];

describe('a million characters without an end', { timeout: 60_000 }, () => {
  it.each(lines.map((words) => [words.join(' '), words] as const))(
    'are read at once by %s',
    async (_, words) => {
      const { hogctl } = await startService([() => ({ status: 404, json: { detail: 'Not found.' } })]);
      for (const text of words.includes('-') ? fewer : texts) {
        const long = text.repeat(LENGTH / text.length);
        const argument = long.slice(0, LONGEST_ARGUMENT);
        const before = process.cpuUsage();
        const { code, stderr } = await hogctl(
          words.map((word) => (word === '?' ? argument : word)),
          { stdin: long, environment: { HOGCTL_API_KEY: KEY } },
        );
        const { user, system } = process.cpuUsage(before);
        const said = `${JSON.stringify(text)}: ${stderr.slice(0, 300)}`;
        expect(code, said).not.toBe(1);
        expect((user + system) / 1000, said).toBeLessThan(8000);
      }
    },
  );
});
