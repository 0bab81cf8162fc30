import { defineCommand } from '../../cli/command/define-command.ts';
import { viaOption } from '../../cli/fallback.ts';
import { correlationQuery } from '../../insights/actors-query.ts';
import { askAnalysis, correlatedFunnel } from '../../insights/analysis.ts';
import { funnelOptions, getOption, rareNames } from '../../insights/funnel.ts';
import { insightFieldNames } from '../../insights/insight.ts';
import { chartOption } from '../../insights/show.ts';
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
  async run({ get, via, chart, ...flags }, context) {
    const { filters, body } = correlatedFunnel(flags, context);
    const shared = {
      body,
      via,
      chart,
      query: () => correlationQuery(filters),
      asked: { query: { kind: 'FunnelCorrelationQuery' } },
    };
    await (get
      ? askAnalysis({ row: insights.funnelCorrelationGet, input: filters, ...shared }, context)
      : askAnalysis(
          { row: insights.funnelCorrelation, input: { filters: filled(filters) }, ...shared },
          context,
        ));
  },
});
