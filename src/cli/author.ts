import { usageError } from '../errors.ts';
import type { System } from '../system/system.ts';

/** What a command is signed with: the version, and a name if one was given. */
export type Signature = { readonly version: string; name?: string };

export type Signing = {
  /** Who does this, for the record of a run: the user and the computer, or who `signAs` said. */
  author(): { readonly by: string; readonly version: string };
  /** Throws a usage error for a name that is none. */
  signAs(name: string | undefined): void;
};

const LONGEST_NAME = 200;

export function signing(signature: Signature, { account }: Pick<System, 'account'>): Signing {
  return {
    author: () => ({ by: signature.name ?? account(), version: signature.version }),
    signAs(given) {
      const name = given?.trim();
      if (name === '' || (name !== undefined && (name.length > LONGEST_NAME || /\p{Cc}/u.test(name))))
        throw usageError(`--by takes a name of at most ${LONGEST_NAME} characters`);
      if (name !== undefined) signature.name = name;
    },
  };
}
