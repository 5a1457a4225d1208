import { closeSync, openSync, readSync } from 'node:fs'
import { AdcpError } from '../protocol/errors.ts'

/** Larger than any file that a command takes, and far below what a device without an end would fill. */
const MOST_BYTES = 256 * 1024 ** 2
const PART_BYTES = 1024 ** 2

const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder; name a file in it',
  EACCES: 'you may not read it',
}

/** The bytes of a file that an argument or an option, `field`, names; `-` is standard input. Throws INVALID_REQUEST with the reason when it cannot be read. */
export function readNamedFile(path: string, field: string): Buffer {
  try {
    return path === '-' ? readWhole(0, field) : readOpened(openSync(path, 'r'), field)
  } catch (cause) {
    if (cause instanceof AdcpError) throw cause
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const reason = READ_FAULTS[code] ?? 'it cannot be opened'
    throw new AdcpError('INVALID_REQUEST', `cannot read ${path}: ${reason}`, { field, cause })
  }
}

function readOpened(file: number, field: string): Buffer {
  try {
    return readWhole(file, field)
  } finally {
    closeSync(file)
  }
}

function readWhole(file: number, field: string): Buffer {
  const parts: Buffer[] = []
  for (let bytes = 0; ; ) {
    const part = Buffer.allocUnsafe(PART_BYTES)
    const read = readSync(file, part)
    if (read === 0) return Buffer.concat(parts)
    parts.push(part.subarray(0, read))
    bytes += read
    if (bytes > MOST_BYTES)
      throw new AdcpError('INVALID_REQUEST', `${field} is larger than ${MOST_BYTES / 1024 ** 2} MiB`, { field })
  }
}
