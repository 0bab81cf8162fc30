import { insights } from '../../api/endpoints/insights.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';

type TagFlags = {
  readonly tags?: readonly string[] | undefined;
  readonly addTag?: readonly string[] | undefined;
  readonly removeTag?: readonly string[] | undefined;
  readonly clearTags?: boolean | undefined;
};

type Client = Awaited<ReturnType<Context['client']>>;

/** Finds out which tags an insight is to have. The service replaces the whole list. */
export type TagsWish = (id: string, client: Client) => Promise<readonly string[]>;

/** What was asked about tags; undefined for nothing. Throws a usage error for two ways at once and for empty tags. */
export function chooseTags({ tags, addTag, removeTag, clearTags }: TagFlags): TagsWish | undefined {
  const changes = addTag !== undefined || removeTag !== undefined;
  if ([tags !== undefined, clearTags === true, changes].filter(Boolean).length > 1) {
    throw usageError('--tags, --clear-tags and --add-tag or --remove-tag exclude each other');
  }
  if ([...(addTag ?? []), ...(removeTag ?? [])].includes('')) throw usageError('a tag is empty');
  if (tags !== undefined) return async () => tags;
  if (clearTags) return async () => [];
  if (!changes) return undefined;
  return async (id, client) => {
    const present = (await client.call(insights.get, { id })).tags ?? [];
    const wanted = new Set([...present, ...(addTag ?? [])]);
    return [...wanted].filter((tag) => !removeTag?.includes(tag));
  };
}
