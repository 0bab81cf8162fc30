import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';

// PostHog's tools for agents, whose 160 packages are too many for everybody: .ci/real-parts installs them.
const TOOLKIT = join(import.meta.dirname, '../../node_modules/@posthog/agent-toolkit/dist/index.mjs');

type Tool = {
  readonly name: string;
  readonly handler: (context: unknown, input: unknown) => Promise<unknown>;
};

type Toolkit = { readonly getContext: () => unknown; readonly getTools: () => Promise<readonly Tool[]> };

const trends = {
  kind: 'InsightVizNode',
  source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] },
};
const funnel = {
  kind: 'InsightVizNode',
  source: {
    kind: 'FunnelsQuery',
    series: ['$pageview', 'order_completed'].map((event) => ({ kind: 'EventsNode', event })),
  },
};
const sql = {
  kind: 'DataVisualizationNode',
  source: { kind: 'HogQLQuery', query: 'select count() from events' },
};

describe.skipIf(!existsSync(TOOLKIT))(
  '@posthog/agent-toolkit (skipped without it)',
  { timeout: 120_000 },
  () => {
    let sandbox: Awaited<ReturnType<typeof startSandbox>>;
    let call: (name: string, input: unknown) => Promise<string>;
    beforeAll(async () => {
      const keys = [{ key: 'phx_everything', label: 'all', scopes: ['*'] }];
      sandbox = await startSandbox({ dialect: 'live', keys });
      const { PostHogAgentToolkit } = await import(pathToFileURL(TOOLKIT).href);
      const options = { posthogApiToken: 'phx_everything', posthogApiBaseUrl: sandbox.origin };
      const toolkit: Toolkit = new PostHogAgentToolkit(options);
      const context = toolkit.getContext();
      const tools = await toolkit.getTools();
      call = async (name, input) => {
        const tool = tools.find((one) => one.name === name);
        if (tool === undefined) throw new Error(`the toolkit has no ${name}`);
        return JSON.stringify(await tool.handler(context, input));
      };
      await call('switch-project', { projectId: 1 });
    });
    afterAll(() => sandbox.stop());

    it.each([
      ['event-definitions-list', {}, 'order_completed'],
      ['properties-list', { type: 'event', eventName: '$pageview' }, '$current_url'],
      ['properties-list', { type: 'person' }, 'plan'],
      ['insights-get-all', {}, 'Orders per day'],
      ['insight-get', { insightId: '1' }, 'Orders per day'],
      ['insight-create-from-query', { data: { name: 'made', query: trends, favorited: false } }, 'made'],
      ['insight-update', { insightId: '1', data: { name: 'renamed' } }, 'renamed'],
      ['insight-query', { insightId: '1' }, 'results'],
      ['insight-delete', { insightId: '2' }, 'deleted'],
      ['query-run', { query: trends }, '$pageview'],
      ['query-run', { query: funnel }, 'order_completed'],
      ['query-run', { query: sql }, '43583'],
      ['get-llm-total-costs-for-project', { projectId: 1 }, '[]'],
    ])('does what it is made for on the sandbox: %s %j', async (name, input, part) => {
      expect(await call(name, input)).toContain(part);
    });

    it.each(['dashboards-get-all', 'surveys-get-all', 'feature-flag-get-all', 'experiment-get-all'])(
      'is told that the sandbox has no such thing: %s',
      async (name) => {
        await expect(call(name, { projectId: 1 })).rejects.toThrow('Not Found');
      },
    );
  },
);
