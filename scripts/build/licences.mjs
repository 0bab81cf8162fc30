import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the package that a bundled file belongs to, or undefined for files of our own. */
function packageFolder(file) {
  const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file);
  return found === null ? undefined : found[0];
}

/** What Apache's licence asks to hand on beside itself: the notice, and the licences of parts from elsewhere. */
function otherTerms(folder) {
  const parts = existsSync(join(folder, 'licenses')) ? readdirSync(join(folder, 'licenses')) : [];
  const notices = readdirSync(folder).filter((entry) => /^notice(?:\.|$)/i.test(entry));
  return [...notices, ...parts.map((part) => `licenses/${part}`)];
}

function describePackage(root, folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (license === undefined) {
    throw new Error(`${name} is bundled but names no licence`);
  }
  const main = file === undefined ? [] : [file];
  const texts = [...main, ...otherTerms(join(root, folder))].map((path) =>
    readFileSync(join(root, folder, path), 'utf8').trim(),
  );
  return { name, version, license, text: texts.join('\n\n') || `Licence: ${license}` };
}

/** All packages with a file among the inputs of a build, by name, each version once. */
function findPackages(root, inputs) {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const described = [...folders].map((folder) => describePackage(root, folder));
  const packages = [...new Map(described.map((each) => [`${each.name} ${each.version}`, each])).values()];
  return packages.sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** The licence texts of all packages that were bundled, as one text. */
export function collectLicences(root, inputs) {
  const line = '-'.repeat(78);
  const parts = findPackages(root, inputs).map(
    ({ name, version, license, text }) => `${line}\n${name} ${version} (${license})\n${line}\n\n${text}\n`,
  );
  return `hogctl contains the following packages, each under its own licence.\n\n${parts.join('\n')}`;
}

/** The same packages as a page of the documents, one line each. */
export function licencesDocument(root, inputs) {
  const lines = findPackages(root, inputs).map(
    ({ name, version, license }) => `- ${name} ${version}: ${license}\n`,
  );
  return [
    '# Licences\n',
    'hogctl is under the MIT licence, in the file `LICENSE`. What is built into it, each under its own licence:\n',
    lines.join(''),
    'Their texts are in `dist/licences.txt` of the package, which the build collects. The sandbox uses `@duckdb/node-api` (MIT) where it is installed; it is no part of the package.\n',
  ].join('\n');
}
