// Stands in for undici in the built program: streams of answers, fetch, HTTP/2 and mocks cost more than the rest of a start.
// undici's own index adds this method to each dispatcher; a proxy needs it to open its tunnel.
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');
Dispatcher.prototype.connect = function (...words) {
  return require('undici/lib/api/api-connect.js').apply(this, words);
};

module.exports = {
  buildConnector: require('undici/lib/core/connect.js'),
  Pool: require('undici/lib/dispatcher/pool.js'),
  get ProxyAgent() {
    return require('undici/lib/dispatcher/proxy-agent.js');
  },
};
