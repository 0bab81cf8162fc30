import { join } from 'node:path';
import { stateDirectory } from '../../config/directories.ts';
import { namesIn, readSmallFile } from '../../system/small-files.ts';
import type { System } from '../../system/system.ts';
import { findPlace, guessPlace, storedNames } from './find-place.ts';
import { fileNameOf, type Known, NOTHING, type Place, readKnown } from './known.ts';
import { knownDirectory } from './known-directory.ts';
import { type Offer, offerLines } from './offer-lines.ts';
import { isOperandPlace, operandsOf, plainWord } from './typed-words.ts';

type Where = Pick<System, 'environment' | 'platform'>;

/**
 * What is offered at Tab, a line each: the word, and behind a tab what it stands for. `words` are the shell, what is
 * wanted, `=` with the word as far as it is typed, and the words before it. Reads files alone, and says nothing rather
 * than that something is wrong.
 */
export async function answerTab(words: readonly string[], where: Where): Promise<string> {
  const [shell = '', wanted = '', typed = '', ...before] = words;
  const [kind = '', position] = wanted.split('@');
  const line = before.slice(1).map(plainWord);
  if (!isOperandPlace(line, position)) return '';
  try {
    return offerLines(await find(kind, line, where), { shell, kind, typed: plainWord(typed.slice(1)) });
  } catch {
    // Such as a damaged file of projects: the command that is being typed will say so.
    return '';
  }
}

async function find(kind: string, line: readonly string[], where: Where): Promise<readonly Offer[]> {
  switch (kind.replace('=', '')) {
    case 'project':
      return storedNames(where).projects.map(({ name, host, id }) => ({
        word: name,
        text: `${id} at ${host}`,
      }));
    case 'run':
      return runNames(where).map(nameless);
    case 'insight':
      return (await known(line, where)).insights.map(([word, text]) => ({ word, text }));
    case 'property':
      return (await known(line, where)).properties.map(nameless);
    case 'columns':
      return (await columns(line, where)).map(nameless);
    default:
      return [];
  }
}

const nameless = (word: string): Offer => ({ word, text: '' });

/** Those of the project, or of a command that has to do with none. */
async function columns(line: readonly string[], where: Where): Promise<readonly string[]> {
  const [noun = '', verb = ''] = operandsOf(line);
  const own = ({ columns: all }: Known) => all[`${noun} ${verb}`] ?? all[noun];
  return own(knownAt(undefined, where)) ?? own(await known(line, where)) ?? [];
}

async function known(line: readonly string[], where: Where): Promise<Known> {
  const guess = guessPlace(line, where);
  const found = guess && knownAt(guess, where);
  if (found !== undefined && found !== NOTHING) return found;
  const place = await findPlace(line, where);
  return place === undefined ? NOTHING : knownAt(place, where);
}

function knownAt(place: Place, where: Where): Known {
  const directory = knownDirectory(where);
  if (directory === undefined) return NOTHING;
  return readKnown(readSmallFile(join(directory, fileNameOf(place))), place);
}

/** The latest first. */
function runNames({ environment, platform }: Where): readonly string[] {
  const directory = stateDirectory(environment, platform);
  return directory === undefined ? [] : [...namesIn(join(directory, 'runs'))].sort().reverse();
}
