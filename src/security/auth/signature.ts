import type { Identity } from '../../domain/identity/identity.ts'
import type { Tenant } from '../../domain/identity/principal.ts'
import { SignatureError, signatureChallenge } from '../signing/challenge.ts'
import { isSigned } from '../signing/parse-signature.ts'
import type { SigningProfile } from '../signing/profile.ts'
import { checkForm, type VerifiedSigner, type VerifyOptions, verifySignature } from '../signing/verify.ts'
import { addressedIdentity } from './addressed-identity.ts'
import { publisherIn } from './addressed-publisher.ts'
import type { TransportCredentials } from './transport-credentials.ts'
import type { Verdict, Verifier } from './verifier.ts'

export interface SignatureVerifierOptions extends VerifyOptions {
  /** Scheme and authority under which the public reaches this server, without a trailing slash. From configuration only. */
  readonly publicOrigin: string
  /** The active principals that are this agent; with several tenants there may be several, the first registered first. */
  readonly findAgents: (agentUrl: string) => Promise<readonly Identity[]>
  /** The publisher that addresses without a name are of. */
  readonly publicTenant: () => Promise<string | undefined>
  /** The stricter form that a publisher asks for, of those that all publishers of the deployment accept. */
  readonly formOf?: (tenant: Tenant) => SigningProfile | undefined
}

/**
 * Verifies RFC 9421 signatures: a valid one authenticates the agent that owns the key. Half a signature is refused like a bad
 * one, so that it never falls back to another credential. Of several publishers {@link addressedIdentity} takes one.
 * Throws {@link SignatureError} when the keys cannot be fetched: that is our inability, not a refusal.
 */
export function signatureVerifier(options: SignatureVerifierOptions): Verifier {
  // A JSON-RPC batch is one message with one nonce, whose calls all ask here. Signed messages only: what a weak map holds
  // outlives every quick collection, and that would be the body of each request.
  const verdicts = new WeakMap<TransportCredentials, Promise<Verdict>>()

  const publisherAt = async (url: string) => publisherIn(url.slice(options.publicOrigin.length)) ?? options.publicTenant()

  async function judge(credentials: TransportCredentials, now: Date): Promise<Verdict> {
    const message = {
      method: credentials.method,
      url: options.publicOrigin + credentials.target,
      rawHeaders: credentials.rawHeaders,
      body: credentials.body ?? new Uint8Array(),
      isStrictJson: credentials.isStrictJson,
    }
    try {
      const signer = await verifySignature(message, now.getTime() / 1000, { ...options, publisherAt })
      if (!signer) return { kind: 'absent' }
      const verdict = await identify(signer, credentials.target, options)
      const form = verdict.kind === 'verified' ? options.formOf?.(verdict.tenant) : undefined
      if (form) checkForm(message, form)
      return verdict
    } catch (error) {
      if (!(error instanceof SignatureError) || error.recovery === 'transient') throw error
      return refused(error.signatureCode, `step ${error.step}: ${error.signatureCode}`)
    }
  }

  return {
    name: 'signature',
    async verify(credentials, now) {
      if (!isSigned(credentials.rawHeaders)) return { kind: 'absent' }
      const known = verdicts.get(credentials)
      if (known) return known
      const verdict = judge(credentials, now)
      verdicts.set(credentials, verdict)
      return verdict
    },
  }
}

async function identify(signer: VerifiedSigner, target: string, options: SignatureVerifierOptions): Promise<Verdict> {
  const { tenantIds } = signer
  const known = await options.findAgents(signer.agentUrl)
  // A publisher answers for the keys that it registered itself, and for no others of the same agent.
  const identities = tenantIds ? known.filter(({ tenant }) => tenantIds.includes(tenant.tenantId)) : known
  const identity = await addressedIdentity(identities, target, options.publicTenant)
  if (!identity) {
    return refused('request_signature_key_unknown', 'signer is not exactly one active principal')
  }
  return {
    kind: 'verified',
    tenant: identity.tenant,
    principal: { ...identity.principal, mechanism: 'signature', credentialId: signer.keyid },
  }
}

function refused(signatureCode: string, reason: string): Verdict {
  return { kind: 'refused', reason, challenge: signatureChallenge(signatureCode) }
}
