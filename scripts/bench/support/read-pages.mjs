// What a program without hogctl would do: read every page with undici, and throw it away (`discard`) or parse it and
// write it with csv-stringify, a page at a time (`csv`) or a row at a time (`stream`). Arguments: what to do, and the
// address of the first page.
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { stringify as rowsToText } from 'csv-stringify';
import { stringify } from 'csv-stringify/sync';
import { Client } from 'undici';

const [work, first] = process.argv.slice(2);
const { origin, pathname, search } = new URL(first);
const client = new Client(origin);

function write(text) {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(1, bytes, written);
}

async function discard(body) {
  let next;
  for await (const chunk of body) {
    next ??= /^\{"next":(null|"[^"]+")/.exec(chunk.toString('latin1', 0, 400))?.[1];
  }
  return JSON.parse(next);
}

const cells = (row) =>
  Object.values(row).map((value) =>
    typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
  );

const options = { cast: { boolean: String } };

async function writeCsv(body) {
  const { next, results } = await body.json();
  write(stringify(results.map(cells), options));
  return next;
}

const stream = rowsToText(options).on('data', write);

async function streamCsv(body) {
  const { next, results } = await body.json();
  for (const row of results) if (!stream.write(cells(row))) await once(stream, 'drain');
  return next;
}

const works = { discard, csv: writeCsv, stream: streamCsv };

let path = pathname + search;
while (path !== undefined) {
  const { body } = await client.request({ path, method: 'GET' });
  const next = await works[work](body);
  path = next === null ? undefined : next.slice(origin.length);
}
stream.end();
await client.close();
