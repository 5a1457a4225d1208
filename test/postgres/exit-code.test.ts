import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const POSTGRES = new URL('../../tools/agent/postgres.ts', import.meta.url).href

it('a tool that used the throwaway PostgreSQL ends with the code that it has set', () => {
  const program = `
    const { startPostgres } = await import('${POSTGRES}')
    const postgres = await startPostgres()
    await postgres.stop()
    process.exitCode = 3
  `
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, ['--import', TSX, '--input-type=module', '-e', program], {
    cwd,
    encoding: 'utf8',
  })
  expect(status).toBe(3)
  expect(stderr).not.toContain('Error')
}, 120_000)
