import { reasonOf } from '../domain/ad-serving/reason-of.ts'
import { AdcpError } from '../protocol/errors.ts'

/** Asks an ad server for a person, who reads why it does not answer. Throws SERVICE_UNAVAILABLE with its reason, and refusals as they are. */
export async function askAdServer<T>(name: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof AdcpError) throw error
    const message = `${name} does not answer: ${reasonOf(error)}; try again later, sales-agent adservers test asks whether it can be reached`
    throw new AdcpError('SERVICE_UNAVAILABLE', message, { cause: error })
  }
}
