/**
 * The plain data of the core: the facts that it is told, each of which may be a line of a journal, and the state that it
 * makes of them. Ids, UUIDs and exceptions are opaque texts. Times are the service's, in milliseconds; a time that is
 * none is absent.
 */

/** The two places that show persons: the person list, and the persons of SQL, which may be behind. */
export type StoreName = 'list' | 'sql';

/** A time and how exact it is, in milliseconds: what is written as 08:46:10 has the unit 1000. */
export type Moment = { readonly at: number; readonly unit: number };

/** A person as a store shows one. UUID and `born`, the service's `created_at`, tell who it is. */
export type Person = {
  readonly uuid: string;
  readonly born?: Moment | undefined;
  readonly ids: readonly string[];
  /** There may be more ids: an answer about many shows ten at most. */
  readonly hasMore?: boolean;
};

/** What one store answered about distinct ids and UUIDs. */
export type Sighting = {
  readonly store: StoreName;
  readonly asked: readonly string[];
  /**
   * Whether somebody who is known to be there was shown, too. Without that, an empty answer says nothing. One control
   * for an answer about many, in which a person of the plan is one by itself; where each request is about one person,
   * one before the first of at most 200 and one after the last.
   */
  readonly controls: readonly boolean[];
  readonly found: readonly { readonly id: string; readonly person: Person }[];
  readonly time?: number | undefined;
  /** Calls that ended a day before this look, or earlier: whom it still shows was not deleted, unless they stay. */
  readonly overdue?: readonly number[];
};

/** What goes besides the persons, who may also stay; and whether ids of nobody are an error. */
export type Options = {
  readonly events?: boolean;
  readonly recordings?: boolean;
  readonly keep?: boolean;
  readonly ignoreMissing?: boolean;
};

/** What the service said of one call: an answer with figures, one about a single person, or none but its success. */
export type Answer = {
  readonly kind: 'figures' | 'one' | 'no body';
  readonly found?: number;
  readonly deleted?: number;
  readonly queued?: number;
  readonly events?: boolean;
  readonly recordings?: boolean;
  /** UUIDs of whom it could not delete, once for each step that failed. */
  readonly failed: readonly string[];
  readonly time?: number | undefined;
};

/** A row of the deletion status: the events of a person were to go, or have gone. */
export type Row = {
  readonly uuid: string;
  readonly created?: number | undefined;
  readonly isCompleted: boolean;
};

/** What happened to a batch. */
export type Fact =
  /** Whom the stores showed behind its ids. The list is asked about each, SQL about any. */
  | { readonly type: 'planned'; readonly ids: readonly string[]; readonly sightings: readonly Sighting[] }
  /** A session began, and calls without an end are lost; or too much time has passed since the last look. */
  | { readonly type: 'aged'; readonly by: 'session' | 'time' }
  | { readonly type: 'saw'; readonly sighting: Sighting }
  | { readonly type: 'saw status'; readonly rows: readonly Row[]; readonly time?: number | undefined }
  /** How many events of these ids had arrived `until` then, or by now. The count is absent if it was none. */
  | {
      readonly type: 'saw count';
      readonly asked: readonly string[];
      readonly count?: number;
      readonly until?: number | undefined;
      readonly time?: number | undefined;
    }
  | { readonly type: 'sending'; readonly uuids: readonly string[] }
  | { readonly type: 'answered'; readonly call: number; readonly answer: Answer }
  /** Known not to have run. */
  | { readonly type: 'refused'; readonly call: number }
  /** May have run. */
  | { readonly type: 'lost'; readonly call: number };

/** All ids and UUIDs of those whom the list shows behind an exception; and of those whom any store shows there. */
export type Exceptions = { readonly excepted: ReadonlySet<string>; readonly spared: ReadonlySet<string> };

/** What holds for all batches of a run. */
export type Run = Exceptions & {
  readonly options: Options;
  /** How many lines the list has, odd ones included: each needs a verdict before the run has one. */
  readonly lines: number;
  /** Each of them has to show an id free before it is. */
  readonly stores: readonly StoreName[];
  /** How many persons somebody agreed to. */
  readonly agreed?: number;
};

