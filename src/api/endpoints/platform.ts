export * from '../../service/platform.ts';
