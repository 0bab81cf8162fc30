// Stops a release that could not say where it is from; the registry would refuse its provenance later. See RELEASING.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makesSbom } from './sbom.mjs';

const about = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
const missing = ['repository', 'homepage'].filter((name) => about[name] === undefined);
if (missing.length > 0) {
  console.error(
    `package.json has no ${missing.join(' and no ')}: add them before a release, as RELEASING.md says`,
  );
  process.exit(1);
}
if (!makesSbom()) {
  console.error('this npm makes no list of what is built in, which a release needs: use a newer one');
  process.exit(1);
}
