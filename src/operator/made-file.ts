import { DecodeFault } from '../platform/decode/decode-fault.ts'
import { AdcpError } from '../protocol/errors.ts'

/** A file that is made in a thread, since rows by the thousand take milliseconds each: others are not kept waiting. Throws SERVICE_UNAVAILABLE when too many are made at once. */
export async function madeFile(file: Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await file
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    const message =
      'the file is not made now, since it takes too long or too many others are being made; try again in a minute, or take it as CSV'
    throw new AdcpError('SERVICE_UNAVAILABLE', message, { cause: error })
  }
}
