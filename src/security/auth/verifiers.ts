import type { Config } from '../../config/config.ts'
import { keyidOfOwner } from '../../domain/identity/replay-store.ts'
import { registrableDomain } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import type { Store } from '../../store/database.ts'
import { listAgentKeySources } from '../../store/identity/agent-key-sources.ts'
import { findBasicUser } from '../../store/identity/basic-users.ts'
import { findByCertificate } from '../../store/identity/client-certificates.ts'
import { listJwtIssuers } from '../../store/identity/jwt-issuers.ts'
import { findJwtSubject } from '../../store/identity/jwt-subjects.ts'
import type { OpenAddress } from '../../store/identity/key-addresses.ts'
import { sqlReplayStore } from '../../store/identity/nonces.ts'
import { rememberedAgents } from '../../store/identity/remembered-agents.ts'
import { findPublicTenant } from '../../store/identity/tenants.ts'
import { findUserIdentity } from '../../store/identity/user-principals.ts'
import { versionedCache } from '../../store/versioned-cache.ts'
import { jwksUriInBrand, jwksUriOf } from '../signing/brand-chain.ts'
import { keysOfAgents } from '../signing/keys.ts'
import { memoryReplayStore } from '../signing/memory-replay-store.ts'
import { DEFAULT_ALGORITHMS, requestProfile } from '../signing/profile.ts'
import { remoteKeys } from '../signing/remote-keys.ts'
import { allRevocations, operatorRevocations } from '../signing/revocation.ts'
import { tenantAddress } from './addressed-publisher.ts'
import { capabilitiesOf } from './agent-capabilities.ts'
import { type AgentKeysOptions, agentKeys } from './agent-keys.ts'
import { agentRevocations } from './agent-revocations.ts'
import { readableAuthorization } from './authorization-header.ts'
import { withBackOff } from './back-off.ts'
import { basicVerifier } from './basic.ts'
import { bearerVerifier } from './bearer.ts'
import { exemptFromLimits } from './call-limits.ts'
import { bearerChallenge, type Realm, realmAt } from './challenge.ts'
import { firstOf } from './first-of.ts'
import { GRADING_NONCE_CAP, gradingParty } from './grading.ts'
import type { GuessGuard } from './guess-guard.ts'
import { jwtVerifier } from './jwt.ts'
import { keyDocuments } from './key-documents.ts'
import { listTokenVerifier } from './list-token.ts'
import { mtlsVerifier } from './mtls.ts'
import { type OauthTokenOptions, oauthTokenVerifier } from './oauth-token.ts'
import { ownAgent } from './own-agent.ts'
import { registered } from './registered.ts'
import { signatureVerifier } from './signature.ts'
import { singlePrincipal } from './single-principal.ts'
import { type StrayCredentialsOptions, strayCredentials } from './stray-credentials.ts'
import type { Verifier } from './verifier.ts'

export interface VerifierOptions {
  readonly store: Store
  readonly config: Config
  /** Address of this agent, e.g. `https://ads.example.com/mcp`; names the realm of challenges. */
  readonly agentUrl: string
  readonly realm: Realm
  readonly oauth?: Pick<OauthTokenOptions, 'issuer' | 'keys' | 'findGrant'> | undefined
  readonly safeFetch: SafeFetch
  /** Strict: throws `{ fault: 'duplicate-key' }` for a repeated object member. */
  readonly parseJson: (body: Uint8Array) => unknown
  readonly namesCredential: StrayCredentialsOptions['namesCredential']
  /** Where the public keys of the official grader are. */
  readonly gradingKeyFile: string
  readonly guard: GuessGuard
  /** Gives the whole of a stored address of public keys. */
  readonly openKeyAddress: OpenAddress
}

/**
 * Every mechanism of the deployment behind one verdict. A signature is asked first, since nothing replaces a bad one; JWTs
 * before opaque keys, which refuse every Bearer value that they do not know.
 */
export function createVerifiers(options: VerifierOptions): readonly Verifier[] {
  const { store, config, agentUrl } = options
  const challenge = bearerChallenge(options.realm, 'invalid_token')
  const everyMechanism = singlePrincipal(
    [
      readableAuthorization(challenge),
      signatures(options),
      mtlsVerifier({
        challenge,
        findPinned: (names) => findByCertificate(store.read, names),
        publicTenant: publicTenantOf(store),
      }),
      firstOf([
        ...ownTokens(options, challenge),
        jwts(options, challenge),
        listTokenVerifier(store, challenge),
        bearerVerifier(store, challenge),
      ]),
      basicVerifier({ realm: agentUrl, findUser: (username) => findBasicUser(store.read, username), hash: options.guard.hash }),
    ],
    challenge,
  )
  const verifier = challengedWhereCalled(everyMechanism, options.realm)
  return [
    withBackOff(config.conformance ? withConformance(verifier) : verifier, {
      guard: options.guard,
      terms: config.limits,
      isExempt: exemptFromLimits(config),
    }),
    strayCredentials(options),
  ]
}

/** Marks sandbox principals as those of a server for the official suite; see `Principal.conformance`. */
function withConformance(verifier: Verifier): Verifier {
  return {
    name: verifier.name,
    async verify(credentials, now) {
      const verdict = await verifier.verify(credentials, now)
      if (verdict.kind !== 'verified' || !verdict.principal.sandbox) return verdict
      return { ...verdict, principal: { ...verdict.principal, conformance: true } }
    },
  }
}

