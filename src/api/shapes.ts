import type { Responses } from './schemas.ts';

/** What a value must be; null and absent fit everywhere but at the top and in `needs`. */
export type Shape =
  | 'text'
  | 'texts'
  /** A text or a number. */
  | 'id'
  | {
      readonly fields: { readonly [name: string]: Shape };
      /** Fields that must be there. */
      readonly needs?: readonly string[];
    }
  | { readonly listOf: Shape }
  | { readonly recordOf: Shape };

const person = {
  fields: { id: 'id', uuid: 'text', distinct_ids: 'texts', created_at: 'text' },
} as const satisfies Shape;

const queryStatus = { fields: { id: 'text', error_message: 'text' } } as const satisfies Shape;

const object = { fields: {} } as const satisfies Shape;

const page = {
  fields: { results: { listOf: object }, next: 'text' },
  needs: ['results'],
} as const satisfies Shape;

/**
 * What commands rely on in an answer, by its name in `Responses`: as little as possible, since services differ. An
 * answer without an entry may be anything.
 */
export const answerShapes: { readonly [Name in keyof Responses]?: Shape } = {
  person,
  'person or nothing': person,
  'page of persons': { fields: { results: { listOf: person }, next: 'text' }, needs: ['results'] },
  'page of activity': page,
  'page of actors': page,
  'page of insights': page,
  'page of projects': page,
  'deletion statuses': page,
  cohorts: { fields: { results: { listOf: object } }, needs: ['results'] },
  'bulk delete summary': { fields: { deletion_errors: { listOf: object } } },
  'persons by id': { fields: { results: { recordOf: person } }, needs: ['results'] },
  insight: {
    fields: { id: 'id', short_id: 'text', tags: 'texts', last_refresh: 'text', query_status: queryStatus },
  },
  query: { fields: { query_status: queryStatus } },
  'query status': { fields: { query_status: queryStatus }, needs: ['query_status'] },
  'personal api key': { fields: { label: 'text', scopes: 'texts' } },
};
