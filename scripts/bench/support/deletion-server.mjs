import { createServer } from 'node:http';

/** A service that knows everybody, takes `delay` milliseconds for each bulk deletion, and deletes all that it is sent. */
export function serveDeletions(delay) {
  const server = createServer(async (request, response) => {
    const arrived = performance.now();
    const chunks = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const { ids = [], uuids } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    if (uuids !== undefined) {
      const results = Object.fromEntries(uuids.map((uuid) => [uuid, personOf(uuid)]));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }));
      return;
    }
    const body = JSON.stringify({
      persons_found: ids.length,
      persons_deleted: ids.length,
      persons_queued_for_deletion: 0,
      events_queued_for_deletion: false,
      deletion_errors: [],
    });
    const answer = () => response.writeHead(202, { 'content-type': 'application/json' }).end(body);
    setTimeout(answer, delay - (performance.now() - arrived));
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  // The bench that started it is gone.
  process.once('disconnect', () => process.exit());
}

function personOf(uuid) {
  return {
    uuid,
    distinct_ids: [`somebody-${uuid.slice(-12)}`],
    properties: {},
    created_at: '2026-01-01T00:00:00Z',
  };
}
