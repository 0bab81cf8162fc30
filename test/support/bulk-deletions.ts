import type { Received, StubAnswer } from './stub-server.ts';

/** The ids of one bulk deletion, of whichever kind. */
export function idsOf({ json }: Pick<Received, 'json'>): readonly string[] {
  // The service takes one list a call; anything else shows as no ids at all.
  const { ids = [], distinct_ids: distinctIds = [] } = (json ?? {}) as {
    ids?: readonly string[];
    distinct_ids?: readonly string[];
  };
  return [...ids, ...distinctIds];
}

/** What the service answers where it found and deleted everybody. */
export function allDeleted(received: Pick<Received, 'json'>): StubAnswer {
  const count = idsOf(received).length;
  return { status: 202, json: summary({ found: count, deleted: count }) };
}

/** A summary as the service writes it. */
export function summary({
  found,
  deleted,
  queued = 0,
  events = false,
  errors = [],
}: {
  readonly found: number;
  readonly deleted: number;
  readonly queued?: number;
  readonly events?: boolean;
  readonly errors?: readonly { readonly person_uuid: string; readonly step: string }[];
}) {
  return {
    persons_found: found,
    persons_deleted: deleted,
    persons_queued_for_deletion: queued,
    events_queued_for_deletion: events,
    deletion_errors: errors,
  };
}

export function numbered(count: number, prefix = 'u'): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
}

export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
