import { parentPort, workerData } from 'node:worker_threads'
import { sqliteDriver } from './choose-sqlite-driver.ts'

// The program of a thread: copies what was committed from the log of a file (`-wal`) into the file each time it is told to, and then says how many frames the log has.

/** How long it waits for a transaction to end, and for readers of what the log had before; no other transaction begins meanwhile. */
const BUSY_MS = 100

const database = sqliteDriver(workerData.driver).open(workerData.path, { mode: 'existing', busyMs: BUSY_MS })
// The log is on the disk before the file is written, and the file before the log is written over.
database.exec('PRAGMA synchronous = FULL')
const statements = {
  passive: database.prepare<{ log: number }>('PRAGMA wal_checkpoint(PASSIVE)'),
  restart: database.prepare<{ log: number }>('PRAGMA wal_checkpoint(RESTART)'),
}

parentPort?.on('message', (message: keyof typeof statements | 'close') => {
  if (message === 'close') {
    database.close()
    parentPort?.close()
    return
  }
  parentPort?.postMessage(framesAfter(statements[message]))
})

/** 0: unknown, since the disk was full or broken, which writers hear of themselves; what is committed is safe in the log, and the next copy begins where this one did. */
function framesAfter(copy: (typeof statements)['passive']): number {
  try {
    return copy.all([])[0]?.log ?? 0
  } catch {
    return 0
  }
}
