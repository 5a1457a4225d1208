import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, stat, unlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { AdcpError } from '../../../protocol/errors.ts'
import type { EmbeddedEvent } from '../events.ts'
import { type OpenSegment, openSegment } from './open-segment.ts'
import { decodeSegment, encodeEvents, type SegmentContent } from './segment.ts'

export interface SpoolOptions {
  readonly folder: string
  /** What all files of the folder may take together; several processes that share it may each go one segment beyond. */
  readonly maxBytes: number
}

export interface SpoolContents {
  /** Of all files. */
  readonly bytes: number
  /** Segments that the store does not have yet. */
  readonly waiting: number
  /** Segments that were set aside, because the store does not take some of their events. */
  readonly setAside: number
  /** Whether another segment fits in. */
  readonly hasRoom: boolean
}

/** Events on the local disk that the store does not have yet. Any number of processes may share a folder. */
export interface EventSpool {
  /** Resolves once the events are on the disk. Throws SERVICE_UNAVAILABLE (503 with Retry-After) when the spool is full or cannot be written. */
  append(events: readonly EmbeddedEvent[]): Promise<void>
  /**
   * Hands what every process has left in the folder to `take`, oldest segment first, and drops a segment once it is taken; `refused` sets its file aside. Ends with the
   * error of `take`, after which the segment is there as before. True when another process is still at work on segments.
   */
  drain(take: (content: SegmentContent, segment: string) => Promise<'taken' | 'refused'>): Promise<boolean>
  /** What is in the folder now, of all processes. */
  contents(): Promise<SpoolContents>
  /** Closes the segment that is being written; what is in it stays. */
  close(): Promise<void>
}

/** Read at once when it is replayed. */
const SEGMENT_BYTES = 4 * 1024 * 1024
/** So that a segment or a batch is a small part of what there is room for. */
const SEGMENTS = 8
/** A segment that is being replayed for longer is taken over: its process has died. Replaying is idempotent, so that being wrong costs time alone. */
const CLAIM_MS = 10_000
/** Segments are taken away from under a writer at most once a replay. */
const ATTEMPTS = 5
const RETRY_AFTER_SECONDS = 5

const WAITING = '.events'
const CLAIMED = '.claimed'
const REFUSED = '.refused'

/**
 * The spool of a folder. No locks: a process claims a segment by renaming it, also one that another is writing. A writer looks after each write whether its segment is
 * still where it was; if not, the claimer may have read it before the write, and the events are written once more.
 */
export function createEventSpool({ folder, maxBytes }: SpoolOptions): EventSpool {
  const own = randomBytes(6).toString('hex')
  const segmentBytes = Math.min(SEGMENT_BYTES, Math.floor(maxBytes / SEGMENTS))
  let current: OpenSegment | undefined
  let count = 0

  const close = async () => {
    const closing = current
    current = undefined
    await closing?.close()
  }
  const roomFor = async (bytes: number): Promise<OpenSegment> => {
    if (current && current.size + bytes <= segmentBytes) return current
    await close()
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await bytesOf(folder, await readdir(folder))) + Math.max(bytes, segmentBytes) > maxBytes)
      throw unavailable('the store does not answer, and the spool of events is full')
    const name = `${Date.now().toString().padStart(15, '0')}-${own}-${(count++).toString(36).padStart(6, '0')}`
    current = await openSegment(folder, `${name}${WAITING}`)
    return current
  }
  const write = async (bytes: Buffer): Promise<void> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const segment = await roomFor(bytes.length)
      await segment.append(bytes)
      if (await segment.isInPlace()) return
      await close()
    }
    throw unavailable('the store does not answer, and the spool of events is being replayed')
  }
  return {
    close,
    async append(events) {
      try {
        await write(encodeEvents(events))
      } catch (error) {
        // A record that was cut off must not be followed by others in one line.
        await close().catch(() => {})
        throw error instanceof AdcpError
          ? error
          : unavailable('the store does not answer, and the spool of events cannot be written', error)
      }
    },
    async contents() {
      const files = (await ignoreMissing(readdir(folder))) ?? []
      const bytes = await bytesOf(folder, files)
      const setAside = files.filter((name) => name.endsWith(REFUSED)).length
      return { bytes, waiting: files.filter(isWaiting).length, setAside, hasRoom: bytes + segmentBytes <= maxBytes }
    },
    async drain(take) {
      let othersWork = false
      for (const file of await listSegments(folder)) {
        const [segment = ''] = file.split('.')
        const claimed = join(folder, `${segment}.${own}${CLAIMED}`)
        if (!(await claim(join(folder, file), claimed, own))) {
          othersWork = true
          continue
        }
        let left = join(folder, `${segment}${WAITING}`)
        try {
          const bytes = await ignoreMissing(readFile(claimed))
          if (!bytes) continue
          if ((await take(decodeSegment(bytes), segment)) === 'taken') await ignoreMissing(unlink(claimed))
          else left = join(folder, `${segment}${REFUSED}`)
        } finally {
          await ignoreMissing(rename(claimed, left))
        }
      }
      return othersWork
    },
  }
}

function unavailable(situation: string, cause?: unknown): AdcpError {
  return new AdcpError('SERVICE_UNAVAILABLE', `${situation}; send the event again later`, {
    retryAfter: RETRY_AFTER_SECONDS,
    http: { status: 503, headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } },
    ...(cause !== undefined && { cause }),
  })
}

/** Files that wait to be replayed, or are being replayed, oldest first: names begin with the time. */
async function listSegments(folder: string): Promise<string[]> {
  const files = (await ignoreMissing(readdir(folder))) ?? []
  return files.filter(isWaiting).sort()
}

function isWaiting(name: string): boolean {
  return name.endsWith(WAITING) || name.endsWith(CLAIMED)
}

async function bytesOf(folder: string, files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map((name) => ignoreMissing(stat(join(folder, name)))))
  return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0)
}

/** Whether a segment was there to be claimed, and no other process is at work on it. */
async function claim(file: string, claimed: string, own: string): Promise<boolean> {
  if (file.endsWith(CLAIMED) && !file.endsWith(`.${own}${CLAIMED}`)) {
    const found = await ignoreMissing(stat(file))
    if (!found || Date.now() - found.mtimeMs < CLAIM_MS) return false
  }
  const isRenamed = await ignoreMissing(rename(file, claimed).then(() => true))
  const now = new Date()
  if (isRenamed) await ignoreMissing(utimes(claimed, now, now))
  return isRenamed === true
}

/** Undefined where the file is gone: another process has it. */
async function ignoreMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
