import { createServer } from 'node:http';

/**
 * A service that knows everybody but who was deleted in the same project, takes `delay` milliseconds a request, and
 * refuses SQL.
 */
export function serveDeletions(delay) {
  const goneIn = new Map();
  const goneFrom = (url) => {
    const project = /\/projects\/(\d+)\//.exec(url)?.[1];
    if (!goneIn.has(project)) goneIn.set(project, new Set());
    return goneIn.get(project);
  };
  const server = createServer(async (request, response) => {
    const arrived = performance.now();
    const chunks = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const input = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    const { status, body } = answerTo(request, input, goneFrom(request.url));
    const answer = () =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    setTimeout(answer, delay - (performance.now() - arrived));
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  // The bench that started it is gone.
  process.once('disconnect', () => process.exit());
}

const PREFIX = '0190a5c6-0000-4000-8000-';
/** Somebody else, who is always there. */
const bystander = `${PREFIX}999999999999`;

function answerTo({ url }, { ids = [], uuids, distinct_ids: distinctIds }, gone) {
  if (url.includes('/query/')) return { status: 403, body: { code: 'permission_denied', detail: 'no' } };
  const asked = uuids ?? distinctIds?.map((id) => `${PREFIX}${id.slice(-12)}`);
  if (asked !== undefined) {
    const there = asked.filter((uuid) => !gone.has(uuid)).map(personOf);
    const keyOf = ({ uuid, distinct_ids: [id] }) => (uuids === undefined ? id : uuid);
    return { status: 200, body: { results: Object.fromEntries(there.map((one) => [keyOf(one), one])) } };
  }
  if (!url.includes('bulk_delete')) {
    return { status: 200, body: { next: null, results: [personOf(bystander)] } };
  }
  for (const id of ids) gone.add(id);
  return {
    status: 202,
    body: {
      persons_found: ids.length,
      persons_deleted: ids.length,
      persons_queued_for_deletion: 0,
      events_queued_for_deletion: false,
      deletion_errors: [],
    },
  };
}

function personOf(uuid) {
  return {
    id: uuid,
    uuid,
    distinct_ids: [`somebody-${uuid.slice(-12)}`],
    properties: {},
    created_at: '2026-01-01T00:00:00Z',
  };
}
