import { describe, expect, it } from 'vitest';
import { requestsTo, startService } from '../support/service.ts';

const at = '/api/projects/1';
const closed = {
  status: 403,
  json: {
    type: 'authentication_error',
    code: 'permission_denied',
    detail: 'This action does not support keys',
  },
};

describe('what another operation replaces', () => {
  it('lists the insights that anyone viewed last', async () => {
    const service = await startService([
      { on: `GET ${at}/insights/my_last_viewed/`, ...closed },
      { on: `GET ${at}/insights/`, json: { results: [{ id: 9 }], next: null } },
    ]);
    const { stdout, stderr } = await service.hogctl('insights last-viewed -o ndjson --columns id', {
      environment: { HOGCTL_DIALECT: 'live' },
    });
    expect(stdout).toBe('{"id":9}\n');
    expect(stderr).toContain('lists the insights last viewed by anyone, not by you');
    expect(requestsTo(service)[1]).toBe(`GET ${at}/insights/?limit=5&basic=true&order=-last_viewed_at`);
  });

  it('cancels a query by its own operation', async () => {
    const service = await startService([
      { on: `POST ${at}/insights/cancel/`, ...closed },
      { on: `DELETE ${at}/query/q1/`, status: 204 },
    ]);
    const { code, stderr } = await service.hogctl('insights cancel q1');
    expect(code).toBe(0);
    expect(stderr).toContain('Asked the service to cancel query q1.');
    expect(service.log[0]?.json).toEqual({ client_query_id: 'q1' });
  });

  it('shows the properties of a person at the end of the range', async () => {
    const uuid = '00000000-0000-4000-8000-000000000042';
    const service = await startService([
      { on: `GET ${at}/persons/42/properties_timeline/`, ...closed },
      { on: `GET ${at}/persons/42/`, json: { id: 42, uuid } },
      { on: `GET ${at}/persons/properties_at_time/`, json: { id: 42, properties: { plan: 'pro' } } },
    ]);
    const { stdout, stderr } = await service.hogctl('persons timeline 42 --date-to 2026-01-05 -o json');
    expect(JSON.parse(stdout)).toEqual({ id: 42, properties: { plan: 'pro' } });
    expect(stderr).toContain('shows the properties at one moment, not every change');
    expect(requestsTo(service)[2]).toBe(
      `GET ${at}/persons/properties_at_time/?person_id=${uuid}&timestamp=2026-01-05T23%3A59%3A59Z`,
    );
  });
});
