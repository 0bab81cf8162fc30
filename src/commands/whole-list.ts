/**
 * How a list of persons is read of which nobody may be missed: in pages as large as the service is asked for
 * (docs/service.md), which share rows, so that whoever goes meanwhile shifts nobody out.
 */
export const WHOLE_LIST = { pageSize: 1000, shared: 20 } as const;
