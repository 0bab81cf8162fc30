import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The licence of a package, with the notice that Apache's asks to hand on. */
function describePackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (license === undefined) throw new Error(`${name} is bundled but names no licence`);
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice(?:\.|$))/i.test(file));
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  return { title: `${name} ${version}`, license, text: text || `Licence: ${license}` };
}

/** All packages with a file among the inputs of a build, by name, each version once. */
export function findPackages(root, inputs) {
  const folders = inputs.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  const described = [...new Set(folders)].map((folder) => describePackage(join(root, folder)));
  const packages = new Map(described.map((each) => [each.title, each]));
  return [...packages.values()].sort((a, b) => (a.title < b.title ? -1 : 1));
}

/** Their licence texts as one text: what several have to the letter stands once. */
export function licenceTexts(packages) {
  const line = '-'.repeat(78);
  const titles = new Map();
  for (const { title, license, text } of packages) {
    titles.set(text, [...(titles.get(text) ?? []), `${title} (${license})`]);
  }
  const parts = [...titles].map(([text, own]) => `${line}\n${own.join('\n')}\n${line}\n\n${text}\n`);
  return `hogctl contains the following packages, each under its own licence.\n\n${parts.join('\n')}`;
}

/** A page of the documents, one line each. */
export function licencesDocument(packages) {
  const lines = packages.map(({ title, license }) => `- ${title}: ${license}\n`);
  return `# Licences

hogctl is under the MIT licence, in the file \`LICENSE\`. What is built into it, each under its own licence:

${lines.join('')}
Their texts are in \`dist/licences.txt\` of the package, which the build collects. The sandbox needs the native part of \`@duckdb/node-api\` (MIT) and \`@posthog/hogql-parser\` (MIT), which are no part of the package and found where they are installed.
`;
}
