import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Starts a server in its own process that answers every request with one JSON body; `stop` ends it. */
export function startServer(answer) {
  const child = fork(join(import.meta.dirname, 'server.mjs'), { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    child.once('message', ({ port }) => {
      child.removeAllListeners('exit');
      resolve({ origin: `http://127.0.0.1:${port}`, stop: () => child.kill() });
    });
    child.send(answer);
  });
}
