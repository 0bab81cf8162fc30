// Stands in for undici in the built program: the same classes, without the parts for fetch, HTTP/2 and mocking,
// which cost more than the rest of a command's start.

// undici's own index adds these methods to each dispatcher; a proxy needs `connect` to open its tunnel.
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');
Object.assign(Dispatcher.prototype, {
  request: require('undici/lib/api/api-request.js'),
  connect: require('undici/lib/api/api-connect.js'),
});

module.exports = {
  Client: require('undici/lib/dispatcher/client.js'),
  get Pool() {
    return require('undici/lib/dispatcher/pool.js');
  },
  get EnvHttpProxyAgent() {
    return require('undici/lib/dispatcher/env-http-proxy-agent.js');
  },
};
