import type { Command } from '../../cli/command/define-command.ts';
import { calculateFunnel } from './calculate-funnel.ts';
import { cancelQuery } from './cancel-query.ts';
import { checkInsight } from './check/check-insight.ts';
import { createInsight } from './create-insight.ts';
import { deleteInsight } from './delete-insight.ts';
import { pullInsights } from './files/pull-insights.ts';
import { pushInsights } from './files/push-insights.ts';
import { funnelCorrelation } from './funnel-correlation.ts';
import { getInsight } from './get-insight.ts';
import { insightAccessControls } from './insight-access-controls.ts';
import { insightActivity } from './insight-activity.ts';
import { insightGlobalAccessControls } from './insight-global-access-controls.ts';
import { insightSharing } from './insight-sharing.ts';
import { lastViewed } from './last-viewed.ts';
import { listInsights } from './list-insights.ts';
import { markViewed } from './mark-viewed.ts';
import { restoreInsight } from './restore-insight.ts';
import { updateInsight } from './update-insight.ts';

export const insightsCommands: readonly Command[] = [
  listInsights,
  getInsight,
  checkInsight,
  createInsight,
  updateInsight,
  deleteInsight,
  restoreInsight,
  insightSharing,
  insightAccessControls,
  insightGlobalAccessControls,
  insightActivity,
  markViewed,
  lastViewed,
  cancelQuery,
  calculateFunnel,
  funnelCorrelation,
  pullInsights,
  pushInsights,
];
