/** Who is asked for in a correlation, as the service's legacy filter names it. */
export function correlatedPeople(flags: {
  readonly entity?: string | undefined;
  readonly converted?: boolean | undefined;
}) {
  return {
    funnel_correlation_person_entity:
      flags.entity === undefined ? undefined : { id: flags.entity, type: 'events' },
    funnel_correlation_person_converted: flags.converted,
  };
}
