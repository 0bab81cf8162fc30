// Answers over http and https. A path that ends in a number, as that of one person or insight, is answered with the
// record, everything else with a list of it.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';

const certificate = (name) =>
  readFileSync(new URL(`../../../test/support/certificates/${name}.pem`, import.meta.url));

process.once('message', async (record) => {
  const one = JSON.stringify(record);
  const many = JSON.stringify({ count: 1, next: null, previous: null, results: [record] });
  const listener = (request, response) => {
    request.resume();
    const [path] = request.url.split('?');
    response.writeHead(200, { 'content-type': 'application/json' }).end(/\/\d+\/$/.test(path) ? one : many);
  };
  const listen = (server) =>
    new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
  const secure = { key: certificate('server-key-for-tests-only'), cert: certificate('server') };
  process.send({
    port: await listen(createServer(listener)),
    securePort: await listen(createSecureServer(secure, listener)),
  });
});

// The bench that started it is gone.
process.once('disconnect', () => process.exit());
