// Prints docs/licences.md: what the build puts into the program. Nothing is written.
import { join } from 'node:path';
import { bundle } from './build/bundle.mjs';
import { licencesDocument } from './build/licences.mjs';

const root = join(import.meta.dirname, '..');
const { metafile } = await bundle(root);
process.stdout.write(licencesDocument(root, Object.keys(metafile.inputs)));
