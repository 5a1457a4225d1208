import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const BUILT = fileURLToPath(new URL('../../dist/cli/sales-agent.js', import.meta.url))

it.skipIf(!existsSync(BUILT))('the built program can be executed, also by a link that npx made to an earlier build', () => {
  expect(statSync(BUILT).mode & 0o111).toBe(0o111)
})
