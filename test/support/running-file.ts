import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

// Runs before each test file: says which one this process is on, so that a run can name and end a process that hangs.
const folder = process.env.TEST_RUN_FILES
if (folder !== undefined) writeFileSync(join(folder, String(process.pid)), expect.getState().testPath ?? '')
