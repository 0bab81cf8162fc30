// Serves persons in pages, in a process of its own. The project's number is the number of persons. Each page is the
// same text with other uuids, so that serving costs next to nothing and no row comes twice.
import { createServer } from 'node:http';

const MOST = 1000;
/** More than one page may be on its way; none is written over before it has left. */
const COPIES = 4;

function personOf(index) {
  const number = String(index).padStart(12, '0');
  const uuid = `00000000-0000-7000-8000-${number}`;
  const email = `ada.${index}@example.com`;
  const url = `https://app.example.com/projects/${index}/dashboard?tab=usage&utm_source=newsletter`;
  return {
    id: uuid,
    name: email,
    distinct_ids: [`0190a5c6-7a1b-7c3d-8e4f-${number}`, email],
    properties: {
      email,
      name: ['José Müller, Jr.', "Ada O'Neil", 'Li García'][index % 3],
      plan: ['free', 'scale', 'enterprise'][index % 3],
      seats: index % 500,
      is_admin: index % 5 === 0,
      mrr: (index % 100_000) / 100,
      company: { id: index, name: 'Müller & Sons "GmbH"', industry: 'saas', tags: ['a', 'churn-risk'] },
      $os: 'Mac OS X',
      $browser: 'Chrome',
      $browser_version: 100 + (index % 30),
      $device_type: 'Desktop',
      $current_url: url,
      $pathname: '/projects/dashboard',
      $referrer: 'https://www.google.com/',
      $referring_domain: 'www.google.com',
      $geoip_city_name: 'São Paulo',
      $geoip_country_code: 'BR',
      $geoip_latitude: 52.5244,
      $geoip_time_zone: 'Europe/Berlin',
      $initial_os: 'Linux',
      $initial_browser: 'Chrome',
      $initial_current_url: url,
      $initial_referrer: '$direct',
      $creator_event_uuid: `0190a5c6-7a1b-7c3d-9e4f-${number}`,
      notes: ['', 'line one\nline two', 'said "hi", left'][index % 3],
    },
    created_at: '2026-01-02T12:34:56.789000Z',
    uuid,
    last_seen_at: null,
  };
}

/** The rows of a page, where each of them ends, and where the first eight digits of its uuid stand. */
function makePage() {
  const texts = Array.from({ length: MOST }, (_, index) => Buffer.from(JSON.stringify(personOf(index))));
  const bytes = Buffer.from(texts.map(String).join(','));
  const ends = [];
  let end = -1;
  for (const text of texts) {
    end += 1 + text.length;
    ends.push(end);
  }
  const places = [];
  for (let at = bytes.indexOf('"00000000-'); at >= 0; at = bytes.indexOf('"00000000-', at + 1)) {
    places.push(at + 1);
  }
  return { copies: Array.from({ length: COPIES }, () => Buffer.from(bytes)), ends, places };
}

const page = makePage();
let turn = 0;
let served = 0;

function rowsOf(number, count) {
  turn = (turn + 1) % COPIES;
  const bytes = page.copies[turn];
  const digits = Buffer.from(number.toString(16).padStart(8, '0'));
  for (const place of page.places) {
    digits.copy(bytes, place);
  }
  return bytes.subarray(0, page.ends[count - 1]);
}

const server = createServer({ noDelay: true }, (request, response) => {
  const { pathname, searchParams } = new URL(request.url, `http://${request.headers.host}`);
  const total = Number(pathname.split('/')[3]);
  const limit = Math.min(Number(searchParams.get('limit') ?? MOST), MOST);
  const offset = Number(searchParams.get('offset') ?? 0);
  const count = Math.min(limit, total - offset);
  const end = offset + count;
  const next = `"http://${request.headers.host}${pathname}?limit=${limit}&offset=${end}"`;
  const head = Buffer.from(`{"next":${end < total ? next : null},"previous":null,"results":[`);
  const rows = rowsOf(offset / limit, count);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': head.length + rows.length + 2,
  });
  response.write(head);
  response.write(rows);
  response.end(']}');
  served += count;
});

process.on('message', () => {
  process.send({ served });
  served = 0;
});
// The bench that started it is gone.
process.once('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
