import { defineCommand } from '../../cli/command/define-command.ts';
import { viaOption } from '../../cli/requests.ts';
import { askOperation } from '../../insights/analyses/analysis.ts';
import { correlatedFunnel, funnelOptions, getOption, rareNames } from '../../insights/analyses/funnel.ts';
import { correlationQuery } from '../../insights/analyses/people.ts';
import { insightFieldNames } from '../../insights/answers/insight.ts';
import { chartOption } from '../../insights/answers/show.ts';
import { filled } from '../../json/kinds.ts';
import { insights } from '../../service/insights.ts';

export const funnelCorrelation = defineCommand({
  name: 'funnel-correlation',
  endpoints: [insights.funnelCorrelation, insights.funnelCorrelationGet],
  summary: 'Calculate which events correlate with conversion in a funnel',
  description: 'The funnel is sent in the field filters. --body gives the whole body, including filters.',
  examples: [
    'insights funnel-correlation --events signup,paid --date-from -30d',
    'insights funnel-correlation --body \'{"filters":{"events":[{"id":"a"},{"id":"b"}]}}\' -o json',
  ],
  omit: insightFieldNames,
  options: { ...funnelOptions, ...getOption, via: viaOption, ...chartOption },
  rare: rareNames,
  async run({ get, via, chart, title, ...flags }, context) {
    const { filters, body } = correlatedFunnel(flags, context);
    const shared = { body, via, query: () => correlationQuery(filters) };
    const analysis = { chart, title, asked: { query: { kind: 'FunnelCorrelationQuery' } } };
    const input = { filters: filled(filters) };
    await (get
      ? askOperation({ row: insights.funnelCorrelationGet, input: filters, ...shared }, analysis, context)
      : askOperation({ row: insights.funnelCorrelation, input, ...shared }, analysis, context));
  },
});
