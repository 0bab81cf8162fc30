// One request by the undici that the built program carries, loaded as the program loads it, and nothing else: the least
// that a call can cost.
const { readdirSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const dist = join(__dirname, '../../../dist');
const chunk = readdirSync(dist).find((name) => name.startsWith('undici-'));
const undici = require(join(dist, 'main.cjs')).loadChunk(`./${chunk}`);
const { Pool } = undici.default ?? undici;
const pool = new Pool(process.env.HOGCTL_HOST);
pool.dispatch(
  { path: '/api/projects/1/persons/42/', method: 'GET' },
  {
    onRequestStart() {},
    onResponseData: (_, part) => writeSync(1, part),
    onResponseEnd: () => void pool.destroy(),
    onResponseError: (_, cause) => {
      throw cause;
    },
  },
);
