/** The sandbox holds one project. */
export const PROJECT_ID = '1';
export const PROJECT_NAME = 'Sandbox';
