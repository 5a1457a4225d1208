import { TASKS } from '../../src/tasks/index.ts'

/** The tasks of the lowest release, for tests that speak its schemas; later ones are asked in `test/extended/releases.test.ts`. */
export const BASE_TASKS = TASKS.filter(({ since }) => since === undefined)
