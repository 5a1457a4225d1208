import { DecodeFault } from '../../platform/decode/decode-fault.ts'
import { inLargeTurn } from '../../platform/decode/large-turn.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** From here on a file that is imported takes its turn: one of this size has thousands of rows. */
const LARGE = 256 * 1024

/**
 * Does what an import of a file does, in its turn where the file is large; a workbook always is, since some kilobytes unfold to any size. `size`: bytes or
 * characters. Publishers take turns. Rejects with RATE_LIMITED where too many files wait.
 */
export async function inImportTurn<T>(
  tenantId: string,
  { name, size }: { readonly name: string; readonly size: number },
  work: () => Promise<T>,
): Promise<T> {
  if (size < LARGE && !/\.xlsx$/i.test(name)) return work()
  try {
    return await inLargeTurn(tenantId, work)
  } catch (error) {
    if (!(error instanceof DecodeFault) || error.limit !== 'queue') throw error
    throw new AdcpError('RATE_LIMITED', 'other large files are being imported; try again in a minute', {
      retryAfter: 60,
      cause: error,
    })
  }
}
