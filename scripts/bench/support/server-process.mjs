import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Starts a server in its own process that answers with one record, or with a list of it; `stop` ends it. */
export function startServer(record) {
  const child = fork(join(import.meta.dirname, 'server.mjs'), { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    child.once('message', ({ port, securePort }) => {
      child.removeAllListeners('exit');
      resolve({
        origin: `http://127.0.0.1:${port}`,
        secureOrigin: `https://127.0.0.1:${securePort}`,
        stop: () => child.kill(),
      });
    });
    child.send(record);
  });
}
