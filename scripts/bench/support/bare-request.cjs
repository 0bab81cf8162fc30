// One request by the undici that the built program carries, loaded as the program loads it, and nothing else: the least
// that a call can cost.
const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const dist = join(__dirname, '../../../dist');
const chunk = readdirSync(dist).find((name) => name.startsWith('undici-'));
const undici = require(join(dist, 'load-chunks.cjs'))(`./${chunk}`);
const { Client } = undici.default ?? undici;
const client = new Client(process.env.HOGCTL_HOST);
client
  .request({ path: '/api/projects/1/persons/42/', method: 'GET' })
  .then(({ body }) => body.text())
  .then((text) => process.stdout.write(text))
  .then(() => client.close());
