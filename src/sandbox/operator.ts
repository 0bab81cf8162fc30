import { uuidOf } from './identifiers.ts';

/** A user of the sandbox's organization, in the form in which insights name their authors. */
export type User = {
  readonly id: number;
  readonly uuid: string;
  readonly distinct_id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly is_email_verified: boolean;
  readonly hedgehog_config: { readonly [key: string]: string };
  readonly role_at_organization: string;
};

/** Whoever holds a key of the sandbox. */
export const OPERATOR: User = makeUser(1, 'Olga', 'Novak');

/** A colleague, who made some of the sample's insights. */
export const COLLEAGUE: User = makeUser(2, 'Ben', 'Carter');

function makeUser(id: number, firstName: string, lastName: string): User {
  return {
    id,
    uuid: uuidOf('user', BigInt(id)),
    distinct_id: `user-${id}`,
    first_name: firstName,
    last_name: lastName,
    email: `${firstName}.${lastName}@example.org`.toLowerCase(),
    is_email_verified: true,
    hedgehog_config: {},
    role_at_organization: 'engineering',
  };
}
