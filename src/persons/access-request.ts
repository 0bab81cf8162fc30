import { basename } from 'node:path';
import type { PersonReference } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, counted } from '../errors.ts';
import { isObject, type Json } from '../json/kinds.ts';
import { toJsonText, toText } from '../json/text.ts';
import { htmlPage, htmlTable, pageText } from '../print/page.ts';
import { zipOf } from '../print/zip.ts';
import { minuteText } from '../semantics/calendar.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';
import { type PersonEvent, personEvents, uuidOf } from './one-person.ts';
import { askSql } from './persons-by-key.ts';
import { moment } from './persons-by-list.ts';

/** What is answered to a person who asks for their data, as a page or as an archive of page and JSON. */
type AccessRequest = {
  readonly person: PersonReference;
  readonly projects?: readonly string[] | undefined;
  /** Whether the page and the JSON name the cohorts, which are words of the company. */
  readonly withCohorts?: boolean | undefined;
  /** All persons who are meant. Throws `not-found` for none. */
  readonly findAll: (person: PersonReference, context: Context) => Promise<readonly string[]>;
};

/** A person of one project. One human being may be several of them. */
type Profile = {
  readonly context: Context;
  readonly person: Person;
  readonly uuid: string;
  readonly cohorts: readonly string[] | undefined;
};

/** The newest events, which a page shows; more make it too long for a browser. */
const MOST_EVENTS = 10_000;
const MOST_SESSIONS = 1000;

/** Writes a file that can be sent as it is: nothing in it names staff. Events are passed on as they come. */
export async function exportAccess(request: AccessRequest, context: Context): Promise<void> {
  const profiles = await findProfiles(request, context);
  context.system.saveMemory('rows');
  const { save = '' } = context.options;
  const name = basename(save).replace(/\.[a-z]+$/i, '');
  const isArchive = /\.zip$/i.test(save);
  const page = () => accessPage(profiles, isArchive ? `${name}.json` : undefined, context);
  const chunks = isArchive
    ? zipOf(
        [
          { name: `${name}.html`, text: page },
          { name: `${name}.json`, text: () => accessJson(profiles, context) },
        ],
        context.now(),
      )
    : page();
  for await (const chunk of chunks) await context.output.raw(chunk);
}

async function findProfiles(request: AccessRequest, context: Context): Promise<readonly Profile[]> {
  const { person, projects, findAll } = request;
  if (projects === undefined) return readProfiles(await findAll(person, context), request, context);
  const profiles: Profile[] = [];
  const opened = await context.projects.several(projects, { all: true });
  for (const { name, context: there } of opened) {
    const ids = await findAll(person, there).catch((failure: unknown) => {
      // With a status the service did not look, as with a wrong project.
      const isMissing = failure instanceof CliError && failure.kind === 'not-found' && !failure.status;
      if (!isMissing) throw failure;
      context.note(`${name}: the person was not found.`);
      return [];
    });
    for (const one of await readProfiles(ids, request, there)) profiles.push(one);
  }
  if (profiles.length > 0) return profiles;
  const names = opened.map(({ name }) => name).join(', ');
  throw new CliError('not-found', `the person was not found in ${names}`, {
    hint: 'search more widely with hogctl persons list --search',
  });
}

async function readProfiles(
  ids: readonly string[],
  { withCohorts }: AccessRequest,
  context: Context,
): Promise<readonly Profile[]> {
  const client = await context.client();
  const profiles: Profile[] = [];
  for (const id of ids) {
    const person = await client.call(persons.get, { id });
    const cohorts = withCohorts ? (await client.call(persons.cohorts, { person_id: id })).results : undefined;
    const names = cohorts?.map(({ name }) => toText(name ?? null));
    profiles.push({ context, person, uuid: uuidOf({ person }), cohorts: names });
  }
  return profiles;
}

/** Everything, events included, as one document that is written as it comes. */
async function* accessJson(profiles: readonly Profile[], { now }: Context): AsyncGenerator<string> {
  yield `{\n  "exported_at": ${toJsonText(new Date(now()).toISOString())},\n  "profiles": [`;
  for (const [at, { context, person, uuid, cohorts }] of profiles.entries()) {
    const head = toJsonText({ person, ...(cohorts && { cohorts }) }, { indent: 2 });
    yield `${at === 0 ? '' : ','}\n${head.slice(0, -2)},\n  "events": [`;
    let separator = '\n';
    for await (const page of personEvents(uuid, context)) {
      if (page.length === 0) continue;
      yield separator + page.map((event) => toJsonText(event)).join(',\n');
      separator = ',\n';
    }
    yield '\n]}';
  }
  yield '\n]}\n';
}

