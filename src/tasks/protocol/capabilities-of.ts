import type { GetAdCPCapabilitiesRequest } from '@adcp/sdk/types'
import { keepsReader, keptTerms } from '../../domain/ad-serving/kept-offer.ts'
import { mayNeedPerson } from '../../domain/creative/creative-rules.ts'
import { offeredTransformers } from '../../domain/creative/transformers/offered.ts'
import type { ActingPrincipal, Tenant } from '../../domain/identity/principal.ts'
import { type Capabilities, describeCapabilities, type WiredFeatures } from '../../domain/protocol/capabilities.ts'
import { buildTargets } from '../../domain/protocol/creative-capabilities.ts'
import { productOffer } from '../../domain/protocol/offer.ts'
import { capabilitiesVersion } from '../../domain/protocol/principal-capabilities.ts'
import { simulatedBackends } from '../../domain/protocol/simulated-backends.ts'
import { withLaterMembers } from '../../domain/protocol/with-later-members.ts'
import { changesState } from '../../pipeline/mutating.ts'
import { backendsOf, offeredTasks, offerOf } from '../../pipeline/offered-tasks.ts'
import type { Services } from '../../pipeline/services.ts'
import type { Contract } from '../../protocol/contract.ts'
import { digestPolicyIn } from '../../protocol/digest-policy.ts'
import type { Db } from '../../store/database.ts'
import { findCreativeRules } from '../../store/identity/creative-rules.ts'
import { hasMatchKey } from '../../store/trusted-match/match-keys.ts'
import { countsHours } from '../counts-hours.ts'
import { minimumAudienceSize } from '../media-buy/minimum-audience-size.ts'
import { servedProducts } from '../served-products.ts'

/** Who is told what this agent supports, and in which release. */
export interface Asker {
  readonly tenant: Tenant
  readonly principal: ActingPrincipal | undefined
  readonly contract: Contract
  readonly services: Services
  readonly db: Db
}

/** What is asked. */
export interface Question {
  /** Undefined: all. */
  readonly protocols?: GetAdCPCapabilitiesRequest['protocols']
  readonly namesRelease: boolean
}

/** The version of the whole document for a caller (AdCP 3.2, `capabilities_version`). */
export async function versionFor(asker: Asker): Promise<string> {
  return capabilitiesVersion(await capabilitiesOf(asker, { namesRelease: true }))
}

/**
 * What this agent supports for a caller. Of a call that names no release the answer is that of the lowest one, with the members that later ones have beside it:
 * clients which name a major alone, or nothing, look there for what the seller can do.
 */
export async function capabilitiesOf(asker: Asker, question: Question): Promise<Capabilities> {
  const { tenant, principal, contract, services, db } = asker
  const { wiring } = services
  const contracts = services.contracts.only(tenant.settings.releases)
  const offered = (await offeredTasks(services, tenant, principal)).filter(({ name }) => contract.has(name))
  const adServers = services.adServers.list(tenant.tenantId)
  const snapshot = await services.products.get(db, tenant, undefined)
  const served = await servedProducts(asker, snapshot)
  const profile = tenant.settings.signingProfile ?? wiring.signing.profile
  const wired: WiredFeatures = {
    ...(await offerOf(services, tenant)),
    kept: keptTerms((await snapshot.servedBy(adServers)).products, keepsReader(adServers)),
    products: productOffer(await served.index()),
    tasks: new Set(offered.map(({ name }) => name)),
    simulated: simulatedBackends(backendsOf(services, tenant.tenantId, new Set(offered.map(({ name }) => name)))),
    built: new Set([...wiring.tasks.values()].map(({ name }) => name).filter((name) => contract.has(name))),
    majors: contracts.majors,
    releases: contracts.lines,
    specialisms: contract.manifest.specialisms,
    idempotency: wiring.idempotency,
    reviewsCreatives: mayNeedPerson(principal ? await findCreativeRules(db, principal) : {}, tenant.settings),
    // The schema's least is one.
    minimumAudienceSize: Math.max(1, minimumAudienceSize({ principal, services })),
    webhookAlgorithms: wiring.webhookAlgorithms,
    changing: [...wiring.tasks.values()].filter((task) => changesState(task, {})).map((task) => task.name),
    signable: [...wiring.tasks.values()].filter((task) => task.mutating || task.writes).map((task) => task.name),
    signing: {
      ...wiring.signing,
      profile,
      contentDigest: digestPolicyIn(contract.line, profile, wiring.signing.contentDigest),
    },
    publisherDomain: tenant.domain,
    // Many: only for those who name a release that has the member.
    buildTargets:
      question.namesRelease && contract.rules.fullCapabilities
        ? buildTargets(
            offeredTransformers(services.creativeBuilder.transformers, snapshot.formats),
            snapshot.declare,
            snapshot.formats,
          )
        : [],
    creativeFeatures: wiring.tasks.has('get_creative_features') ? services.creativeEvaluator.features : [],
    billing: tenant.settings.billing,
    protocols: question.protocols,
    dataProviders: (await services.signals.load(tenant)).providers.map(({ domain }) => domain),
    origin: new URL(wiring.agentUrl).origin,
    countsHours: countsHours(services, tenant.tenantId, principal),
    later: contract.rules.fullCapabilities === true,
    dailyCaps:
      contract.rules.dailyCaps === true &&
      adServers.some(({ capabilities, simulated }) => (capabilities ? capabilities.dailyCaps === true : simulated)),
    biddingPolicies: contract.rules.biddingPolicies === true,
    trustedMatch: await hasMatchKey(db, tenant.tenantId),
  }
  const described = describeCapabilities(wired)
  return question.namesRelease || contracts.lines.length === 1
    ? described
    : withLaterMembers(described, describeCapabilities({ ...wired, later: true }))
}
