export * from '../../service/persons.ts';
