import { createServer } from 'node:http';

process.once('message', (answer) => {
  const body = JSON.stringify(answer);
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
});

// The bench that started it is gone.
process.once('disconnect', () => process.exit());