async function* accessPage(
  profiles: readonly Profile[],
  whole: string | undefined,
  { now }: Context,
): AsyncGenerator<string> {
  const [head = '', tail = ''] = htmlPage({
    title: 'Your data',
    style: STYLE,
    content: ['<main>', '<h1>Your data</h1>', SPLIT, '</main>'],
  }).split(SPLIT);
  yield `${head}<p>What is stored about you, as of ${timeText(new Date(now()).toISOString())}.</p>\n`;
  for (const [at, profile] of profiles.entries()) {
    if (profiles.length > 1) yield `<h2>Profile ${at + 1} of ${profiles.length}</h2>\n`;
    yield profilePart(profile);
    yield await sessionsPart(profile);
    yield* eventsPart(profile, whole);
  }
  yield tail;
}

const SPLIT = '<!-- profiles -->';

function profilePart({ person, cohorts }: Profile): string {
  const { created_at: created, properties = {}, distinct_ids: ids = [] } = person;
  const rows = Object.entries(properties ?? {}).map(([key, value]) => [key, valueText(value)]);
  return [
    typeof created === 'string' ? `<p>Stored since ${timeText(created)}.</p>` : '',
    `<h3>What is known about you</h3>${rows.length > 0 ? htmlTable(['What', 'Value'], rows) : '<p>Nothing.</p>'}`,
    `<h3>Ids that stand for you</h3><ul>${ids.map((id) => `<li>${pageText(id)}</li>`).join('')}</ul>`,
    cohorts === undefined
      ? ''
      : `<h3>Groups that you belong to</h3><ul>${cohorts.map((name) => `<li>${pageText(name)}</li>`).join('')}</ul>`,
    '',
  ].join('\n');
}

async function sessionsPart({ uuid, context }: Profile): Promise<string> {
  const sql = `SELECT $session_id AS session, min(timestamp), max(timestamp), count() FROM events WHERE person_id = {person} AND $session_id > '' GROUP BY session ORDER BY min(timestamp) DESC, session LIMIT ${MOST_SESSIONS}`;
  const { rows } = await askSql({ sql, values: { person: uuid } }, context);
  if (rows.length === 0) return '';
  const cells = rows.map(([, first = null, last = null, count = 0]) => [
    timeText(moment(first) ?? ''),
    timeText(moment(last) ?? ''),
    toText(count),
  ]);
  const newest =
    rows.length < MOST_SESSIONS ? '' : `<p>The newest ${thousands(MOST_SESSIONS)} are shown.</p>`;
  return `<h3>Your visits</h3>${newest}${htmlTable(['From', 'To', 'Events'], cells)}\n`;
}

/** The newest events, day by day. */
async function* eventsPart({ uuid, context }: Profile, whole: string | undefined): AsyncGenerator<string> {
  const sql = 'SELECT count() FROM events WHERE person_id = {person}';
  const { rows } = await askSql({ sql, values: { person: uuid } }, context);
  const total = Number(toText(rows[0]?.[0] ?? 0));
  yield `<h3>What you did</h3><p>${total === 0 ? 'No events are stored.' : shownText(total, whole)}</p>\n`;
  let day = '';
  let left = MOST_EVENTS;
  for await (const events of personEvents(uuid, context, 'newest')) {
    for (const event of events.slice(0, left)) {
      const time = moment(event.timestamp) ?? '';
      if (time.slice(0, 10) !== day) {
        yield `${day === '' ? '' : '</table></div>\n'}<h4>${pageText(time.slice(0, 10))}</h4>\n<div class="wide"><table>\n`;
        day = time.slice(0, 10);
      }
      yield eventRow(event, time);
    }
    left -= events.length;
    if (left <= 0) break;
  }
  if (day !== '') yield '</table></div>\n';
}

function shownText(total: number, whole: string | undefined): string {
  const shown = `${counted(total, 'event')}, in universal time (UTC), the newest first.`;
  if (total <= MOST_EVENTS) return shown;
  const rest = whole === undefined ? '' : `; <code>${pageText(whole)}</code> has all of them`;
  return `The newest ${thousands(MOST_EVENTS)} of ${thousands(total)} events, in universal time (UTC)${rest}.`;
}

function eventRow({ event, properties }: PersonEvent, time: string): string {
  const entries = isObject(properties) ? Object.entries(properties) : [['properties', properties] as const];
  const items = entries.map(([key, value]) => `<li>${pageText(`${key}: ${valueText(value)}`)}</li>`);
  const more =
    items.length === 0
      ? ''
      : `<details><summary>${counted(items.length, 'detail')}</summary><ul>${items.join('')}</ul></details>`;
  return `<tr><td>${pageText(time.slice(11, 19))}</td><td>${pageText(toText(event))}</td><td>${more}</td></tr>\n`;
}

function valueText(value: Json | undefined): string {
  return typeof value === 'string' ? value : toJsonText(value ?? null);
}

function timeText(time: string): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return pageText(time);
  return minuteText(at);
}

function thousands(count: number): string {
  return count.toLocaleString('en');
}

const STYLE = `
body { max-width: 60rem; }
h2 { margin-top: 2.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
td { vertical-align: top; overflow-wrap: anywhere; }
details ul { margin: 0; padding-left: 1rem; }
`;
