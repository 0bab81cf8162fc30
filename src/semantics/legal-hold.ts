import { isAbsolute } from 'node:path';

const heldKinds = ['ids', 'distinct-ids', 'emails'] as const;

/** A file of people, by its absolute path: it is read each time that it counts, and never copied. */
export type LegalHold = {
  readonly file: string;
  readonly as: (typeof heldKinds)[number];
  readonly column?: string;
  readonly sheet?: string;
};

/** A legal hold as it is written; nothing for what is none. */
export function readLegalHold(value: unknown): LegalHold | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { file, as, column, sheet }: Readonly<Record<string, unknown>> = { ...value };
  const kind = heldKinds.find((one) => one === as);
  const isText = (text: unknown) => text === undefined || typeof text === 'string';
  if (typeof file !== 'string' || !isAbsolute(file) || kind === undefined) return undefined;
  if (!isText(column) || !isText(sheet)) return undefined;
  return {
    file,
    as: kind,
    ...(typeof column === 'string' ? { column } : {}),
    ...(typeof sheet === 'string' ? { sheet } : {}),
  };
}

/** A legal hold in words: its file, and how it is read. */
export function legalHoldText({ file, as, column, sheet }: LegalHold): string {
  const place = [sheet && `sheet "${sheet}"`, column && `column "${column}"`].filter(Boolean);
  return `${file} (${[as, ...place].join(', ')})`;
}
