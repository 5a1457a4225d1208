import { DecodeFault } from '../platform/decode/decode-fault.ts'
import { AdcpError } from '../protocol/errors.ts'

/**
 * A file that is made in a thread, since rows by the thousand take milliseconds each: others are not kept waiting. Throws INVALID_REQUEST for one that would be too large, SERVICE_UNAVAILABLE when too many are
 * made at once.
 */
export async function madeFile(file: Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await file
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    if (error.limit === 'size')
      throw new AdcpError('INVALID_REQUEST', `the file ${error.message}: ask for less, or take it as CSV`, { cause: error })
    const message =
      'the file is not made now, since it takes too long or too many others are being made; try again in a minute, or take it as CSV'
    throw new AdcpError('SERVICE_UNAVAILABLE', message, { cause: error })
  }
}
