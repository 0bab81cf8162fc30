export const KEY = 'phx_FUZZ_7f3a9c51e2d84b60';
/** Milliseconds that a command may take. */
export const LIMIT = 40_000;
/** 1 is a bug of ours, and nothing here sends a signal. */
const CODES = [0, 2, 3, 4, 5, 6, 7, 8, 9];

/** What must never happen, in words. */
export function judge(
  { code, signal, stdout, stderr, milliseconds },
  { log, told, asked, given, sql, words, mayWrite },
) {
  const faults = [];
  if (milliseconds >= LIMIT) faults.push(`it did not end within ${LIMIT / 1000} s`);
  else if (signal !== null) faults.push(`it crashed with ${signal}`);
  else if (!CODES.includes(code)) faults.push(`its exit code was ${code}`);
  if (/^ +at .+:\d+:\d+\)?$/m.test(stderr) && !words.includes('--debug')) faults.push('it showed a stack');
  const said = stdout + stderr;
  const forms = [KEY, Buffer.from(KEY).toString('base64'), encodeURIComponent(KEY)];
  if (forms.some((form) => said.includes(form))) faults.push('it showed the key');
  const changes = log.filter(({ read }) => !read);
  // A line that chance made may write what it says, but never destroy.
  const [unasked] = asked ? [] : changes.filter((change) => !mayWrite || isDestroying(change));
  if (unasked !== undefined) faults.push(`it sent ${unasked.method} ${unasked.path} unasked`);
  if (given !== undefined)
    faults.push(...unknownIds(changes, `${given.toString('latin1')}\n${told.join('\n')}`));
  if (sql && /answered 50\d/.test(stderr)) faults.push('the sandbox answered with a fault of its own');
  return faults;
}

const isDestroying = ({ method, path, body }) =>
  method === 'DELETE' || /bulk_delete|delete_property|split/.test(path) || /"deleted": *true/.test(body);

/** Only what was given, or what the service named before, may be the object of a deletion. */
function unknownIds(changes, known) {
  const plain = known.replaceAll('\0', '');
  const ids = changes.flatMap(({ path, body }) => {
    const { ids: numbers = [], distinct_ids: distinct = [] } = path.includes('bulk_delete')
      ? Object(JSON.parse(body))
      : {};
    return [numbers, distinct].flat().map(String);
  });
  const foreign = ids.find((id) => !/[^\x20-\x7e]|["\\]/.test(id) && !plain.includes(id));
  return foreign === undefined ? [] : [`it deleted ${JSON.stringify(foreign)}, which nobody named`];
}
