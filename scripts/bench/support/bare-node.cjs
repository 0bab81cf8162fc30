// One request by Node's own http or https and nothing else, to tell the cost of the machine from ours.
const { readFileSync, writeSync } = require('node:fs');
const [origin, authority] = process.argv.slice(2);
const secure = authority !== undefined;
const { get } = require(secure ? 'node:https' : 'node:http');
const options = secure ? { ca: readFileSync(authority) } : {};
get(`${origin}/api/projects/1/persons/42/`, options, (response) => {
  response.on('data', (part) => writeSync(1, part));
});
