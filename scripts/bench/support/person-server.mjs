// Serves persons in pages and through SQL, in a process of its own. The project's number is the number of persons. Each
// page is the same text with other uuids, so that serving costs next to nothing and no row comes twice. Each person may
// be made larger by so many bytes, which is the first argument; the second is how many milliseconds an answer takes.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { MOST, madePages } from './made-pages.mjs';
import { personOf } from './made-person.mjs';
import { sqlAnswers } from './sql-answers.mjs';

const more = Number(process.argv[2] ?? 0);
const delay = Number(process.argv[3] ?? 0);
const made = (index) => personOf(index, more);
const rowsOf = madePages((index) => JSON.stringify(made(index)));
const answerSql = sqlAnswers(made);
let served = 0;

function answerList(request, response) {
  const { pathname, searchParams } = new URL(request.url, `http://${request.headers.host}`);
  const total = Number(pathname.split('/')[3]);
  const limit = Math.min(Number(searchParams.get('limit') ?? MOST), MOST);
  const offset = Number(searchParams.get('offset') ?? 0);
  const count = Math.min(limit, total - offset);
  const end = offset + count;
  const next = `"http://${request.headers.host}${pathname}?limit=${limit}&offset=${end}"`;
  const head = Buffer.from(`{"next":${end < total ? next : null},"previous":null,"results":[`);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(head);
  for (let at = offset; at < end; ) {
    const first = at % MOST;
    const last = Math.min(MOST, first + end - at);
    if (at > offset) response.write(',');
    response.write(rowsOf(Math.floor(at / MOST), { from: first, to: last }));
    at += last - first;
  }
  response.end(']}');
  // One row tells how new the newest person is.
  if (limit > 1) served += count;
}

const server = createServer({ noDelay: true }, async (request, response) => {
  if (delay > 0) await sleep(delay);
  if (request.method === 'GET') answerList(request, response);
  else {
    // Not in one statement: it would add to what was served before the wait.
    const sent = await answerSql(request, response);
    served += sent;
  }
});

process.on('message', () => {
  process.send({ served });
  served = 0;
});
// The bench that started it is gone.
process.once('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
