import { describe, expect, it } from 'vitest';
import { startService } from './service.ts';

const reason = 'why '.repeat(50_000);
const failed = { query_status: { id: 'a', error: true, error_message: reason, complete: true }, results: [] };

describe('a message of the service of any length', () => {
  it.each([
    ['query select', { json: failed }],
    ['persons export --via query', { json: failed }],
    ['persons get 1', { status: 400, json: { detail: reason, attr: reason, code: reason } }],
    ['persons get 1', { status: 302, headers: { location: `http://elsewhere.example/${'a'.repeat(9000)}` } }],
    ['insights get 9', { json: { id: 9, result: null, ...failed } }],
  ])('takes 2,000 characters at most: %s', async (words, answer) => {
    const service = await startService([() => answer]);
    const { code, stderr } = await service.hogctl(words.split(' '));
    expect(code).toBeGreaterThan(1);
    expect(stderr.length).toBeLessThan(2600);
  });
});
