import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const LOGGING = fileURLToPath(new URL('../support/log-much.ts', import.meta.url))

it.runIf(existsSync('/dev/full'))('a log that no disk takes ends nothing, and memory is bounded', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', LOGGING], { stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')] })
  let said = ''
  child.stdout?.on('data', (chunk) => {
    said += chunk
  })
  await once(child, 'close')
  expect(said).toBe('alive')
})
