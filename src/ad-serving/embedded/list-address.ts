import { checkedUrl, FetchFailure } from '../../platform/net/fetch-policy.ts'
import { classifyHost } from '../../platform/net/reserved-address.ts'
import { AdcpError } from '../../protocol/errors.ts'

/**
 * Makes sure that a list of another agent can be read: over https alone, from an address that others than this network reach; beside a server for development, which is reached over http itself (`ownUrl`), from
 * this machine too. Throws INVALID_REQUEST, naming `field`.
 */
export function requireReadableList(url: string, ownUrl: string, field: string): void {
  try {
    const isDevelopment = !ownUrl.startsWith('https:')
    const kind = classifyHost(checkedUrl(url, undefined, isDevelopment).hostname)
    if (kind === 'reserved' || (kind === 'loopback' && !isDevelopment))
      throw new FetchFailure('reserved_address', 'the host is reserved, or an address of a private network')
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error
    const message = `${field} cannot be read: ${error.message}; send the https address of the agent that has the list`
    throw new AdcpError('INVALID_REQUEST', message, { field })
  }
}
