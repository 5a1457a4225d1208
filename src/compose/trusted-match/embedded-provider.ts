import { randomUUID } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { type Config, publicOrigin } from '../../config/config.ts'
import type { ContextPackage } from '../../domain/trusted-match/context/offered-packages.ts'
import { contextRulesOf } from '../../domain/trusted-match/context/rules-of-targeting.ts'
import type { IdentityPackage } from '../../domain/trusted-match/identity/eligible-packages.ts'
import { capPoliciesOf, userRulesOf } from '../../domain/trusted-match/identity/rules-of-targeting.ts'
import type { MatchPackage } from '../../domain/trusted-match/match-package.ts'
import { loadLastingKeys } from '../../features/secrets/lasting-keys.ts'
import { watchChanges } from '../../features/trusted-match/recent-change.ts'
import { routerVerification } from '../../features/trusted-match/router-keys.ts'
import type { PeerOf } from '../../platform/net/peer.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { derivedFrom, deriveKey, secretsUnder } from '../../security/secrets/derived-secret.ts'
import { createPseudonyms } from '../../security/secrets/pseudonyms.ts'
import { createTmpxSeal, type TmpxSeal } from '../../security/secrets/tmpx-seal.ts'
import type { Store } from '../../store/database.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import type { ProductCache } from '../../store/product/product-cache.ts'
import { type ActivePackage, listActivePackages } from '../../store/trusted-match/active-packages.ts'
import { audienceIds, audiencesWith } from '../../store/trusted-match/identity/audience-match.ts'
import { listMatchKeys } from '../../store/trusted-match/match-keys.ts'
import { deploymentSecrets } from '../deployment-secrets.ts'
import { type ProviderRoutes, providerRoutes } from './provider-routes.ts'
import { refreshed } from './refreshed.ts'
import { sellerAgentUrlOf } from './seller-agent-url.ts'

export interface EmbeddedProviderParts {
  readonly store: Store
  readonly config: Config
  readonly products: ProductCache
  /** Of AdCP 3.2. */
  readonly schemas: Schemas
  /** Whose limits a request counts for. */
  readonly peerOf: PeerOf
  readonly clock: () => Date
  readonly log: Logger
}

/** How soon an order that was changed is matched as it is now; routers repeat answers about contexts as long. */
const PACKAGES_MS = 1_000
const CONTEXT_SECONDS = 10
const WINDOW_SECONDS = 60
/** Key id of the exposure tokens; their key follows from the deployment's secret. */
const TMPX_KID = 'a1'
/** The one entry of `tmpx_slots` with which this provider is registered. */
export const TMPX_SLOT = 'primary'

/**
 * The provider that the agent itself is for the packages of one publisher. It answers routers that sign with the publisher's own keys of Trusted Match
 * (`sales-agent trusted-match keys`), under {@link embeddedEndpoint}. Undefined for a publisher that does not exist.
 */
