import { checkedUrl, FetchFailure } from '../../platform/net/fetch-policy.ts'
import { AdcpError } from '../../protocol/errors.ts'

/**
 * Makes sure that a list of another agent can be read: over https alone; beside a server for development, which is reached over http itself (`ownUrl`), from
 * this machine too. Throws INVALID_REQUEST, naming `field`.
 */
export function requireReadableList(url: string, ownUrl: string, field: string): void {
  try {
    checkedUrl(url, undefined, !ownUrl.startsWith('https:'))
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error
    const message = `${field} cannot be read: ${error.message}; send the https address of the agent that has the list`
    throw new AdcpError('INVALID_REQUEST', message, { field })
  }
}
