export * from '../service/endpoint.ts';