/** Names the address that was called in refusals of Bearer credentials. */
function challengedWhereCalled(verifier: Verifier, realm: Realm): Verifier {
  const general = bearerChallenge(realm, 'invalid_token')
  return {
    name: verifier.name,
    async verify(credentials, now) {
      const verdict = await verifier.verify(credentials, now)
      if (verdict.kind !== 'refused' || verdict.challenge !== general) return verdict
      return { ...verdict, challenge: bearerChallenge(realmAt(realm, credentials.target), 'invalid_token') }
    },
  }
}

/** The publisher that addresses without a name are of. */
function publicTenantOf(store: Store): () => Promise<string | undefined> {
  const known = versionedCache<string>(store, 1)
  return () => known('', async () => (await findPublicTenant(store.read))?.tenantId)
}

function signatures(options: VerifierOptions): Verifier {
  const { store, config, agentUrl, safeFetch, parseJson, gradingKeyFile, openKeyAddress } = options
  const { signing } = config
  const grader = signing.grading ? gradingParty(config, gradingKeyFile) : undefined
  const capOf = (owner: string) => (grader?.owns(keyidOfOwner(owner)) ? GRADING_NONCE_CAP : signing.maxNoncesPerKey)
  const self = ownAgent(store, agentUrl)
  const remembered = rememberedAgents(store)
  const fetchDocument = keyDocuments(safeFetch)
  const clock = () => new Date()
  const sources: AgentKeysOptions = {
    listSources: () => listAgentKeySources(store.read, openKeyAddress),
    fetchDocument,
    walkChain: (url, brandDomain) =>
      brandDomain === ''
        ? jwksUriOf(url, {
            fetchDocument,
            capabilitiesOf: (agent) => capabilitiesOf(agent, safeFetch),
            registrableDomain,
            parseJson,
            clock,
          })
        : jwksUriInBrand(url, brandDomain, { fetchDocument, parseJson, clock }),
  }
  return signatureVerifier({
    // `forbidden` is for calls below 3.2, and the release of a call is known later: the pipeline holds it to that (`checkSignedForm`).
    profile: requestProfile(signing.profile, signing.contentDigest === 'forbidden' ? 'either' : signing.contentDigest),
    formOf: ({ settings }) => (settings.signingProfile === '3.2' ? requestProfile('3.2', 'required') : undefined),
    algorithms: signing.allowRsaPss ? [...DEFAULT_ALGORITHMS, 'rsa-pss-sha512'] : DEFAULT_ALGORITHMS,
    keys: keysOfAgents([...(grader ? [grader.keys] : []), self.keys, agentKeys(sources)]),
    // The grader leaves its keys at their cap; a sandbox that forgets them at a restart can be graded again. Several processes have to
    // remember together all the same.
    replay: grader && store.engine === 'sqlite' ? memoryReplayStore(capOf) : sqlReplayStore(store, capOf),
    revocations: allRevocations([
      operatorRevocations((keyid) => grader?.isRevoked(keyid) || remembered.isRevoked(keyid)),
      agentRevocations({ ...sources, parseJson }),
    ]),
    hasDuplicateKey: duplicateKeyCheck(parseJson),
    publicOrigin: new URL(agentUrl).origin,
    publicTenant: publicTenantOf(store),
    async findAgents(url) {
      const agents = await remembered.find(url)
      const builtIn = [grader, self].find((party) => party?.agentUrl === url)
      if (!builtIn || agents.length > 0) return agents
      const tenant = await findPublicTenant(store.read)
      return tenant ? [builtIn.identity(tenant)] : []
    },
  })
}

/** Tokens of our own authorization server, when there is one. */
function ownTokens({ store, agentUrl, oauth }: VerifierOptions, challenge: string): Verifier[] {
  if (!oauth) return []
  const findUser = (username: string, principalId: string | undefined) => findUserIdentity(store.read, username, principalId)
  const { origin } = new URL(agentUrl)
  const options = {
    ...oauth,
    audience: agentUrl,
    tenantAddress: (tenantId: string) => tenantAddress(origin, tenantId),
    challenge,
    findUser,
  }
  return [oauthTokenVerifier(options)]
}

function jwts({ store, safeFetch, openKeyAddress }: VerifierOptions, challenge: string): Verifier {
  const fetchDocument = keyDocuments(safeFetch)
  const issuers = registered(
    () => listJwtIssuers(store.read, undefined, openKeyAddress),
    ({ jwksUri, ...issuer }) => ({ ...issuer, keys: remoteKeys(issuer.issuer, async () => jwksUri, fetchDocument) }),
  )
  return jwtVerifier({
    challenge,
    listIssuers: issuers.list,
    findSubject: (tenantId, issuer, subject) => findJwtSubject(store.read, tenantId, issuer, subject),
  })
}

function duplicateKeyCheck(parseJson: VerifierOptions['parseJson']): (body: Uint8Array) => boolean {
  return (body) => {
    try {
      parseJson(body)
      return false
    } catch (error) {
      return error instanceof Error && 'fault' in error && error.fault === 'duplicate-key'
    }
  }
}
