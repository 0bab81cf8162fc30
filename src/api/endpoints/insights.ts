export * from '../../service/insights.ts';
