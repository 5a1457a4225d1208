import { rightsAgent } from '../../domain/identity/documents.ts'
import { attestedStatus, constraintDigest, grantTerms, type RightsHolder, rightsHolder } from '../../domain/rights/attestation.ts'
import { type PresentedConstraint, presentConstraint, type RightsGrant } from '../../domain/rights/grant.ts'
import type { KeyProvider } from '../../security/signing/key-provider.ts'
import { attestGrant, signStatus } from '../../security/signing/rights-credential.ts'
import type { Signer } from '../../security/signing/sign.ts'
import type { BrandRegistry } from './brand-registry.ts'
import { brandSubject } from './signed-answers.ts'

/** The constraints of grants, with what the holder of the rights attests of them. */
export interface GrantAttestations {
  /** What speaks for the holder of the rights of a brand. Asked outside of transactions: its first key is made here. */
  of(tenantId: string, brandId: string): Promise<GrantAttestation>
}

export interface GrantAttestation {
  /** What creatives made under a grant carry (AdCP core/rights-constraint.json); without attestation where the publisher has no brands any more. */
  constraint(grant: RightsGrant, now: Date): Promise<PresentedConstraint>
  /** The current status of the grant that a credential attests, as a compact JWS; undefined where the publisher has no brands any more. `digest`: the digest in the credential. */
  status(grant: RightsGrant, digest: string, now: Date): Promise<string | undefined>
}

/** Attests with the keys of the deployment, one for each house. */
export function createGrantAttestations(
  keys: Pick<KeyProvider, 'brandSigner'>,
  brands: Pick<BrandRegistry, 'load'>,
  origin: string,
): GrantAttestations {
  return {
    async of(tenantId, brandId) {
      const { brands: known, house: ofPublisher } = await brands.load(tenantId)
      const house = known.get(brandId)?.house ?? ofPublisher
      const place = { origin, agent: rightsAgent({ origin }, tenantId) }
      if (!house) return { constraint: async (grant) => constraintAt(grant, place), status: async () => undefined }
      const signer = await keys.brandSigner('attestation-signing', brandSubject(tenantId, house.domain))
      return attestation(place, rightsHolder(house, brandId), signer)
    },
  }
}

interface Place {
  readonly origin: string
  readonly agent: { readonly url: string; readonly id: string }
}

function constraintAt(grant: RightsGrant, { origin, agent }: Place): PresentedConstraint {
  return presentConstraint(grant, { rightsAgent: agent, verificationUrl: `${origin}/rights/${grant.grantId}` })
}

function attestation(place: Place, holder: RightsHolder, signer: Signer): GrantAttestation {
  return {
    async constraint(grant, now) {
      const shown = constraintAt(grant, place)
      const terms = grantTerms(shown, grant, holder, attestedStatus(grant, now))
      const { credentialVersion: version } = grant
      const attested = await attestGrant({ terms, version, statusUrl: `${shown.verification_url}/status` }, signer)
      return { ...terms, verification_url: shown.verification_url, ...attested }
    },
    async status(grant, digest, now) {
      const shown = constraintAt(grant, place)
      const ofNow = (['active', 'paused'] as const).map((status) => grantTerms(shown, grant, holder, status))
      const terms = ofNow.find((each) => constraintDigest(each) === digest)
      // A credential of other terms was replaced by the one of these.
      const status = terms ? attestedStatus(grant, now) : 'revoked'
      return signStatus({ terms: terms ?? grantTerms(shown, grant, holder, status), digest, status }, signer, now)
    },
  }
}
