import { AdcpError } from '../../protocol/errors.ts'
import { agentKey } from '../directory/agent-url.ts'
import type { Signal } from './signal.ts'

/** Where a signal can be used: an ad platform, or a sales agent (AdCP core/destination.json). */
export type Destination =
  | { type: 'platform'; platform: string; account?: string }
  | { type: 'agent'; agent_url: string; account?: string }

/** More than anybody activates at once; the protocol sets no bound. */
const MAX_DESTINATIONS = 100

/** A form of a destination in which two names of the same place are equal. */
export function destinationKey(destination: Destination): string {
  const place =
    destination.type === 'platform'
      ? destination.platform.toLowerCase()
      : (agentKey(destination.agent_url) ?? destination.agent_url)
  return JSON.stringify([destination.type, place, destination.account ?? null])
}

/** How long a destination takes until the signal is live there, in minutes; undefined where it cannot be activated. */
export function activationMinutes({ document }: Signal, destination: Destination): number | undefined {
  // Every signals agent accepts sales agents (AdCP signals specification); they take a segment over at once.
  if (destination.type === 'agent') return 0
  const wanted = destination.platform.toLowerCase()
  const offer = document.platforms?.find(({ platform }) => platform.toLowerCase() === wanted)
  return offer && (offer.activation_minutes ?? 0)
}

/**
 * The destinations of an activation, each once. Throws INVALID_REQUEST naming the first that the signal cannot be activated on, or that
 * is no place at all.
 */
export function requireDestinations(signal: Signal, destinations: readonly Destination[]): Destination[] {
  if (destinations.length > MAX_DESTINATIONS) {
    throw new AdcpError('INVALID_REQUEST', `at most ${MAX_DESTINATIONS} destinations at once`, { field: 'destinations' })
  }
  destinations.forEach((destination, index) => {
    if (destination.type === 'agent' && agentKey(destination.agent_url) === undefined) {
      const field = `destinations[${index}].agent_url`
      throw new AdcpError('INVALID_REQUEST', `${field} is no address of an agent`, { field })
    }
    if (activationMinutes(signal, destination) === undefined) {
      const platforms = (signal.document.platforms ?? []).map(({ platform }) => platform)
      const field = `destinations[${index}].platform`
      throw new AdcpError('INVALID_REQUEST', `${field}: the signal cannot be activated there`, {
        field,
        suggestion: platforms.length > 0 ? `platforms of this signal: ${platforms.join(', ')}` : 'activate it on a sales agent',
      })
    }
  })
  return [...new Map(destinations.map((destination) => [destinationKey(destination), destination])).values()]
}
