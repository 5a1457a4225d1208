import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { explainFailure } from '../../src/operator/explain-failure.ts'
import { openStore } from '../../src/store/open.ts'
import { sqliteOpenFault } from '../../src/store/sqlite/sqlite-write-fault.ts'

const systemError = (code: string) => Object.assign(new Error(code), { code, syscall: 'open' })
const place = (data: string) => ({ data, databaseConnections: 1 })

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sales-agent-unwritable-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** What a person reads when the store of a folder is opened. */
async function said(data: string) {
  const failure = await openStore(place(data)).then(
    async (store) => {
      await store.close()
      return undefined
    },
    (error: unknown) => explainFailure(error),
  )
  return failure
}

/** A file system of memory at a folder, with these options; undefined where this user may mount none. */
function mounted(options: string): { path: string; remount(more: string): void } | undefined {
  const path = folder()
  const mount = (more: string) => execFileSync('mount', ['-t', 'tmpfs', '-o', more, 'tmpfs', path], { stdio: 'ignore' })
  try {
    mount(options)
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', [path], { stdio: 'ignore' }))
  return { path, remount: (more) => mount(`remount,${more}`) }
}

describe('a data folder that cannot be written is named with the reason', () => {
  it('where a file is in its way', async () => {
    const path = folder()
    writeFileSync(join(path, 'data'), '')
    expect(await said(join(path, 'data', 'store'))).toEqual({
      code: 'CONFIGURATION_ERROR',
      field: 'data',
      message: expect.stringContaining(
        `the store in ${join(path, 'data', 'store')} cannot be opened: a file is in the way of the folder`,
      ),
    })
  })

  it('where the file is no database', async () => {
    const path = folder()
    writeFileSync(join(path, 'sales-agent.sqlite'), 'a text '.repeat(1_000))
    expect((await said(path))?.message).toMatch(/cannot be opened: the file is damaged/)
  })

  it.each([
    ['EROFS', 'the file system is read-only'],
    ['EACCES', 'this user may not write there'],
    ['ENOSPC', 'the disk is full'],
    ['SQLITE_IOERR_WRITE', 'the disk reports an error'],
  ])('%s: %s', async (code, words) => {
    expect(await sqliteOpenFault(systemError(code), '/data/sales-agent.sqlite', async () => 1e9)).toBe(words)
  })

  it('an error of a disk without free space is a full disk, and what is no fault of the system stays as it is', async () => {
    const free = async () => 0
    expect(await sqliteOpenFault(systemError('SQLITE_IOERR_SHMSIZE'), '/data/sales-agent.sqlite', free)).toBe('the disk is full')
    expect(await sqliteOpenFault(new TypeError('ours'), '/data/sales-agent.sqlite', free)).toBeUndefined()
  })

  it('on a file system that is read-only, and one that is full (where file systems may be mounted)', async () => {
    const system = mounted('size=40m')
    if (system === undefined) return
    const data = join(system.path, 'data')
    mkdirSync(data)
    expect(await said(data)).toBeUndefined()
    system.remount('ro')
    expect((await said(data))?.message).toMatch(/cannot be opened: the file system is read-only/)
    system.remount('rw')
    expect(() => writeFileSync(join(system.path, 'rest'), Buffer.alloc(60_000_000))).toThrow(/ENOSPC/)
    expect((await said(data))?.message).toMatch(/cannot be opened: the disk is full/)
    rmSync(join(system.path, 'rest'))
    expect(await said(data)).toBeUndefined()
  })
})
