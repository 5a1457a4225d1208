import { type Revoked, signRevocationList } from './governance-revocations.ts'
import { type GovernanceClaims, signGovernanceToken } from './governance-token.ts'
import type { KeyProvider } from './key-provider.ts'

/** Signs what this agent decides when it is somebody's governance agent. */
export interface GovernanceIssuer {
  /** `iss` of its tokens: the URL under which a brand.json lists this agent. */
  readonly issuer: string
  sign(claims: Omit<GovernanceClaims, 'iss'>): Promise<string>
  /** The signed list of what was withdrawn. */
  revocations(revoked: Revoked, now: Date): Promise<string>
}

/** The issuer over the deployment's own `governance-signing` key. */
export function createGovernanceIssuer(keys: KeyProvider, issuer: string): GovernanceIssuer {
  return {
    issuer,
    sign: async (claims) => signGovernanceToken({ iss: issuer, ...claims }, await keys.signer('governance-signing')),
    revocations: async (revoked, now) => signRevocationList(issuer, revoked, await keys.signer('governance-signing'), now),
  }
}
