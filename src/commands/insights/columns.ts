import type { Column } from '../../output/look.ts';

export const insightColumns: readonly Column[] = [
  { key: 'id', kind: 'id' },
  { key: 'short_id', kind: 'id' },
  { key: 'name', prominent: true },
  { key: 'saved' },
  { key: 'favorited' },
  { key: 'tags' },
  { key: 'last_modified_at' },
];

/** What a change answers is a whole insight; a table shows what can be changed. */
export const changedColumns: readonly Column[] = [
  ...insightColumns.slice(0, 3),
  { key: 'description' },
  ...insightColumns.slice(3),
  { key: 'deleted' },
];
