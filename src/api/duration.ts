export * from '../service/duration.ts';
