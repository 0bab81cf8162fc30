import type { StoreName } from '../facts.ts';
import type { IdKind } from '../input/checks.ts';
import type { KnownPerson } from '../input/given.ts';

/** An id that a store is asked about: one of a person, or a distinct id. */
export type AskedId = { readonly kind: IdKind; readonly id: string };

/** What one store said about some ids in one answer, or in a row of answers between two controls. */
export type StoreAnswer = {
  readonly store: StoreName;
  readonly asked: readonly AskedId[];
  /** Whether somebody who is known to be there was shown, too: once, or before and after requests about one each. */
  readonly controls: readonly boolean[];
  readonly found: readonly { readonly asked: AskedId; readonly person: KnownPerson }[];
  /** What the service's clock said (ISO). */
  readonly serviceTime: string | undefined;
};

export type Looking = {
  /** Whether people are expected to be there: then a control is only asked for once somebody is missing. */
  readonly expect: 'there' | 'gone';
  /** Told how many ids of this look have been asked about. */
  readonly onProgress?: ((asked: number) => void) | undefined;
};

export type Look = (ids: readonly AskedId[], looking: Looking) => Promise<readonly StoreAnswer[]>;
