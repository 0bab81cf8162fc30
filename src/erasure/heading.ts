import { isUuid } from './id-kind.ts';

/** Last words of what people call a column of ids. */
const nouns = new Set(
  'id ids uid uuid guid identifier identifiers email emails mail address hash userid username'.split(' '),
);
const mostLetters = 60;
/** So many other ids have to be of one form before it says anything that the first is of another. */
const fewestOthers = 3;

/** Letters, and what stands between the words of a name: most ids hold a digit or an @. */
function isNameLike(text: string): boolean {
  return text.length <= mostLetters && /^\p{L}[\p{L}\p{M} _./():-]*$/u.test(text);
}

/** Whether a text reads like the name of a column of ids: `Customer ID`, `user_email_hash`, `userId`. */
function isColumnName(text: string): boolean {
  const words = text
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
  return nouns.has(words.findLast((word) => word !== '') ?? '');
}

export type HeadingWatch = {
  /** Takes the next id; false when nothing more is to be learnt. */
  readonly next: (id: string) => boolean;
  readonly isHeading: () => boolean;
};

/**
 * Tells whether the first line of a list names a column, by what it says, or by all others being of one form, such as
 * e-mail addresses, that it is not of. Nothing for a line that is like no name.
 */
export function watchHeading(first: string): HeadingWatch | undefined {
  if (!isNameLike(first)) return undefined;
  if (isColumnName(first)) return { next: () => false, isHeading: () => true };
  let form: string | undefined;
  let others = 0;
  return {
    next(id) {
      const other = formOf(id);
      const isSame = other !== undefined && (others === 0 || other === form);
      form = isSame ? other : undefined;
      others += 1;
      return isSame;
    },
    isHeading: () => form !== undefined && others >= fewestOthers,
  };
}

/** What ids of one source have in common. Those without a digit or an @ may be names themselves. */
function formOf(id: string): string | undefined {
  if (isUuid(id)) return 'UUID';
  if (/^[^\s@]+@[^\s@]+$/u.test(id)) return 'address';
  if (/^[\da-f]{16,}$/i.test(id)) return `${id.length} digits`;
  if (!/\d/.test(id)) return undefined;
  return id.replace(/\p{L}+/gu, 'a').replace(/\d+/g, '9');
}