/** What the service said about a person, as of the last call: `told` that it is done, or `accepted` without a word. */
export type Standing =
  | 'not sent'
  | 'in flight'
  | 'unknown'
  | 'refused'
  | 'failed'
  | 'answered'
  | 'accepted'
  | 'told';

/** Since when somebody would have to be seen as planned. */
export type Doubt =
  | 'since the session began'
  | 'for 15 minutes'
  | 'since they were sent'
  | 'since their answer was lost'
  | 'since a look without them';

/** A person of the plan; or an id that leads to nobody, or to somebody who is not sent. */
export type Target = {
  readonly uuid: string;
  readonly born?: Moment | undefined;
  /** The UUID and each distinct id that is known to be theirs, those that came since the plan included. */
  readonly ids: readonly string[];
  /** They may have ids that nothing has shown. */
  readonly hasMore: boolean;
  /** Shown by the list when it was planned, and so agreed to. */
  readonly isPlanned: boolean;
  readonly standing: Standing;
  /** The last call, and how many may have run. */
  readonly call?: number | undefined;
  readonly calls: number;
  /** Absent if the list showed the person as planned and nothing has happened since. */
  readonly doubt?: Doubt | undefined;
  /** The service's time of that look, if it showed each of the ids; and of the one before the last call. */
  readonly seen?: number | undefined;
  readonly since?: number | undefined;
  /** That of the last answer about them, or after a lost one of the first look that showed them gone. */
  readonly time?: number | undefined;
  /** Ids that each store has shown to lead to nobody, since it last showed the person. */
  readonly free: { readonly [Store in StoreName]: readonly string[] };
  readonly areEventsGone: boolean;
  readonly areRecordingsTold: boolean;
};

/** Some persons of a run, at most as many as one call takes. */
export type Batch = {
  /** To which target each id leads that was asked for; to none if it is excepted. */
  readonly named: ReadonlyMap<string, string | undefined>;
  readonly targets: ReadonlyMap<string, Target>;
  /** Whether each call is open. */
  readonly calls: readonly boolean[];
  /** The service's time of the plan, and when the youngest person in it came. */
  readonly time: number | undefined;
  readonly youngest: number;
};

/** What is to be asked about a batch. */
export type Questions = {
  /** UUIDs of persons whom the list has to show before they may be sent. */
  readonly beforeSending: readonly string[];
  /** UUIDs of persons with more ids than were shown: the list, asked about one alone, or SQL shows them. */
  readonly alone: readonly string[];
  /** Ids that each store has still to show free. */
  readonly free: { readonly [Store in StoreName]: readonly string[] };
  /** Persons whose events are not known to have gone, all their ids, and up to when a count has to go; absent: to now. */
  readonly events: readonly Pick<Target, 'uuid' | 'ids' | 'time'>[];
};

/** What is known about an id, about a line, or about a line over several projects: the least first. */
export const VERDICTS = [
  /** The line could not be read as what it should be, and was never agreed to. */
  'odd',
  'not agreed',
  /** A store showed somebody whom the list did not, or who has no date or an excepted id. */
  'doubtful',
  'unknown',
  'in flight',
  'failed',
  'refused',
  'answered',
  'not sent',
  /** The person is gone. Nobody said that the events and recordings are to go, too. */
  'rest unknown',
  /** The service took the call without a word; or said that it deleted, or queued, the person. */
  'accepted',
  'told',
  /** The person is gone, and the service took the call: events are not known to have gone yet. */
  'rest waiting',
  /** Each store showed each id free, and what else was asked for is gone, or, of recordings, told. */
  'gone',
  /** The person stays, and what was asked for is gone. */
  'cleared',
  /** Each store showed that nobody has the id. */
  'nobody',
  'excepted',
] as const;

export type Verdict = (typeof VERDICTS)[number];

/** How many lines of a run have each verdict. */
export type Tally = { readonly [Key in Verdict]?: number };
