import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { HungWorkers } from '../../tools/testing/hung-workers.ts'

const LIMIT_MS = 60_000

it.skipIf(process.platform !== 'linux')(
  'ends a process that loops for ever in one test file, says where it is, and leaves one that has just begun',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hung-'))
    const start = () => spawn(process.execPath, ['-e', 'function spin() { for (;;) {} }\nconsole.log(1)\nspin()', 'as vitest'])
    const [stuck, fresh] = [start(), start()]
    const said = vi.spyOn(console, 'log').mockReturnValue()
    try {
      const hung = new HungWorkers(folder, LIMIT_MS)
      for (const child of [stuck, fresh]) {
        await once(child.stdout, 'data')
        writeFileSync(join(folder, String(child.pid)), 'test/some.test.ts')
      }
      const before = new Date(Date.now() - 2 * LIMIT_MS)
      utimesSync(join(folder, String(stuck.pid)), before, before)
      const gone = once(stuck, 'exit')
      await hung.end()
      expect(await gone).toEqual([null, 'SIGKILL'])
      expect(fresh.exitCode ?? fresh.signalCode).toBeNull()
      expect(hung.ended).toEqual([{ pid: stuck.pid, file: 'test/some.test.ts' }])
      expect(said.mock.calls.flat().join('\n')).toMatch(/test\/some\.test\.ts has run for more than 1 minutes[\s\S]* {2}spin /)
    } finally {
      for (const child of [stuck, fresh]) child.kill('SIGKILL')
      said.mockRestore()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
