import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the package that a bundled file belongs to, or undefined for files of our own. */
function packageFolder(file) {
  const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file);
  return found === null ? undefined : found[0];
}

function describePackage(root, folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined && license === undefined) {
    throw new Error(`${name} is bundled but names no licence`);
  }
  const text =
    file === undefined ? `Licence: ${license}` : readFileSync(join(root, folder, file), 'utf8').trim();
  return { title: `${name} ${version} (${license})`, text };
}

/** The licence texts of all packages with a file among the inputs of a build, as one text. */
export function collectLicences(root, inputs) {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const packages = [...folders].map((folder) => describePackage(root, folder));
  packages.sort((a, b) => (a.title < b.title ? -1 : 1));
  const line = '-'.repeat(78);
  const parts = packages.map(({ title, text }) => `${line}\n${title}\n${line}\n\n${text}\n`);
  return `hogctl contains the following packages, each under its own licence.\n\n${parts.join('\n')}`;
}
