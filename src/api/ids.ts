export * from '../service/ids.ts';
