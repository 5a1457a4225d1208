import type { Logger } from 'pino'
import type { MatchPackage } from '../../domain/trusted-match/match-package.ts'
import { createSellerAuthorizations, type EnrolledSeller } from '../../features/trusted-match/seller-authorization.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { publisherStatements } from './publisher-statement.ts'

/** Twice within the five minutes for which a result counts, so that one failed fetch takes no packages out. */
const RECHECK_MS = 2 * 60_000

export interface EnrolledSellers {
  /** Why a sync of a seller is refused; undefined when it is not. */
  readonly refusalOf: (agentUrl: string) => Promise<string | undefined>
  /** The packages of sellers that are authorised now. */
  readonly authorised: <Package extends MatchPackage>(
    load: () => Promise<readonly Package[]>,
  ) => () => Promise<readonly Package[]>
  close(): Promise<void>
}

/**
 * Holds the sellers of a provider that are enrolled with `publishers` to adagents.json, now and every two minutes. `drop` takes the synced packages of a seller
 * out of the store.
 */
export function enrolledSellers({
  sellers,
  fetch,
  drop,
  clock,
  log,
}: {
  readonly sellers: readonly EnrolledSeller[]
  readonly fetch: SafeFetch
  readonly drop: (agentUrl: string) => Promise<void>
  readonly clock: () => Date
  readonly log: Logger
}): EnrolledSellers {
  const held = sellers.filter(({ publishers }) => publishers !== undefined)
  const authorizations = createSellerAuthorizations({
    sellers,
    read: publisherStatements(fetch),
    clock,
    async onLost(agentUrl, reason) {
      log.warn({ seller: agentUrl, reason }, 'a seller is not authorised; its packages are not matched until it syncs again')
      await drop(agentUrl)
    },
  })
  if (held.length === 0) return { refusalOf: async () => undefined, authorised: (load) => load, close: async () => undefined }
  const work = { last: Promise.resolve() }
  const recheck = () => {
    work.last = authorizations.recheck().catch((error: unknown) => log.error({ err: error }, 'sellers could not be checked'))
  }
  recheck()
  const timer = setInterval(recheck, RECHECK_MS)
  timer.unref()
  return {
    refusalOf: (agentUrl) => authorizations.refusalOf(agentUrl),
    authorised: (load) => async () => {
      const packages = await load()
      const refused = held.filter(({ agentUrl }) => !authorizations.isAuthorised(agentUrl))
      if (refused.length === 0) return packages
      return packages.filter(({ sellerAgentUrl }) => authorizations.isAuthorised(sellerAgentUrl))
    },
    async close() {
      clearInterval(timer)
      await work.last
    },
  }
}
