import { join } from 'node:path';
import type { Json, JsonObject } from '../../api/json.ts';
import { isList, isObject } from '../../api/json-kinds.ts';
import type { Client } from '../../client/client.ts';

import type { GlobalOptions } from '../command/global-options.ts';
import type { Target } from '../connect.ts';
import { writeCacheFile } from '../outside/cache-file.ts';
import { markOf } from '../outside/files.ts';
import type { Outside } from '../outside/outside.ts';
import { readSmallFile } from '../outside/small-files.ts';
import { systemReason } from '../outside/system-reason.ts';
import type { Talk } from '../talk.ts';
import { addSeen, writeKnown } from './add-seen.ts';
import { fileNameOf, type Place, readKnown } from './known.ts';
import { knownDirectory } from './known-directory.ts';
import { createSight, fieldsOf } from './see-rows.ts';

type Remembering = {
  readonly outside: Outside;
  readonly options: GlobalOptions;
  readonly talk: Talk;
  /** As typed after `hogctl`, an alias as the name it stands for. */
  readonly path: string;
};

const COLUMN_ROWS = 20;

/** Keeps names that a command has shown, for completion. It never fails a command, and is silent but for `--debug`. */
export function createMemory({ outside, options, talk, path }: Remembering) {
  // The fields of an answer to `api` may be anything, people's ids among them.
  const isSilent = options.dryRun || path === 'api';
  const directory = isSilent ? undefined : knownDirectory(outside);
  let sight: ReturnType<typeof createSight> | undefined;
  let place: Place;
  const look = () => {
    sight ??= createSight((text) => talk.redact(text) !== text);
    return sight;
  };
  return {
    isOpen: directory !== undefined,
    /** Says which project the command has to do with. */
    at: ({ host, project }: Target) => {
      place = { host: host.address, project: project.id };
    },
    /** Takes rows that are printed, and fields that the command shows by itself. */
    printed: (rows: readonly Json[], fields: readonly string[]) => {
      look().names(rows);
      look().columns([...fields, ...fieldsOf(rows.slice(0, COLUMN_ROWS))]);
    },
    /** A client whose single answers are looked at. */
    watch: (client: Client): Client =>
      directory === undefined
        ? client
        : {
            ...client,
            call: async (...words) => {
              const answer = await client.call(...words);
              look().names(rowsOf(answer as Json | undefined));
              return answer;
            },
          },
    /** Writes what is new. */
    save: () => {
      if (directory === undefined || sight === undefined) return;
      try {
        const file = join(directory, fileNameOf(place));
        const before = readSmallFile(file);
        const after = writeKnown(addSeen(readKnown(before, place), sight.seen, path), place);
        if (after !== before) writeCacheFile(file, after, markOf(outside));
      } catch (failure) {
        if (options.debug) talk.warn(`debug: nothing was kept for completion: ${systemReason(failure)}`);
      }
    },
  };
}

export type Memory = ReturnType<typeof createMemory>;

function rowsOf(answer: Json | undefined): readonly Json[] {
  if (answer === undefined || isList(answer)) return answer ?? [];
  if (!isObject(answer)) return [];
  const { results }: JsonObject = answer;
  return results !== undefined && isList(results) ? results : [answer];
}
