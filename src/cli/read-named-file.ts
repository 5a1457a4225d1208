import { readFileSync } from 'node:fs'
import { AdcpError } from '../protocol/errors.ts'

const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder; name a file in it',
  EACCES: 'you may not read it',
}

/** The bytes of a file that an argument or an option, `field`, names. Throws INVALID_REQUEST with the reason when it cannot be read. */
export function readNamedFile(path: string, field: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const reason = READ_FAULTS[code] ?? 'it cannot be opened'
    throw new AdcpError('INVALID_REQUEST', `cannot read ${path}: ${reason}`, { field, cause })
  }
}
