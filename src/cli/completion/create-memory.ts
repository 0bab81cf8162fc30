import { join } from 'node:path';
import { isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { writeCacheFile } from '../../system/cache-file.ts';
import { markOf } from '../../system/files.ts';
import { readSmallFile } from '../../system/small-files.ts';
import { systemReason } from '../../system/system-reason.ts';
import { addSeen, writeKnown } from './add-seen.ts';
import { fileNameOf, type Place, readKnown } from './known.ts';
import type { Memory, Remembering } from './memory.ts';
import { createSight, fieldsOf } from './see-rows.ts';

const COLUMN_ROWS = 20;

/** A memory that is written into this directory. It never fails a command, and is silent but for `--debug`. */
export function createMemory({ system, options, talk, path }: Remembering, directory: string): Memory {
  let sight: ReturnType<typeof createSight> | undefined;
  let place: Place;
  const look = () => {
    sight ??= createSight((text) => talk.redact(text) !== text);
    return sight;
  };
  return {
    isOpen: true,
    at: ({ host, project }) => {
      place = { host: host.address, project: project.id };
    },
    printed: (rows, fields) => {
      look().names(rows);
      look().columns([...fields, ...fieldsOf(rows.slice(0, COLUMN_ROWS))]);
    },
    watch: (client) => ({
      ...client,
      call: async (...words) => {
        const answer = await client.call(...words);
        look().names(rowsOf(answer as Json | undefined));
        return answer;
      },
    }),
    save: () => {
      if (sight === undefined) return;
      try {
        const file = join(directory, fileNameOf(place));
        const before = readSmallFile(file);
        const after = writeKnown(addSeen(readKnown(before, place), sight.seen, path), place);
        if (after !== before) writeCacheFile(file, after, markOf(system));
      } catch (failure) {
        if (options.debug) talk.warn(`debug: nothing was kept for completion: ${systemReason(failure)}`);
      }
    },
  };
}

function rowsOf(answer: Json | undefined): readonly Json[] {
  if (answer === undefined || isList(answer)) return answer ?? [];
  if (!isObject(answer)) return [];
  const { results }: JsonObject = answer;
  return results !== undefined && isList(results) ? results : [answer];
}
