import { counted } from '../../errors.ts';
import type { Outcome } from '../proof/outcome.ts';
import type { RunRecord } from '../record/open.ts';

/**
 * A figure of an outcome in all of its words: its name and remark in tables and reports, its key in JSON, what the page
 * says of it, and, if it keeps a run from being done, what the error says.
 */
type Figure = {
  readonly key: string;
  readonly name: string;
  readonly remark?: string;
  /** Absent if the service gave no such figure. */
  readonly count: (outcome: Outcome) => number | undefined;
  /** Shown in tables also if it is 0. */
  readonly isAlways?: true;
  readonly sentence?: (count: number) => string;
  readonly clause?: (count: number) => string;
};

const people = (count: number) => counted(count, 'person', 'people');
const persons = (count: number) => counted(count, 'person');
const ids = (count: number) => counted(count, 'id');
const are = (count: number) => (count === 1 ? 'is' : 'are');

function queuedFigures(what: 'events' | 'recordings'): readonly Figure[] {
  const figure = `${what}Queued` as const;
  return [
    {
      key: `${what}_queued`,
      name: `${what} queued`,
      remark: `persons whose ${what} the service says it will delete`,
      count: (outcome) => outcome[figure]?.queued,
    },
    {
      key: `${what}_not_queued`,
      name: `${what} not queued`,
      remark: `persons whose ${what} the service says it will not delete`,
      count: (outcome) => outcome[figure]?.notQueued ?? 0,
      clause: (count) => `the service did not queue the deletion of the ${what} of ${persons(count)}`,
    },
    {
      key: `${what}_not_told`,
      name: `${what} not told`,
      remark: `persons about whose ${what} the service says nothing`,
      count: (outcome) => outcome[figure]?.notTold ?? 0,
    },
  ];
}

