import type { Json, JsonObject } from '../../json/kinds.ts';
import { listText } from '../input/list-counts.ts';
import { lastAnswer } from '../proof/outcome.ts';
import type { Author } from '../record/journal.ts';
import type { RunRecord } from '../record/open.ts';
import { projectText } from './plan-words.ts';

/** A fact about a run: its value in JSON, and its lines on the page, of which there may be none. It names no person. */
type ReportLine = {
  readonly data: (run: RunRecord) => Json;
  readonly page?: (run: RunRecord) => readonly (readonly [string, string])[];
};

/** What the report says of a run above its outcome, by its key in JSON and in the order of the page. */
const reportLines = {
  run: { data: ({ id }) => id },
  made_here: {
    data: ({ isMadeHere }) => isMadeHere,
    page: ({ isMadeHere }) => (isMadeHere ? [] : [['Record', 'not made by this user on this computer']]),
  },
  project: {
    data: ({ plan }) => ({ ...plan.project }),
    page: ({ plan }) => [['Project', projectText(plan.project)]],
  },
  host: { data: ({ plan }) => plan.host, page: ({ plan }) => [['Host', plan.host]] },
  flags: { data: ({ plan }) => ({ ...plan.flags }), page: (run) => [['Asked to', askedText(run)]] },
  request: { data: ({ plan }) => plan.request ?? null },
  planned_at: { data: ({ plan }) => plan.createdAt, page: ({ plan }) => [['Planned', plan.createdAt]] },
  list: {
    data: ({ plan: { list } }) => {
      if (list === undefined) return null;
      const { areArguments: _, ...counts } = list;
      return counts;
    },
    page: ({ plan }) => (plan.list === undefined ? [] : [['List', listText(plan.list)]]),
  },
  received: {
    data: ({ plan }) => plan.received ?? null,
    page: ({ plan: { received, deadline, byLine } }) =>
      deadline === undefined
        ? []
        : [['Received', `${byLine ? 'from ' : ''}${received}${byLine ? ' on' : ''}, due by ${deadline}`]],
  },
  deadline: { data: ({ plan }) => plan.deadline ?? null },
  odd_ids: {
    data: ({ plan }) => plan.oddIds ?? 0,
    page: ({ plan: { oddIds } }) =>
      oddIds === undefined ? [] : [['Ids that look damaged', `${oddIds}, used as given`]],
  },
  agreed_to: { data: ({ state }) => state().agreed ?? null },
  first_sent_at: { data: ({ state }) => state().calls[0]?.sentAt ?? null },
  last_answered_at: { data: ({ state }) => lastAnswer(state())?.at ?? null },
  planned_by: {
    data: ({ state }) => state().planner?.by ?? null,
    page: ({ state }) => authorRows('Planned by', state().planner),
  },
  confirmed_by: {
    data: ({ state }) => state().confirmer?.by ?? null,
    page: ({ state }) => authorRows('Confirmed by', state().confirmer),
  },
  sessions: {
    data: ({ state }) =>
      state().sessions.map(({ at, key, resumed, by = null, version = null }) => ({
        at,
        by,
        hogctl: version,
        key_label: key,
        resumed,
      })),
    page: ({ state }) =>
      state().sessions.map(({ at, key, resumed, by, version }) => [
        resumed ? 'Resumed' : 'Started',
        [at, by && `by ${by}`, version && `hogctl ${version}`, `key ${key ?? 'without a label'}`]
          .filter(Boolean)
          .join(', '),
      ]),
  },
  ended_at: {
    data: ({ state }) => state().end?.at ?? null,
    page: ({ state }) => [['Ended', state().end?.at ?? 'not yet']],
  },
} as const satisfies Readonly<Record<string, ReportLine>>;

const all: readonly (readonly [string, ReportLine])[] = Object.entries(reportLines);

export function linesAsData(run: RunRecord): JsonObject {
  return Object.fromEntries(all.map(([key, { data }]) => [key, data(run)]));
}

export function linesOfPage(run: RunRecord): readonly (readonly [string, string])[] {
  return all.flatMap(([, { page }]) => page?.(run) ?? []);
}

function authorRows(name: string, author: Author | undefined): readonly (readonly [string, string])[] {
  return author === undefined ? [] : [[name, `${author.by}, with hogctl ${author.version}`]];
}

function askedText({ plan }: RunRecord): string {
  const { deleteEvents, deleteRecordings, keepPerson } = plan.flags;
  const their = [deleteEvents ? 'their events' : '', deleteRecordings ? 'their recordings' : ''];
  const asked = [keepPerson ? '' : 'delete the persons', ...their].filter(Boolean).join(', ');
  return keepPerson ? `keep the persons, delete ${asked || 'nothing'}` : asked;
}
