import { join } from 'node:path';
import { configDirectory, stateDirectory } from '../../config/directories.ts';
import { findAccess } from '../../config/find-access.ts';
import { projectFile, readProjectFile, type StoredProjects } from '../../config/project-file.ts';
import { scan } from '../command/scan.ts';
import { namesIn, readCacheFile } from '../outside/cache-file.ts';
import type { Outside } from '../outside/outside.ts';
import { isOfferable } from './kept-words.ts';
import { fileNameOf, type Known, NOTHING, type Place, readKnown } from './known.ts';
import { knownDirectory } from './known-directory.ts';
import { type Offer, offerLines } from './offer-lines.ts';
import { isOperandPlace, optionValue, plainWord } from './typed-words.ts';

type Where = Pick<Outside, 'environment' | 'platform'>;

/**
 * What is offered at Tab, a line each: the word, and behind a tab what it stands for. `words` are the shell, what is
 * wanted, `=` with the word as far as it is typed, and the words before it. Reads files alone, and says nothing rather
 * than that something is wrong.
 */
export function answerTab(words: readonly string[], where: Where): string {
  const [shell = '', wanted = '', typed = '', ...before] = words;
  const [kind = '', position] = wanted.split('@');
  const line = before.slice(1).map(plainWord);
  if (!isOperandPlace(line, position)) return '';
  try {
    return offerLines(find(kind, line, where), { shell, kind, typed: plainWord(typed.slice(1)) });
  } catch {
    // Such as a damaged file of projects: the command that is being typed will say so.
    return '';
  }
}

function find(kind: string, line: readonly string[], where: Where): readonly Offer[] {
  switch (kind.replace('=', '')) {
    case 'project':
      return storedProjects(where).projects.map(({ name, host, id }) => ({
        word: name,
        text: `${id} at ${host}`,
      }));
    case 'run':
      return runNames(where).map((word) => ({ word, text: '' }));
    case 'insight':
      return known(line, where).insights.map(([word, text]) => ({ word, text }));
    case 'property':
      return known(line, where).properties.map((word) => ({ word, text: '' }));
    case 'columns':
      return columns(line, where).map((word) => ({ word, text: '' }));
    default:
      return [];
  }
}

function columns(line: readonly string[], where: Where): readonly string[] {
  const [noun = '', verb = ''] = scan(line).words;
  const all = [known(line, where), knownAt(undefined, where)].map((one) => one.columns);
  const found = all.map((one) => one[`${noun} ${verb}`] ?? one[noun]);
  return found.find((names) => names !== undefined) ?? [];
}

function known(line: readonly string[], where: Where): Known {
  const project = optionValue(line, ['--project', '-p']);
  const host = optionValue(line, ['--host']);
  const access = findAccess({
    options: { project, host },
    environment: where.environment,
    stored: storedProjects(where),
  });
  return knownAt({ host: access.host.address, project: access.id }, where);
}

function knownAt(place: Place, where: Where): Known {
  const directory = knownDirectory(where);
  return directory === undefined
    ? NOTHING
    : readKnown(readCacheFile(join(directory, fileNameOf(place))), place);
}

function storedProjects({ environment, platform }: Where): StoredProjects {
  const directory = configDirectory(environment, platform);
  return directory === undefined
    ? { projects: [], warnings: [] }
    : readProjectFile(projectFile(directory), platform);
}

/** The latest first. */
function runNames({ environment, platform }: Where): readonly string[] {
  const directory = stateDirectory(environment, platform);
  return directory === undefined ? [] : namesIn(join(directory, 'runs')).filter(isOfferable).sort().reverse();
}
