import { hash } from 'node:crypto'
import { sameSeller } from './same-seller.ts'

/** A publisher that may ask a router. */
export interface MatchPublisher {
  readonly id: string
  readonly sellerAgentUrls: readonly string[]
  /** Its property_rids. */
  readonly properties: readonly string[]
  /** Requests that it may send in a second, contexts and users apart; absent: any number. */
  readonly maximumPerSecond?: number
  readonly keys: readonly {
    /** SHA-256 of the key, in hexadecimal. */
    readonly sha256: string
    /** A key for pages counts in requests of these origins alone. */
    readonly origins?: readonly string[]
  }[]
}

/** Who asks; undefined for a request without a key that counts. */
export type AuthenticatePublisher = (authorization: string | undefined, origin: string | undefined) => MatchPublisher | undefined

/** Knows publishers by the SHA-256 of the Bearer key (RFC 6750) that a request brings. */
export function publisherAuthentication(publishers: readonly MatchPublisher[]): AuthenticatePublisher {
  const byHash = new Map(
    publishers.flatMap((publisher) => publisher.keys.map((key) => [key.sha256, { publisher, key }] as const)),
  )
  return (authorization, origin) => {
    const [, token] = /^bearer ([\x21-\x7e]{1,512})$/i.exec(authorization ?? '') ?? []
    if (token === undefined) return undefined
    const found = byHash.get(hash('sha256', token))
    if (!found) return undefined
    const { origins } = found.key
    return origins === undefined || (origin !== undefined && origins.includes(origin)) ? found.publisher : undefined
  }
}

/** Whether pages of an origin may ask, as browsers want to know before they do. */
export function originAllowed(publishers: readonly MatchPublisher[]): (origin: string) => boolean {
  const origins = new Set(publishers.flatMap(({ keys }) => keys.flatMap(({ origins: own = [] }) => own)))
  return (origin) => origins.has(origin)
}

/** What of a request belongs to another publisher, as a sentence; undefined when all is the publisher's own. */
export function foreignPart(
  { sellerAgentUrls, properties }: MatchPublisher,
  request: { readonly seller_agent_url: string; readonly property_rid?: string },
): string | undefined {
  const { seller_agent_url: seller, property_rid: property } = request
  if (property !== undefined && !properties.includes(property.toLowerCase()))
    return 'property_rid is not one of the properties of this publisher; send one that is registered for it'
  // Most send the address as it is registered, and that needs no canonical form.
  return sellerAgentUrls.includes(seller) || sellerAgentUrls.some((own) => sameSeller(own, seller))
    ? undefined
    : 'seller_agent_url is not one of the seller agents of this publisher; send one that is registered for it'
}
