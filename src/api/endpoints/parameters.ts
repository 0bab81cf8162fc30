export * from '../../service/parameters.ts';
