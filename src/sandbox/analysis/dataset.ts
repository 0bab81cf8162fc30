import type { JsonObject } from '../../json/kinds.ts';

/** A person as the analyses see it. `created_at` is in milliseconds since 1970, null where it is not known. */
export type AnalysisPerson = {
  readonly id: number;
  readonly uuid: string;
  readonly distinct_ids: readonly string[];
  readonly properties: JsonObject;
  readonly created_at: number | null;
};

/** An event with its person. `timestamp` is in milliseconds; `order` decides between events of one instant. */
export type AnalysisEvent = {
  readonly person: AnalysisPerson;
  readonly event: string;
  readonly timestamp: number;
  readonly properties: JsonObject;
  readonly order: number;
};

/** All events of one person, by time and then by `order`. */
export type PersonEvents = { readonly person: AnalysisPerson; readonly events: readonly AnalysisEvent[] };

/** What is analysed. `people` may be walked more than once, and yields each person that has events once. */
export type Dataset = { readonly people: () => Iterable<PersonEvents> };

/** An event before it is tied to its person: `person` counts within the list of persons. */
export type EventRow = Omit<AnalysisEvent, 'person' | 'order'> & { readonly person: number };

/**
 * The columns of a store, one entry for each event, ordered by person, time and order of arrival. `person` counts
 * within `persons`. `properties` is called at most once for an event, and only when a filter or breakdown asks.
 */
export type EventColumns = {
  readonly persons: readonly AnalysisPerson[];
  readonly length: number;
  readonly person: ArrayLike<number>;
  readonly event: ArrayLike<string>;
  readonly timestamp: ArrayLike<number>;
  readonly properties: (row: number) => JsonObject;
};

export function compareEvents(one: AnalysisEvent, other: AnalysisEvent): number {
  return one.timestamp - other.timestamp || one.order - other.order;
}

/** Makes a dataset of rows in any order; rows of one instant keep the order of the list. */
export function datasetOfRows(persons: readonly AnalysisPerson[], rows: readonly EventRow[]): Dataset {
  const groups: AnalysisEvent[][] = persons.map(() => []);
  rows.forEach((row, order) => {
    const person = persons[row.person];
    if (person !== undefined) groups[row.person]?.push({ ...row, person, order });
  });
  for (const group of groups) group.sort(compareEvents);
  return {
    *people() {
      for (const [index, person] of persons.entries()) {
        const events = groups[index] ?? [];
        if (events.length > 0) yield { person, events };
      }
    },
  };
}

/** Makes a dataset of columns that are already in order; the events of one person at a time become objects. */
export function datasetOfColumns(columns: EventColumns): Dataset {
  return {
    *people() {
      let row = 0;
      while (row < columns.length) {
        const index = columns.person[row];
        const person = columns.persons[index ?? -1];
        const events: AnalysisEvent[] = [];
        while (row < columns.length && columns.person[row] === index) {
          if (person !== undefined) events.push(eventAt(columns, row, person));
          row += 1;
        }
        if (person !== undefined) yield { person, events };
      }
    },
  };
}

type LazyEvent = Omit<AnalysisEvent, 'properties'> & {
  readonly columns: EventColumns;
  loaded: JsonObject | undefined;
};

/** One getter for all events: an object of its own for each would cost several times as much. */
const lazyProperties = {
  get properties(): JsonObject {
    // Only events made below inherit this.
    const event = this as unknown as LazyEvent;
    event.loaded ??= event.columns.properties(event.order);
    return event.loaded;
  },
};

function eventAt(columns: EventColumns, row: number, person: AnalysisPerson): AnalysisEvent {
  const event: LazyEvent & { readonly __proto__: typeof lazyProperties } = {
    __proto__: lazyProperties,
    person,
    event: columns.event[row] ?? '',
    timestamp: columns.timestamp[row] ?? 0,
    order: row,
    columns,
    loaded: undefined,
  };
  // The properties come from the prototype, which types do not follow.
  return event as unknown as AnalysisEvent;
}
