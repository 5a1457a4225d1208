import type { AdServers } from '../ad-serving/ad-servers.ts'
import type { FormatChooser } from '../domain/creative/canonical/choose-format.ts'
import type { PrincipalRef } from '../domain/identity/principal.ts'
import type { ByCaller } from '../domain/protocol/by-caller.ts'
import type { IdentityGraph } from '../features/audiences/identity-graph.ts'
import type { BrandRegistry } from '../features/brands/brand-registry.ts'
import type { GrantAttestations } from '../features/brands/grant-attestations.ts'
import type { BrandResolver } from '../features/brands/resolve-brand.ts'
import type { SignedAnswers } from '../features/brands/signed-answers.ts'
import type { FeedSource } from '../features/catalogs/feed-source.ts'
import type { OptionalRanking } from '../features/connections/product-ranking.ts'
import type { ArtifactSource } from '../features/content-standards/artifact-source.ts'
import type { ContentClassifier } from '../features/content-standards/content-classifier.ts'
import type { ClaimVerifier } from '../features/creatives/claim-verifier.ts'
import type { CreativeBuilder } from '../features/creatives/creative-builder.ts'
import type { CreativeEvaluator } from '../features/creatives/creative-evaluator.ts'
import type { LookupLimit } from '../features/directory/lookup-limit.ts'
import type { Governance } from '../features/governance/governance.ts'
import type { SignalSource } from '../features/signals/signal-source.ts'
import type { SiHost } from '../features/sponsored-intelligence/si-host.ts'
import type { AccountChanges } from '../features/webhooks/account-changes.ts'
import type { Webhooks } from '../features/webhooks/webhook-types.ts'
import type { Contracts } from '../protocol/contracts.ts'
import type { OperatorCheck } from '../security/auth/operators.ts'
import type { SigningPolicy } from '../security/auth/signing-policy.ts'
import type { ListTokenSeal } from '../security/secrets/list-token-seal.ts'
import type { Pseudonyms } from '../security/secrets/pseudonyms.ts'
import type { SecretBox } from '../security/secrets/secret-box.ts'
import type { GovernanceIssuer } from '../security/signing/governance-issuer.ts'
import type { Previews } from '../store/creative/previews.ts'
import type { ProductCache } from '../store/product/product-cache.ts'
import type { Task } from './task.ts'

/** What is wired into this process, for the one task that advertises it. */
export interface Wiring {
  /** Every registered task, by its name. */
  readonly tasks: ReadonlyMap<string, Task>
  /** Address of this agent, e.g. `https://ads.example.com/mcp`. */
  readonly agentUrl: string
  /** Finds the format of a creative that names it as 3.1 does. */
  readonly formats: FormatChooser
  /** Address of the protected-resource metadata (RFC 9728); absent without an authorization server. */
  readonly resourceMetadata: string | undefined
  /** Whether the server runs with `--sandbox`. */
  readonly sandbox: boolean
  /** Whether the server runs with `--conformance`: see `Principal.conformance`. */
  readonly conformance: boolean
  /** Whether files of creatives are fetched and checked before the creatives are approved. */
  readonly examinesFiles: boolean
  readonly signing: SigningPolicy
  /** Signature algorithms of the webhooks that are sent. */
  readonly webhookAlgorithms: readonly ('ed25519' | 'ecdsa-p256-sha256')[]
  /** IANA name, of publishers that set no time zone of their own. */
  readonly timeZone: string
  /** Matched members that an audience needs before it can be targeted. */
  readonly minimumAudienceSize: number
  /** How long an event of a person is stored, in days. */
  readonly eventRetentionDays: number
  readonly idempotency: { readonly replayTtlSeconds: number; readonly inFlightMaxSeconds: number }
}

/** Long-lived collaborators that tasks may use; each is a port with a named implementation behind it. */
export interface Services {
  readonly wiring: Wiring
  readonly contracts: Contracts
  readonly products: ProductCache
  readonly previews: Previews
  /** Where what is sold gets booked, by publisher. */
  readonly adServers: AdServers
  /** Signals and what brings them to platforms. */
  readonly signals: SignalSource
  readonly operators: OperatorCheck
  readonly artifacts: ByCaller<ArtifactSource>
  readonly contentClassifier: ContentClassifier
  readonly creativeBuilder: CreativeBuilder
  readonly creativeEvaluator: CreativeEvaluator
  /** Asks the agents that products accept whether content was made as it says. */
  readonly claimVerifier: ClaimVerifier
  /** The publisher's own ranking of products; undefined: it has none. */
  readonly ranking: OptionalRanking | undefined
  /** Which people the publisher knows. */
  readonly identityGraph: ByCaller<IdentityGraph>
  /** What identifiers of people are stored as. */
  readonly pseudonyms: Pseudonyms
  /** What the tokens of buyers' lists are stored as. */
  readonly listTokens: ListTokenSeal
  /** Feeds of buyers' catalogs. */
  readonly feeds: FeedSource
  /** Brands, rights in them and what they talk about. */
  readonly brands: BrandRegistry
  /** Attests grants of rights for their holders. */
  readonly attestations: GrantAttestations
  /** Signs what brand agents answer to claims. */
  readonly signedAnswers: SignedAnswers
  /** The brand.json files of others. */
  readonly brandFiles: BrandResolver
  /** The voice of brands in sponsored conversations. */
  readonly siHost: ByCaller<SiHost>
  /** Seals what conversations say of people. */
  readonly conversations: SecretBox
  /** Secrets that follow from a name, for checkouts that conversations lead to. */
  readonly checkoutToken: (name: string) => string
  readonly webhooks: Webhooks
  /** What changed on accounts. */
  readonly accountChanges: AccountChanges
  /** Reports that buyers have configured: publishes what is due of an account. Throws SERVICE_UNAVAILABLE when an ad server does not report. */
  readonly reporting: {
    settle(buyer: PrincipalRef & { readonly accountId: string; readonly sandbox: boolean }): Promise<void>
  }
  /** Asked before money of a buyer is committed. */
  readonly governance: Governance
  /** Seals the credentials of governance agents. */
  readonly governanceSeal: Pick<SecretBox, 'seal'>
  /** Signs what this agent decides as somebody's governance agent. */
  readonly governanceTokens: GovernanceIssuer
  /** Counts a directory lookup; rejects with RATE_LIMITED. */
  readonly directoryLimit: LookupLimit
}
