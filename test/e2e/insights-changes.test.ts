import { describe, expect, it } from 'vitest';
import { requestsTo, startService } from '../support/service.ts';

const at = '/api/projects/1/insights';
const insight = { id: 9, short_id: 'zeNY2NOU', name: 'Checkout', tags: ['q4'], dashboards: [3], saved: true };

describe('an update sends only what was asked', () => {
  const patched = async (line: string) => {
    const service = await startService([{ json: insight, times: 2 }]);
    const { code, stderr } = await service.hogctl(line);
    return { code, stderr, sent: requestsTo(service), body: service.log.at(-1)?.json };
  };

  it('sends the name alone', async () => {
    const { code, sent, body, stderr } = await patched('insights update 9 --name New');
    expect({ code, sent, body }).toEqual({ code: 0, sent: [`PATCH ${at}/9/`], body: { name: 'New' } });
    expect(stderr).toBe('Changed insight 9: name.\n');
  });

  it('adds and removes a tag beside those there are', async () => {
    const added = await patched('insights update 9 --add-tag x');
    expect(added.sent).toEqual([`GET ${at}/9/`, `PATCH ${at}/9/`]);
    expect(added.body).toEqual({ tags: ['q4', 'x'] });
    expect((await patched('insights update 9 --add-tag x,y --remove-tag q4')).body).toEqual({
      tags: ['x,y'],
    });
  });

  it('clears tags only by name', async () => {
    const empty = await patched('insights update 9 --tags ""');
    expect({ code: empty.code, sent: empty.sent }).toEqual({ code: 2, sent: [] });
    expect(empty.stderr).toContain('--clear-tags');
    expect((await patched('insights update 9 --clear-tags')).body).toEqual({ tags: [] });
    expect((await patched('insights update 9 --tags a,b')).body).toEqual({ tags: ['a', 'b'] });
  });

  it('sends dashboards only when asked, and warns', async () => {
    const { body, stderr } = await patched('insights update 9 --dashboards 3,4');
    expect(body).toEqual({ dashboards: [3, 4] });
    expect(stderr).toContain('warning: dashboards is deprecated');
  });

  it('sends switches with their values', async () => {
    expect((await patched('insights update 9 --no-saved --favorited')).body).toEqual({
      saved: false,
      favorited: true,
    });
  });

  it.each(['', '--tags a --add-tag b', '--clear-tags --remove-tag b', '--add-tag ""'])(
    'refuses "%s"',
    async (options) => {
      const { code, sent } = await patched(`insights update 9 ${options}`);
      expect({ code, sent }).toEqual({ code: 2, sent: [] });
    },
  );
});

it.each(['create --name X', 'update 9'])(
  'legacy filters that are refused point to --query: %s',
  async (line) => {
    const detail = 'Creating or updating insights with legacy filters is not available.';
    const service = await startService([{ status: 403, json: { code: 'permission_denied', detail } }]);
    const { code, stderr } = await service.hogctl(`insights ${line} --filters '{"a":1}'`);
    expect([code, stderr.includes('give the definition with --query')]).toEqual([4, true]);
  },
);

describe('a new insight that nobody can see', () => {
  it('is saved unless it must not be', async () => {
    const service = await startService([{ status: 201, json: insight, times: 2 }]);
    await service.hogctl('insights create --name A --tags a,b');
    await service.hogctl('insights create --name A --no-saved');
    expect(service.log.map(({ json }) => json)).toEqual([
      { name: 'A', tags: ['a', 'b'], saved: true },
      { name: 'A', saved: false },
    ]);
  });

  it('warns when the service did not save it, and keeps JSON pure', async () => {
    const answer = { id: 77, short_id: 'abcd1234', name: '🛒 Checkout', saved: false, filters: {} };
    const service = await startService([{ status: 201, json: answer }]);
    const line = [
      'insights',
      'create',
      '--name',
      '🛒 Checkout',
      '--query',
      '{"kind":"InsightVizNode","source":{"kind":"TrendsQuery","series":[]}}',
      '-o',
      'json',
    ];
    const { code, stdout, stderr } = await service.hogctl(line);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(answer);
    expect(stdout).toContain('🛒');
    expect(stderr).toContain('insight 77 (abcd1234) is not saved');
    expect(stderr).toContain('hogctl insights update 77 --saved');
  });

  it('refuses to create nothing', async () => {
    const service = await startService([]);
    expect((await service.hogctl('insights create')).code).toBe(2);
    expect(service.log).toEqual([]);
  });
});

describe('the connection is lost after the service did the work', () => {
  it('creates once only and says that the outcome is unknown', async () => {
    const service = await startService([{ on: `POST ${at}/`, reset: 'after', times: 5 }]);
    const { code, stderr } = await service.hogctl('insights create --name A');
    expect(code).toBe(8);
    expect(service.log).toHaveLength(1);
    expect(stderr).toMatch(/unknown|may have/i);
  });

  it('reads again without a word, and does not repeat a change', async () => {
    const read = await startService([{ reset: 'before' }, { json: { ...insight, result: [] } }]);
    expect((await read.hogctl('insights get 9 -o json')).code).toBe(0);
    expect(read.log).toHaveLength(2);
    const change = await startService([{ status: 502, body: 'Bad Gateway', times: 5 }]);
    expect((await change.hogctl('insights update 9 --name X')).code).not.toBe(0);
    expect(change.log).toHaveLength(1);
  });
});
