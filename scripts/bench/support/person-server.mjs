// Serves persons in pages and through SQL, in a process of its own. The project's number is the number of persons. Each
// page is the same text with other uuids, so that serving costs next to nothing and no row comes twice. Each person may
// be made larger by so many bytes, which is the first argument.
import { createServer } from 'node:http';
import { MOST, madePages } from './made-pages.mjs';
import { personOf } from './made-person.mjs';
import { sqlAnswers } from './sql-answers.mjs';

const more = Number(process.argv[2] ?? 0);
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
  const rows = rowsOf(offset / limit, { to: count });
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': head.length + rows.length + 2,
  });
  response.write(head);
  response.write(rows);
  response.end(']}');
  served += count;
}

const server = createServer({ noDelay: true }, async (request, response) => {
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
