import { canonicalSeller } from '../../domain/trusted-match/match-package.ts'

/** What a publisher's adagents.json says, or why it could not be read. */
export type PublisherStatement =
  | { readonly authorises: (agentUrl: string, now: number) => boolean }
  | { readonly authorises?: undefined; readonly reason: string }

/** A seller that may sync. Without `publishers` its key alone is the enrolment. */
export interface EnrolledSeller {
  readonly agentUrl: string
  /** Domains of all properties that its packages may serve. */
  readonly publishers?: readonly string[] | undefined
}

export interface SellerAuthorizationParts {
  readonly sellers: readonly EnrolledSeller[]
  /** Reads the adagents.json of a domain. Never rejects. */
  readonly read: (domain: string) => Promise<PublisherStatement>
  /** A publisher's file, once read, does not authorise the seller: its packages have to be synced again. */
  readonly onLost: (agentUrl: string, reason: string) => Promise<void>
  readonly clock: () => Date
}

export interface SellerAuthorizations {
  /** Why a sync of a seller is refused; undefined when it is not. Reads files whose result is older than five minutes, and again those that refused. */
  refusalOf(agentUrl: string): Promise<string | undefined>
  /** Whether packages of a seller are matched now, by what is known. */
  isAuthorised(agentUrl: string): boolean
  /** Reads every publisher's file again. */
  recheck(): Promise<void>
}

/** How long a result counts (specification, "Cache and re-validation"). */
const VALID_MS = 5 * 60_000
/** A refusal is repeated for so long, so that a seller that tries again and again does not fetch a publisher's file each time. */
const REFUSED_MS = 30_000

interface Known {
  readonly authorises: (agentUrl: string, now: number) => boolean
  readonly readAt: number
}

/**
 * Holds sellers to the adagents.json of the publishers that they are enrolled for (specification, "Sync-Time Validation"): every one of them has to authorise the
 * seller, since a package does not say on which of them it serves. When a file cannot be read, its last result counts for five minutes; after that it authorises no seller.
 */
export function createSellerAuthorizations({ sellers, read, onLost, clock }: SellerAuthorizationParts): SellerAuthorizations {
  const known = new Map<string, Known>()
  const failures = new Map<string, { readonly reason: string; readonly at: number }>()
  const reading = new Map<string, Promise<void>>()
  const lost = new Set<string>()
  const enrolled = new Map(
    sellers.flatMap((seller) => (seller.publishers ? [[canonicalSeller(seller.agentUrl) ?? '', seller]] : [])),
  )
  const now = () => clock().getTime()

  const readAgain = (domain: string): Promise<void> => {
    const running = reading.get(domain)
    if (running) return running
    const started = (async () => {
      const statement = await read(domain)
      if (statement.authorises) {
        known.set(domain, { authorises: statement.authorises, readAt: now() })
        failures.delete(domain)
      } else failures.set(domain, { reason: statement.reason, at: now() })
    })().finally(() => reading.delete(domain))
    reading.set(domain, started)
    return started
  }
  const refusedBy = (agentUrl: string, domain: string): string | undefined => {
    const statement = known.get(domain)
    if (statement === undefined || now() - statement.readAt > VALID_MS)
      return `adagents.json of ${domain} cannot be read: ${failures.get(domain)?.reason ?? 'it was not read yet'}`
    if (statement.authorises(agentUrl, now())) return undefined
    return `adagents.json of ${domain} does not name ${agentUrl} in authorized_agents, or not now`
  }
  const refusal = ({ agentUrl, publishers = [] }: EnrolledSeller): string | undefined => {
    if (!agentUrl.startsWith('https://')) return 'seller_agent.agent_url has to begin with https://'
    return publishers.map((domain) => refusedBy(agentUrl, domain)).find((reason) => reason !== undefined)
  }
  const isDue = (domain: string, isRefused: boolean): boolean => {
    const at = Math.max(known.get(domain)?.readAt ?? 0, failures.get(domain)?.at ?? 0)
    return now() - at > (isRefused ? REFUSED_MS : VALID_MS)
  }
  /** Reports a seller that the publishers' files do not authorise, once until they authorise it again. */
  const settle = async (seller: EnrolledSeller): Promise<void> => {
    const { agentUrl, publishers = [] } = seller
    const denial = publishers.find((domain) => known.get(domain)?.authorises(agentUrl, now()) === false)
    if (denial === undefined) {
      if (refusal(seller) === undefined) lost.delete(agentUrl)
      return
    }
    if (lost.has(agentUrl)) return
    lost.add(agentUrl)
    await onLost(agentUrl, refusal(seller) ?? `adagents.json of ${denial} does not authorise it`)
  }

  return {
    async refusalOf(agentUrl) {
      const seller = enrolled.get(canonicalSeller(agentUrl) ?? '')
      if (seller === undefined) return undefined
      const isRefused = (domain: string) => refusedBy(seller.agentUrl, domain) !== undefined
      await Promise.all((seller.publishers ?? []).filter((domain) => isDue(domain, isRefused(domain))).map(readAgain))
      await settle(seller)
      return refusal(seller)
    },
    isAuthorised(agentUrl) {
      const seller = enrolled.get(canonicalSeller(agentUrl) ?? '')
      return seller === undefined || (!lost.has(seller.agentUrl) && refusal(seller) === undefined)
    },
    async recheck() {
      const domains = new Set([...enrolled.values()].flatMap(({ publishers = [] }) => publishers))
      await Promise.all([...domains].map(readAgain))
      for (const seller of enrolled.values()) await settle(seller)
    },
  }
}
