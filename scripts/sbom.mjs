import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const shell = process.platform === 'win32';

/** An npm of Debian 13 does not. */
export function makesSbom() {
  return spawnSync('npm', ['sbom', '--help'], { stdio: 'ignore', shell }).status === 0;
}

/**
 * The CycloneDX document that npm makes of all that is installed, cut down to what is built in. Throws if npm does not
 * know one of those packages.
 */
export function bundledSbom(root, packages) {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26, shell };
  const all = JSON.parse(execFileSync('npm', words, options));
  const wanted = new Set(packages.map(({ title }) => title));
  const titleOf = ({ name, version }) => `${name} ${version}`;
  const components = all.components.filter((component) => wanted.delete(titleOf(component))).map(asBuiltIn);
  if (wanted.size > 0) throw new Error(`npm does not list what is built in: ${[...wanted].join(', ')}`);
  const own = all.metadata.component['bom-ref'];
  const kept = new Set([own, ...components.map((component) => component['bom-ref'])]);
  const dependencies = all.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // npm names it after the folder.
  const metadata = { ...all.metadata, component: { ...all.metadata.component, name } };
  return `${JSON.stringify({ ...all, metadata, components, dependencies })}\n`;
}

/** To npm it is for development, and comes from whichever mirror this computer uses. */
function asBuiltIn({ properties, externalReferences, ...component }) {
  const references = externalReferences.filter(({ type }) => type !== 'distribution');
  return { ...component, scope: 'required', externalReferences: references };
}
