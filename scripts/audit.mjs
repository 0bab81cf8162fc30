// Asks the registry whether something is known against the packages of hogctl: their signatures, and faults of at least
// high severity. Ends with 1 if there is. A registry that does not answer is said, and is a failure with --release only:
// nothing is published of which nobody could be asked.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const isRelease = process.argv.includes('--release');
const patience = 30_000;
/** Kept by a contract test; to npm all of it is for development, so --omit=dev would ask about nothing. */
const builtIn = readFileSync(join(root, 'docs/licences.md'), 'utf8');
const isBuiltIn = (name) => builtIn.includes(`\n- ${name} `);

function ask(...words) {
  const options = { cwd: root, encoding: 'utf8', timeout: patience, shell: process.platform === 'win32' };
  const { stdout, error } = spawnSync('npm', [...words, '--json', '--fetch-retries=0'], options);
  try {
    return JSON.parse(stdout);
  } catch {
    return { message: error?.code === 'ETIMEDOUT' ? `no answer in ${patience / 1000} s` : 'no answer' };
  }
}

/** What the answer tells, one line each; undefined if it is not one. */
function signatureFindings({ invalid, missing }) {
  if (!Array.isArray(invalid) || !Array.isArray(missing)) return undefined;
  const line =
    (what) =>
    ({ name, version }) => ({ text: `${name} ${version}: ${what} signature`, counts: true });
  return [...invalid.map(line('invalid')), ...missing.map(line('missing'))];
}

function faultFindings({ auditReportVersion, vulnerabilities }) {
  if (auditReportVersion === undefined) return undefined;
  const grave = Object.values(vulnerabilities).filter(({ severity }) => /^(high|critical)$/.test(severity));
  return grave.map(({ name, severity, range, via }) => {
    const titles = via.map((cause) => (typeof cause === 'string' ? `by ${cause}` : cause.title)).join('; ');
    const place = isBuiltIn(name) ? 'built in' : 'a tool, not built in';
    return { text: `${name} ${range}: ${severity}, ${place}: ${titles}`, counts: isBuiltIn(name) };
  });
}

function report(title, findings, answer) {
  if (findings === undefined) {
    console.log(`${title}: could not be asked: ${answer.error?.summary || answer.message || 'no answer'}`);
    return isRelease ? 1 : 0;
  }
  const counting = findings.filter(({ counts }) => counts).length;
  console.log(`${title}: ${counting} found${findings.map(({ text }) => `\n  ${text}`).join('')}`);
  return counting;
}

const signatures = ask('audit', 'signatures');
const faults = ask('audit');
const count =
  report('Signatures', signatureFindings(signatures), signatures) +
  report('Known faults', faultFindings(faults), faults);
process.exitCode = count > 0 ? 1 : 0;
