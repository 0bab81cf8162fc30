/** How many rows a query gives where it does not say, and at most. */
export const DEFAULT_ROWS = 100;
export const MOST_ROWS = 50_000;
