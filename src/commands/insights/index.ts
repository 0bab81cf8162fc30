import type { CommandLoaders } from '../../cli/command/define-group.ts';

export const insightsCommands = {
  list: async () => (await import('./list-insights.ts')).listInsights,
  get: async () => (await import('./get-insight.ts')).getInsight,
  check: async () => (await import('./check/check-insight.ts')).checkInsight,
  create: async () => (await import('./create-insight.ts')).createInsight,
  update: async () => (await import('./update-insight.ts')).updateInsight,
  delete: async () => (await import('./delete-insight.ts')).deleteInsight,
  restore: async () => (await import('./restore-insight.ts')).restoreInsight,
  sharing: async () => (await import('./insight-sharing.ts')).insightSharing,
  'access-controls': async () => (await import('./insight-access-controls.ts')).insightAccessControls,
  'global-access-controls': async () =>
    (await import('./insight-global-access-controls.ts')).insightGlobalAccessControls,
  activity: async () => (await import('./insight-activity.ts')).insightActivity,
  viewed: async () => (await import('./mark-viewed.ts')).markViewed,
  'last-viewed': async () => (await import('./last-viewed.ts')).lastViewed,
  cancel: async () => (await import('./cancel-query.ts')).cancelQuery,
  funnel: async () => (await import('./calculate-funnel.ts')).calculateFunnel,
  'funnel-correlation': async () => (await import('./funnel-correlation.ts')).funnelCorrelation,
  pull: async () => (await import('./files/pull-insights.ts')).pullInsights,
  push: async () => (await import('./files/push-insights.ts')).pushInsights,
} satisfies CommandLoaders;
