import type { Logger } from 'pino'
import type { ContextPackage } from '../../domain/trusted-match/context/offered-packages.ts'
import { consentFault, consentOf, mayMatch } from '../../domain/trusted-match/identity/consent.ts'
import type { IdentityPackage } from '../../domain/trusted-match/identity/eligible-packages.ts'
import type { CapPolicy } from '../../domain/trusted-match/identity/frequency-caps.ts'
import type { Identity, IdentityRequest } from '../../domain/trusted-match/identity/identity-messages.ts'
import { createContextProvider } from '../../features/trusted-match/context/context-provider.ts'
import { cappedPackagesFinder } from '../../features/trusted-match/identity/capped-packages.ts'
import { createIdentityProvider } from '../../features/trusted-match/identity/identity-provider.ts'
import { createImpressionTracker } from '../../features/trusted-match/identity/impression-tracker.ts'
import type { VerifyRouter } from '../../features/trusted-match/router-keys.ts'
import { readConsent } from '../../platform/decode/consent.ts'
import type { MatchMetrics } from '../../platform/metrics/match-metrics.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import type { TmpxSeal } from '../../security/secrets/tmpx-seal.ts'
import type { Store } from '../../store/database.ts'
import {
  addMatchExposure,
  capPackages,
  cappedPackages,
  matchExposuresSince,
  useNonce,
} from '../../store/trusted-match/identity/exposures.ts'
import { providerContextRoute } from '../../transports/trusted-match/context/provider-context-route.ts'
import { healthRoute } from '../../transports/trusted-match/health-route.ts'
import { impressionRoute } from '../../transports/trusted-match/identity/impression-route.ts'
import { providerIdentityRoute } from '../../transports/trusted-match/identity/provider-identity-route.ts'
import type { MatchRequest } from '../../transports/trusted-match/match-exchange.ts'
import type { MatchRoute } from '../../transports/trusted-match/match-route.ts'
import { healthLimit } from './health-limit.ts'

export interface ProviderParts {
  /** Of AdCP 3.2. */
  readonly schemas: Schemas
  readonly store: Store
  /** Whose exposures and caps are kept. */
  readonly tenantId: string
  /** As routers register it. */
  readonly endpoint: string
  readonly verify: VerifyRouter
  /** Packages for each path: neither path reads what the other keeps. */
  readonly contextPackages: () => Promise<readonly ContextPackage[]>
  readonly identityPackages: () => Promise<readonly IdentityPackage[]>
  /** Whether what a path matches by changed a moment ago. */
  readonly changedLately: { readonly context: () => boolean; readonly identity: () => boolean }
  readonly policies: () => Promise<readonly CapPolicy[]>
  readonly audiencesOf: (identities: readonly Identity[], asked: readonly string[]) => Promise<ReadonlySet<string>>
  readonly seal: TmpxSeal
  readonly slot: string
  /** ISO 3166-1 alpha-2; `ZZ` where the provider serves several. */
  readonly country: string
  readonly contextCacheSeconds: number
  readonly serveWindowSeconds: number
  readonly newId: () => string
  readonly clock: () => Date
  readonly log: Logger
  /** Where a request comes from; default: the other end of its connection. */
  readonly addressOf?: (request: MatchRequest) => string | undefined
  readonly metrics?: { readonly context: MatchMetrics | undefined; readonly identity: MatchMetrics | undefined }
}

/** The addresses of a provider, by their last part. */
export interface ProviderRoutes {
  readonly context: MatchRoute
  readonly identity: MatchRoute
  readonly impression: MatchRoute
  readonly health: MatchRoute
}

/** Puts a provider together. Its two paths have routes, logs, metrics and stores of their own. */
export function providerRoutes(parts: ProviderParts): ProviderRoutes {
  const { schemas, endpoint, verify, contextPackages, identityPackages, addressOf, clock, log, metrics } = parts
  const watched = (path: 'context' | 'identity') => ({
    onAnswer: (elapsedMs: number) => metrics?.[path]?.answered(elapsedMs),
    onFailure: (error: unknown) => log.child({ path }).error({ err: error }, 'a request could not be answered'),
  })
  const context = createContextProvider({
    packages: contextPackages,
    changedLately: parts.changedLately.context,
    clock,
    cacheSeconds: parts.contextCacheSeconds,
  })
  // A string that cannot be read is no consent: what needs none is answered all the same.
  const identityFault = ({ consent }: IdentityRequest) =>
    consentFault({ ...(consent && { consent }), country: parts.country }, { undecodable: new Map() })
  return {
    context: providerContextRoute(endpoint, { schemas, verify, addressOf, match: context, ...watched('context') }),
    identity: providerIdentityRoute(endpoint, identityFault, {
      schemas,
      verify,
      addressOf,
      match: identityMatch(parts),
      ...watched('identity'),
    }),
    impression: impressionRoute({
      record: impressionTracker(parts),
      onImpression: (outcome) => metrics?.identity?.impression(outcome),
      onFailure: watched('identity').onFailure,
    }),
    health: healthRoute({
      check: () => Promise.all([contextPackages(), identityPackages()]),
      waitOf: healthLimit(addressOf),
    }),
  }
}

function identityMatch(parts: ProviderParts) {
  const { store, tenantId, identityPackages, policies, audiencesOf, slot, seal, country, serveWindowSeconds, clock } = parts
  return createIdentityProvider({
    packages: identityPackages,
    knowledge: {
      audiencesOf,
      cappedPackages: cappedPackagesFinder({
        policies,
        since: (keys, from) => matchExposuresSince(store.read, tenantId, keys, new Date(from)),
        heldBack: (keys, seller, now) => cappedPackages(store.read, tenantId, keys, seller, now),
      }),
    },
    mayProcess: consentAllows,
    tmpx: { slot, country, seal: (plaintext) => seal.seal(plaintext) },
    changedLately: parts.changedLately.identity,
    serveWindowSeconds,
    clock,
  })
}

function impressionTracker({
  store,
  tenantId,
  identityPackages,
  policies,
  seal,
  newId,
  serveWindowSeconds,
  clock,
}: ProviderParts) {
  return createImpressionTracker({
    packages: identityPackages,
    policies,
    open: (value) => seal.open(value),
    newId,
    serveWindowSeconds,
    clock,
    log: {
      useNonce: (nonce, now) => store.transaction((tx) => useNonce(tx, tenantId, nonce, now)),
      add: (keys, exposure) => store.transaction((tx) => addMatchExposure(tx, tenantId, keys, exposure)),
      since: (keys, from) => matchExposuresSince(store.read, tenantId, keys, new Date(from)),
      cap: (keys, packages, by) => store.transaction((tx) => capPackages(tx, tenantId, keys, packages, by)),
    },
  })
}

/** Consent that is missing is unknown, so tokens are not processed (specification, "Consent handling"). */
async function consentAllows(request: IdentityRequest): Promise<boolean> {
  const { consent } = request
  return consent !== undefined && mayMatch({ consent }, readConsent(consentOf(request)))
}
