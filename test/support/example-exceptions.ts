/** Examples that a test cannot run in its own process, and why. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'sandbox start': 'runs until Ctrl-C; test/smoke/sandbox.test.ts starts it',
  'sandbox start --dialect live --port 8123': 'runs until Ctrl-C',
  'sandbox start --file shop.duckdb': 'runs until Ctrl-C',
  'sandbox exec --dialect live -- hogctl persons bulk-delete --distinct-ids user_1,user_2 --yes':
    'starts a process; the readme says nearly the same, and is run',
  "sandbox exec -- sh -c 'hogctl persons list --all -o ndjson | wc -l'": 'starts a process',
  'sandbox import --events events.parquet':
    'there is no such file; test/unit/sandbox/control.test.ts makes one',
  'sandbox exec -- hogctl persons list': 'starts a process; the readme says it too, and is run',
  'runs verify --due': 'asks about the runs of all other examples; test/e2e/bulk-delete.test.ts runs it',
  'persons bulk-delete --emails ana.berg@example.org --projects eu,us':
    'wants two services; test/e2e/several-projects.test.ts has them',
  'insights get zeNY2NOU --web': 'the sandbox has no app; test/e2e/in-app.test.ts opens a page',
  'persons get --email ana.berg@example.org --web': 'the same',
  'insights get 9 --refresh --watch 60s':
    'draws until Ctrl-C; test/e2e/insights-watch.test.ts has a terminal',
  'version --check': 'starts npm; test/smoke/version.test.ts has a registry of its own',
};

/** Commands that only the live service has. */
export const LIVE: Readonly<Record<string, string>> = {
  'persons deletion-status': 'no operation of the specification',
  'persons reset-distinct-id': 'no operation of the specification',
};

/** What is typed where an example asks. */
export const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'persons delete 42': ['y'],
  'persons bulk-delete --from ids.csv --as distinct-ids --delete-events': ['1'],
  'persons split 42 --main user_42': ['y'],
  'runs resume 20261128T120000Z': ['1'],
  'runs prune 20261128T120000Z': ['y'],
  'runs resume 20261128T120000Z --from people.csv --as distinct-ids --receipt answer.csv': ['1'],
  'insights delete 9': ['y'],
  'auth logout shop': ['y'],
  'auth login --host eu --project 12345 --name shop': ['KEY'],
};

/** Names that the sandbox has in the place of those that an example makes up. */
export const PUT_IN_PLACE: {
  readonly words: Readonly<Record<string, string>>;
  readonly examples: Readonly<Record<string, string>>;
} = {
  words: {
    user_42: 'shopper-0142',
    zeNY2NOU: 'ZWLavBZF',
    '--project 12345': '--project 1',
  },
  examples: {
    // Who is deleted here is not to be asked for later.
    'persons delete 42': 'persons delete 43',
    'persons delete --distinct-id user_42 --delete-events --project shop --yes':
      'persons delete --distinct-id shopper-0044 --delete-events --project shop --yes',
    'persons split 42 --main user_42': 'persons split 1 --main shopper-0001',
    'persons split 42 --only anonymous_1 --only anonymous_2 --project shop --yes':
      'persons split 2 --only 33d73f4d-52da-40ea-9efc-44b36ff1db14 --project shop --yes',
    // The newest one may have lost its ids by another example.
    'runs verify last': 'runs verify 20261128T120000Z',
    'insights delete 9': 'insights delete 10',
    'insights delete zeNY2NOU --project shop --yes': 'insights delete GTyJkfP3 --project shop --yes',
    // An example on its own stands in a shell where a variable names the project.
    'sandbox reset --yes': 'sandbox reset --yes --project shop',
  },
};

/** Examples that end with another code than 0, and why. */
export const ENDS_WITH: Readonly<Record<string, { readonly code: number; readonly reason: string }>> = {
  'persons bulk-delete --property plan:exact=test --max 500 -p shop -y': {
    code: 3,
    reason: 'nobody has this plan',
  },
  'insights cancel 0192f0c1-7a30-7000-8000-000000000001': {
    code: 3,
    reason: 'there is no such query to cancel',
  },
  "insights check 9 --expect 'last >= 100' --max-drop 20% --max-age 24h": {
    code: 9,
    reason: 'these figures are made up',
  },
  "insights check 9 --series '$pageview' --breakdown Norway --expect 'mean > 10' -o json": {
    code: 9,
    reason: 'these figures are made up',
  },
  'runs check 20261128T120000Z --expect 12:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08':
    { code: 9, reason: 'another run ended like this' },
};
