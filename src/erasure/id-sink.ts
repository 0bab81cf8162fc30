import type { IdKind } from './id-kind.ts';

/** Where a reader of one format puts what it finds. */
export type IdSink = {
  readonly kind: IdKind;
  readonly column: string | undefined;
  readonly header: (name: string) => void;
  /** The first id of a list without a header that is known as one. */
  readonly first: (id: string, line: number) => void;
  readonly id: (id: string, line: number) => void;
};