export async function embeddedProvider(parts: EmbeddedProviderParts, tenantId: string): Promise<ProviderRoutes | undefined> {
  const { store, config, schemas, clock, log } = parts
  if (!(await findTenant(store.read, tenantId))) return undefined
  const secrets = deploymentSecrets(config)
  const pseudonyms = createPseudonyms((await loadLastingKeys(store.read, secrets)).pseudonyms)
  const current = { version: () => store.dataVersion(), everyMs: PACKAGES_MS, clock: () => performance.now() }
  const watched = <Value>(load: () => Promise<Value>) => watchChanges(refreshed(load, current), current.clock)
  const context = watched(() => contextPackages(parts, tenantId))
  const identity = watched(() => identityPackages(parts, tenantId))
  const policies = watched(() => capPolicies(parts, tenantId))
  const keyOf = (secret: string) => Buffer.from(secretsUnder(deriveKey(secret, 'tmpx'))(tenantId), 'base64url')
  return providerRoutes({
    schemas,
    store,
    tenantId,
    endpoint: embeddedEndpoint(config, tenantId),
    verify: routerVerification({
      load: async () =>
        (await listMatchKeys(store.read, tenantId)).map(({ kid, x, revoked_at }) => ({
          kid,
          kty: 'OKP',
          crv: 'Ed25519',
          x,
          ...(revoked_at !== null && { revoked_at }),
        })),
      clock,
      onFailure: (error) => log.error({ err: error }, 'keys of the router cannot be read'),
    }),
    contextPackages: context.load,
    identityPackages: identity.load,
    changedLately: { context: context.changedLately, identity: () => identity.changedLately() || policies.changedLately() },
    policies: policies.load,
    audiencesOf: (identities, asked) =>
      audiencesWith(store.read, tenantId, {
        pseudonyms: identities.map(({ uid_type, user_token }) => pseudonyms.of(tenantId, uid_type, user_token)),
        asked,
      }),
    seal: tmpxSealOf(derivedFrom(secrets, (secret) => createTmpxSeal(TMPX_KID, keyOf(secret)))),
    slot: TMPX_SLOT,
    country: 'ZZ',
    contextCacheSeconds: CONTEXT_SECONDS,
    serveWindowSeconds: WINDOW_SECONDS,
    addressOf: (request) => (request instanceof IncomingMessage ? parts.peerOf(request).address : undefined),
    newId: randomUUID,
    clock,
    log,
  })
}

/** Seals under the first key and opens with each: tokens that were given out before a rotation of the deployment's secret still count. */
function tmpxSealOf(seals: () => readonly Promise<TmpxSeal>[]): TmpxSeal {
  return {
    async seal(plaintext) {
      const [first] = seals()
      if (!first) throw new Error('the deployment has no secret')
      return (await first).seal(plaintext)
    },
    async open(value) {
      for (const seal of seals()) {
        const opened = await (await seal).open(value)
        if (opened) return opened
      }
      return undefined
    },
  }
}

/** Base URL of the provider that the agent is for a publisher. */
export function embeddedEndpoint(config: Config, tenantId: string): string {
  return `${publicOrigin(config)}/trusted-match/${tenantId}`
}

async function contextPackages(parts: EmbeddedProviderParts, tenantId: string): Promise<readonly ContextPackage[]> {
  const { store, products } = parts
  const tenant = await findTenant(store.read, tenantId)
  const found = tenant && (await products.get(store.read, tenant, undefined))
  const placesOf = (productId: string) => {
    const placements = found?.byId.get(productId)?.offer.placements ?? []
    return [...placements.map(({ placement_id }) => placement_id), productId]
  }
  return (await activeOf(parts, tenantId)).map(({ known, active: { pkg } }) => ({
    ...known,
    context: contextRulesOf(pkg.targetingOverlay, placesOf(pkg.productId)),
  }))
}

async function identityPackages(parts: EmbeddedProviderParts, tenantId: string): Promise<readonly IdentityPackage[]> {
  const idOf = await audienceIds(parts.store.read, tenantId)
  return (await activeOf(parts, tenantId)).map(({ known, active: { pkg, principalId, accountId } }) => ({
    ...known,
    user: userRulesOf(pkg.packageId, pkg.targetingOverlay, (audienceId) => idOf({ principalId, accountId, audienceId })),
  }))
}

async function capPolicies({ store, clock }: EmbeddedProviderParts, tenantId: string) {
  const packages = await listActivePackages(store.read, tenantId, clock())
  return packages.flatMap(({ pkg }) => capPoliciesOf(pkg.packageId, pkg.targetingOverlay))
}

async function activeOf(
  { store, config, clock }: EmbeddedProviderParts,
  tenantId: string,
): Promise<readonly { readonly known: MatchPackage; readonly active: ActivePackage }[]> {
  const sellerAgentUrl = sellerAgentUrlOf(config)
  return (await listActivePackages(store.read, tenantId, clock())).map((active) => ({
    active,
    known: {
      packageId: active.pkg.packageId,
      mediaBuyId: active.mediaBuyId,
      sellerAgentUrl,
      startsAt: active.pkg.terms.startsAt,
      endsAt: active.pkg.terms.endsAt,
    },
  }))
}
