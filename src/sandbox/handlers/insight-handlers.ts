import type { insights } from '../../api/endpoints/insights.ts';
import type { Handlers } from '../call.ts';
import { calculateFunnel, calculateFunnelCorrelation } from './calculate-funnels.ts';
import { changeInsight, createInsight } from './change-insights.ts';
import { listInsights } from './list-insights.ts';
import { cancelCalculation } from './query-handlers.ts';
import {
  getInsight,
  listLastViewed,
  markViewed,
  refuseDeletion,
  showAccessControls,
  showGlobalAccessControls,
  showInsightActivity,
  showInsightsActivity,
  showSharing,
} from './read-insights.ts';

/** I1 to I17. */
export const insightHandlers: Handlers<typeof insights> = {
  list: listInsights,
  create: createInsight,
  sharing: showSharing,
  get: getInsight,
  update: changeInsight,
  delete: refuseDeletion,
  accessControls: showAccessControls,
  activity: showInsightActivity,
  globalAccessControls: showGlobalAccessControls,
  viewed: markViewed,
  allActivity: showInsightsActivity,
  cancel: cancelCalculation,
  funnelGet: calculateFunnel,
  funnel: calculateFunnel,
  funnelCorrelationGet: calculateFunnelCorrelation,
  funnelCorrelation: calculateFunnelCorrelation,
  lastViewed: listLastViewed,
};
