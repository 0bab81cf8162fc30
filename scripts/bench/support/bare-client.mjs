import { Agent, request } from 'node:http';

/** Sends so many bulk deletions over kept connections and does nothing else; writes the milliseconds it took. */
export async function deleteBarely({ origin, calls, lanes, size }) {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const body = JSON.stringify({
    ids: Array.from({ length: size }, () => '0190a5c6-0000-4000-8000-000000000001'),
  });
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const call = () =>
    new Promise((resolve, reject) => {
      const sent = request(`${origin}/api/projects/1/persons/bulk_delete/`, {
        method: 'POST',
        agent,
        headers,
      });
      sent.once('response', (answer) => answer.resume().once('end', resolve));
      sent.once('error', reject);
      sent.end(body);
    });
  let left = calls;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  const before = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  process.stdout.write(String(performance.now() - before));
  agent.destroy();
}
