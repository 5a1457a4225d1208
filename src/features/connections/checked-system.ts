import { asAdcpError, type KnowsCode } from '../../protocol/foreign-error.ts'

/** Calls one method of a connected system and reads its answer. */
export type CallSystem = <T>(method: string, work: () => Promise<unknown>, read: (answer: unknown) => T) => Promise<T>

/**
 * Calls to a system that this project did not write. What fails, and an answer of another shape, is SERVICE_UNAVAILABLE for the buyer; the log has
 * the reason. An error with a code of AdCP keeps its code and message. `what` names the system for buyers, e.g. `the identity graph`.
 */
export function callsOf(setting: string, what: string, knowsCode: KnowsCode): CallSystem {
  return async (method, work, read) => {
    try {
      return read(await work())
    } catch (error) {
      const unreachable = `${what} of the publisher cannot be reached at the moment; try again later`
      throw asAdcpError(error, `${setting}.${method}`, knowsCode, unreachable)
    }
  }
}
