/** A step of a document that is not run as it stands. Each must be in its document, or the test fails. */
export type Exception = {
  readonly document: string;
  /** The whole step, or the part of it that is replaced. */
  readonly text: string;
  readonly reason: string;
};

const untypable = 'nobody sits at a terminal and types the number';

/** Steps that cannot be run here. */
export const NOT_RUN: readonly Exception[] = [
  {
    document: 'docs/recipes/own-events.md',
    text: "hogctl sandbox exec --dialect live --empty -- bash -c 'node send.mjs && hogctl persons delete --email dora@example.org --delete-events --yes --project 1'",
    reason: 'test/smoke/clients.test.ts runs the same program',
  },
  {
    document: 'README.md',
    text: 'npm ci && npm run demo    # builds it and walks through an erasure on the sandbox',
    reason: 'npm ci would take away what the tests run with; the demo has a test of its own',
  },
  {
    document: 'README.md',
    text: 'npm ci && npm test        # builds it and runs the tests',
    reason: 'it is what runs this',
  },
  {
    document: 'docs/recipes/erasure.md',
    text: 'hogctl runs find --from crm.csv --as emails --column email',
    reason:
      'it ends with 8 here, since the sandbox of the specification tells no addresses; runs-find.test.ts runs it',
  },
  ...[
    'npm link',
    'npm pack',
    'npm install --global ./hogctl-0.1.0.tgz',
    'alias hogctl="node $PWD/bin/hogctl.js"',
  ].map((text) => ({
    document: 'README.md',
    text,
    reason: 'would change this computer; test/smoke/package.test.ts packs and installs to another place',
  })),
  ...[
    'npm ci',
    'npm run build        # bundles src into dist',
    'npm test             # builds, then runs the tests that one runs while working',
    'npm run test:hard    # the built program as a process: signals, crashes; every command with every fault',
    'npm run check        # types, lint, contracts, unused code, and the tests of the rooms that you changed',
    './bin/hogctl.js --help',
    'npm run bench                    # all there is to measure, in some 20 minutes, with its goals at the end',
    'npm run bench -- startup         # small commands, as multiples of `node -e 0`',
    'npm run fuzz                                         # a minute of everything, with a new seed',
    'npm run fuzz -- --seconds 600 --seed 7 --only answers,ids',
    'npm run fuzz -- --seed 7 --case 12 --only answers,ids    # one case again, with all that it printed',
  ].map((text) => ({
    document: 'CONTRIBUTING.md',
    text,
    reason: 'works on the sources; .ci/run does all but the benches and longer random tests',
  })),
  {
    document: 'docs/recipes/network.md',
    text: 'hogctl auth login --host https://posthog.intern.example.com --project 1 --name intern --ca-file /etc/ssl/intern.pem',
    reason: 'needs a host and a certificate of a company; test/smoke/network.test.ts has its own',
  },
  {
    document: 'docs/recipes/network.md',
    text: 'export NODE_EXTRA_CA_CERTS=/etc/ssl/intern.pem',
    reason: 'needs a certificate of a company; test/smoke/network.test.ts has its own',
  },
];

/** Steps that are run with another text in the place of a part. */
export const CHANGED: readonly (Exception & { readonly becomes: string })[] = [
  {
    document: 'README.md',
    text: '--column email --delete-events',
    becomes: '--column email --delete-events --yes',
    reason: untypable,
  },
  {
    document: 'README.md',
    text: 'hogctl auth login --host eu --project 12345 --name shop',
    becomes: 'store_project shop',
    reason: 'the sandbox is the service, and its key comes from standard input',
  },
  {
    document: 'README.md',
    text: 'hogctl runs verify last',
    becomes: '{ hogctl runs verify last || test $? = 9; }',
    reason: 'it ends with 9 before the Sunday on which the events go',
  },
  {
    document: 'docs/recipes/erasure.md',
    text: 'hogctl runs verify last',
    becomes: 'hogctl sandbox advance --to 2026-06-21T06:00:00Z && hogctl runs verify last',
    reason: 'the same, so that the clock is moved past it',
  },
  {
    document: 'docs/recipes/erasure.md',
    text: 'hogctl runs find --distinct-ids shopper-0007',
    becomes: '{ hogctl runs find --distinct-ids shopper-0007 || test $? = 9; }',
    reason: 'it ends with 9, since the person was erased',
  },
  {
    document: 'docs/recipes/erasure.md',
    text: '--delete-events --receipt answer.csv',
    becomes: '--delete-events --receipt answer.csv --yes',
    reason: untypable,
  },
  {
    document: 'docs/recipes/several-projects.md',
    text: 'hogctl auth login --host eu --project 12345 --name eu-shop --protected',
    becomes: 'store_project eu-shop --protected',
    reason: 'the sandbox is the service, and its key comes from standard input',
  },
  {
    document: 'docs/recipes/several-projects.md',
    text: 'hogctl auth login --host us --project 678 --name us-shop',
    becomes: 'sandbox_host=$(sed s/127.0.0.1/localhost/ <<<"$sandbox_host"); store_project us-shop',
    reason: 'the same, by its other name, so that it is another project with the same people',
  },
  {
    document: 'docs/recipes/several-projects.md',
    text: '--projects eu-shop,us-shop --receipt answer.csv',
    becomes: '--projects eu-shop,us-shop --receipt answer.csv --yes --confirm eu-shop || [ $? = 8 ]',
    reason: `${untypable}; both are one sandbox, so the second call finds nobody any more`,
  },
  ...['show', 'verify', 'report'].map((command) => ({
    document: 'docs/recipes/several-projects.md',
    text: `hogctl runs ${command} request-20261128T120000Z`,
    becomes: `hogctl runs ${command} "$(hogctl runs list -o ndjson | tail -n 1 | sed 's/.*"request":"//;s/".*//')"`,
    reason: 'the request has the name it got',
  })),
];
