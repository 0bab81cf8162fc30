import fc from 'fast-check';

const ESC = '\u001b';

/** Texts that move a cursor, climb out of a path, name a prototype, or look like something else. */
export const HOSTILE_TEXTS: readonly string[] = [
  `${ESC}[2J${ESC}]0;title\u0007`,
  `${ESC}]52;c;aGk=\u0007`,
  '\u009b31m\b\b\r\n\u0000',
  '\u202egnp.exe\u2066\u2028\u2029',
  '\ud800',
  '__proto__',
  'constructor',
  'toString',
  '../../../etc/passwd',
  '..%2f..%252e%252e/',
  '%00',
  '/',
  '',
  ' ',
  'null',
  '-1',
  '1e400',
  '=HYPERLINK("x")',
  `"'\`$(id);|&\n`,
  '{"a":',
  '2026-13-45T99:99:99Z',
  'x'.repeat(3000),
];

/** Digits that a double does not hold. */
export const EXACT_NUMBERS: readonly string[] = [
  '12345678901234567890',
  '9007199254740993',
  '-0.10000000000000000001',
  '1e999',
  '1.0',
  '-0',
  '1E+2',
];

/** Everything that could reach a terminal and be obeyed there: all controls but tab-free line feeds. */
export const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** Words that the service's answers are made of, so that random answers reach the code behind the shapes. */
const FIELDS: readonly string[] = [
  'results',
  'result',
  'next',
  'previous',
  'count',
  'id',
  'uuid',
  'short_id',
  'name',
  'derived_name',
  'properties',
  'distinct_ids',
  'created_at',
  'query_status',
  'complete',
  'error',
  'error_message',
  'columns',
  'types',
  'query',
  'kind',
  'source',
  'series',
  'tags',
  'last_refresh',
  'deleted',
  'filters',
  'favorited',
  'scopes',
  'label',
  'detail',
  'code',
  'attr',
  'points',
  'crop',
  'changes',
  'days',
  'labels',
  'data',
  'values',
  'compare',
  'breakdown_value',
  'action',
  'order',
  'average_conversion_time',
  'skewed',
  'events',
  'event',
  'odds_ratio',
  'success_count',
  'failure_count',
  'correlation_type',
  'people',
  'persons_found',
  'persons_deleted',
  'persons_queued_for_deletion',
  'events_queued_for_deletion',
  'deletion_errors',
  'hasMore',
  'limit',
  'offset',
  'access_token',
  'enabled',
  'insight',
  'person',
  'status',
  'delete_verified_at',
  'version',
  'user_access_level',
  '__proto__',
  'constructor',
  'toString',
  `${ESC}[2J`,
];

const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary', maxLength: 12 }));
const scalar = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  fc.constantFrom(...EXACT_NUMBERS, 'null', 'true', 'false', '0', '1', '42'),
);

/** The text of a random answer: any JSON, most of it made of the service's own words. */
export const answerText: fc.Arbitrary<string> = fc.letrec<{ value: string; list: string; object: string }>(
  (tie) => ({
    value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    object: fc
      .array(fc.tuple(fc.constantFrom(...FIELDS), tie('value')), { maxLength: 8 })
      .map((fields) => `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  }),
).value;

/** An answer shaped as the service shapes it, with single values that do not fit. */
export const misfitText: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: 0, max: 200 }), answerText)
  .map(([at, value]) =>
    replaceValue(SHAPES[at % SHAPES.length] ?? '{}', { at: Math.floor(at / SHAPES.length), value }),
  );

const SHAPES: readonly string[] = [
  '{"next":null,"previous":null,"results":[{"id":42,"uuid":"00000000-0000-4000-8000-000000000042","name":"a","distinct_ids":["user_42"],"properties":{"email":"a@example.org"},"created_at":"2026-01-02T03:04:05Z"}]}',
  '{"id":9,"short_id":"zeNY2NOU","name":"a","result":[{"label":"a","count":1,"data":[1,2],"days":["2026-01-01","2026-01-02"],"labels":["a","b"],"action":{"id":"a","order":0}}],"query":{"kind":"InsightVizNode","source":{"kind":"TrendsQuery","series":[]}},"last_refresh":"2026-01-02T03:04:05Z","query_status":{"id":"q","complete":true,"error":false},"tags":["a"],"columns":["a"]}',
  '{"next":null,"results":[{"id":9,"short_id":"zeNY2NOU","name":"a","query":{"kind":"InsightVizNode","source":{"kind":"TrendsQuery"}},"version":1,"tags":[]}]}',
  '{"columns":["id","properties","created_at"],"types":["String"],"results":[["00000000-0000-4000-8000-000000000042","{}","2026-01-02T03:04:05Z"]],"hasMore":false,"query_status":{"id":"q","complete":true}}',
  '{"result":[{"name":"a","count":2,"order":0,"average_conversion_time":1.5},{"name":"b","count":1,"order":1}],"timezone":"UTC"}',
  '{"result":{"events":[{"event":{"event":"a"},"odds_ratio":2,"success_count":1,"failure_count":1,"correlation_type":"success"}],"skewed":false}}',
  '{"persons_found":1,"persons_deleted":1,"persons_queued_for_deletion":0,"events_queued_for_deletion":false,"deletion_errors":[{"person_uuid":"00000000-0000-4000-8000-000000000042","step":"a"}]}',
  '{"points":[{"timestamp":"2026-01-02T03:04:05Z","properties":{"a":1},"relevant_event_count":1}],"crop":false}',
  '{"results":[{"id":"a","activity":"updated","user":{"email":"a@example.org"},"item_id":"42","detail":{"changes":[{"type":"Person","field":"a","before":1,"after":2}]},"created_at":"2026-01-02T03:04:05Z"}],"next":null,"total_count":1}',
  '{"label":"a","scopes":["*"],"created_at":"2026-01-02T03:04:05Z"}',
  '{"results":[{"id":"a","people":[{"id":42,"distinct_ids":["user_42"]}],"count":1}],"next":null,"missing_persons":0}',
];

/** Puts `value` in place of the `at`-th value of a JSON text. */
function replaceValue(shape: string, { at, value }: { readonly at: number; readonly value: string }): string {
  const places = [...shape.matchAll(/(?<=[:[,])("[^"]*"(?!:)|-?\d[\d.]*|true|false|null|\{|\[)/g)];
  const place = places[at % places.length];
  if (place === undefined) return value;
  const start = place.index;
  return shape.slice(0, start) + value + shape.slice(endOfValue(shape, start));
}

function endOfValue(text: string, start: number): number {
  for (let end = start + 1; end <= text.length; end += 1) {
    if (isJson(text.slice(start, end)) && !/[\d.]/.test(text[end] ?? '')) return end;
  }
  return text.length;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
