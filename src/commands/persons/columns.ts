import type { Column } from '../../output/look.ts';

export const personColumns: readonly Column[] = [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  { key: 'distinct_ids' },
  { key: 'created_at' },
];

export const activityColumns: readonly Column[] = [
  { key: 'created_at' },
  { key: 'user.email', title: 'user' },
  { key: 'activity' },
  { key: 'item_id' },
  { key: 'detail.changes', title: 'changes' },
];