/** Each figure that is told of a run, in the order of tables. Nothing is called deleted that the service did not call so. */
const figures: readonly Figure[] = [
  { key: 'asked', name: 'ids asked for', count: ({ asked }) => asked, isAlways: true },
  { key: 'repeats', name: 'repeats dropped', count: ({ repeats }) => repeats },
  { key: 'unique', name: 'different ids', count: ({ unique }) => unique, isAlways: true },
  { key: 'sent', name: 'sent and answered', count: ({ sent }) => sent, isAlways: true },
  {
    key: 'found',
    name: 'persons found',
    count: ({ found }) => found,
    isAlways: true,
    sentence: (count) => `The service found ${people(count)}.`,
  },
  {
    key: 'deleted',
    name: 'deleted',
    count: ({ deleted }) => deleted,
    isAlways: true,
    sentence: (count) => `It says that it deleted ${people(count)}.`,
  },
  {
    key: 'queued',
    name: 'queued for deletion',
    count: ({ queued }) => queued,
    isAlways: true,
    sentence: (count) => `It says that it will delete ${people(count)}, and has queued that.`,
  },
  {
    key: 'failed',
    name: 'failed',
    remark: 'the service named these persons and the step, or they are still there a day later',
    count: ({ failed }) => failed,
    sentence: (count) => `It could not delete ${people(count)}.`,
    clause: (count) => `${persons(count)} could not be deleted`,
  },
  {
    key: 'not_in_run',
    name: 'not in this run',
    remark: 'of those failed: persons not asked for; nothing was sent',
    count: ({ notInRun }) => notInRun,
  },
  {
    key: 'beyond_sent',
    name: 'beyond what was sent',
    remark: 'the service counted more persons than were sent',
    count: ({ beyond }) => beyond,
    sentence: (count) => `It counted ${people(count)} more than were sent.`,
    clause: (count) => `the service counted ${persons(count)} more than were sent`,
  },
  {
    key: 'not_accounted_for',
    name: 'not accounted for',
    remark: 'answered, and the figures do not tell of each person',
    count: ({ answered }) => answered,
    sentence: (count) => `It does not say what became of ${people(count)}.`,
    clause: (count) => `the answers do not tell what became of ${ids(count)}`,
  },
  {
    key: 'accepted',
    name: 'accepted',
    remark: 'answered as a success, without figures',
    count: ({ accepted }) => accepted,
    sentence: (count) => `It accepted the deletion of ${people(count)} without saying more.`,
  },
  {
    key: 'unknown',
    name: 'outcome unknown',
    remark: 'the answer was lost; resume the run',
    count: ({ unknown }) => unknown,
    sentence: (count) => `Its answer about ${ids(count)} was lost.`,
    clause: (count) => `the outcome of ${ids(count)} is unknown`,
  },
  {
    key: 'refused',
    name: 'refused',
    remark: 'known not to have been carried out',
    count: ({ refused }) => refused,
    sentence: (count) => `It refused the request about ${ids(count)}.`,
    clause: (count) => `nothing was done for ${ids(count)}`,
  },
  {
    key: 'not_sent',
    name: 'not sent',
    count: ({ notSent }) => notSent,
    sentence: (count) => `${ids(count)} ${count === 1 ? 'was' : 'were'} not sent.`,
    clause: (count) => `nothing was sent for ${ids(count)}`,
  },
  {
    key: 'doubtful',
    name: 'in doubt',
    remark: 'a store shows a person who is not as planned, excepted, or without a date; not sent',
    count: ({ doubtful }) => doubtful,
    sentence: (count) =>
      `${ids(count)} ${are(count)} in doubt: a store shows a person behind ${count === 1 ? 'it' : 'them'} who may not be sent.`,
    clause: (count) => `${ids(count)} ${are(count)} in doubt`,
  },
  {
    key: 'gone',
    name: 'seen gone',
    remark: 'no store shows them any more',
    count: ({ gone }) => gone,
  },
  {
    key: 'rest_unknown',
    name: 'gone, rest unknown',
    remark: 'no store shows them; no answer says that their events and recordings go, too',
    count: ({ restUnknown }) => restUnknown,
    sentence: (count) =>
      `${people(count)} ${count === 1 ? 'is' : 'are'} gone, and no answer says that the rest of their data goes, too.`,
    clause: (count) =>
      `${ids(count)} ${are(count)} gone, and no answer says that their events or recordings go, too`,
  },
  {
    key: 'cleared',
    name: 'cleared',
    remark: 'the person is kept, and the requested data is gone',
    count: ({ cleared }) => cleared,
  },
  {
    key: 'nobody',
    name: 'ids without a person',
    remark: 'when they were looked up; not sent',
    count: ({ nobody }) => nobody,
    sentence: (count) => `No person has ${ids(count)} of the list.`,
  },
  {
    key: 'addresses_of_nobody',
    name: 'addresses without a person',
    remark: 'when they were looked up',
    count: ({ addressesOfNobody }) => addressesOfNobody,
  },
  {
    key: 'same_person',
    name: 'further ids',
    remark: 'of persons who are sent by another id',
    count: ({ samePerson }) => samePerson,
  },
  {
    key: 'excepted',
    name: 'excepted',
    remark: 'ids of excepted persons; not sent',
    count: ({ excepted }) => excepted,
    sentence: (count) => `${ids(count)} ${count === 1 ? 'leads' : 'lead'} to people who are excepted.`,
  },
  {
    key: 'odd',
    name: 'odd',
    remark: 'lines that were left out, since they are no ids',
    count: ({ odd }) => odd,
    sentence: (count) =>
      `${counted(count, 'line')} of the list could not be read and ${count === 1 ? 'was' : 'were'} left out.`,
    clause: (count) => `${counted(count, 'line')} ${count === 1 ? 'was' : 'were'} left out`,
  },
  ...queuedFigures('events'),
  {
    key: 'events_of_nobody',
    name: 'events without a person',
    remark: 'ids; their events stay, if there are any',
    count: ({ eventsOfNobody }) => eventsOfNobody,
  },
  ...queuedFigures('recordings'),
];

/** The figures of an outcome that there are, as rows of a table. */
export function outcomeLines(outcome: Outcome) {
  return figures.flatMap(({ name, count, remark = null, isAlways }) => {
    const value = count(outcome);
    return value === undefined || (value === 0 && !isAlways) ? [] : { figure: name, count: value, remark };
  });
}

/** All figures as data; null for those that the service did not give. */
export function outcomeFigures(outcome: Outcome): Readonly<Record<string, number | null>> {
  return Object.fromEntries(figures.map(({ key, count }) => [key, count(outcome) ?? null]));
}

/** What a page says of the figures that are not 0. */
export function outcomeSentences(outcome: Outcome): readonly string[] {
  return figures.flatMap(({ count, sentence }) => {
    const value = count(outcome) ?? 0;
    return value > 0 && sentence !== undefined ? sentence(value) : [];
  });
}

/** What keeps a run from being done, as clauses of one sentence. */
export function outcomeClauses(outcome: Outcome): readonly string[] {
  return figures.flatMap(({ count, clause }) => {
    const value = count(outcome) ?? 0;
    return value > 0 && clause !== undefined ? clause(value) : [];
  });
}

export function asSentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

/** How the ids of a run are planned again: without its exceptions, whoever they protect would be deleted. */
export function planAgain({ core }: Pick<RunRecord, 'core'>): string {
  const exceptions = core().spared.size > 0 ? ' and exceptions' : '';
  return `hogctl persons bulk-delete --new-run with these ids${exceptions} plans them again`;
}
