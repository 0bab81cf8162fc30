/** What goes into a statement, and comes out of one. */
export type SqlValue = string | number | bigint | boolean | null;
export type SqlRow = { readonly [column: string]: SqlValue };
