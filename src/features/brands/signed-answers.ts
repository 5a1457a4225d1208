import { brandAgentUrl } from '../../domain/identity/documents.ts'
import type { KeyProvider } from '../../security/signing/key-provider.ts'
import { type AnswerBinding, type ResponseEnvelope, signResponse } from '../../security/signing/response-envelope.ts'

/** What is signed for a publisher, beside what {@link SignedAnswers} knows itself. */
export interface AnswerToSign extends Omit<AnswerBinding, 'agentUrl'> {
  readonly tenantId: string
  readonly response: object
  readonly issuedAt: Date
  readonly lifetimeSeconds: number
}

/** Signs the answers of brand agents: each brand of a publisher has a key of its own, so that no answer of one can pass for one of another. */
export interface SignedAnswers {
  /** The brand agent of a publisher, as its brand.json names it. */
  agentUrlOf(tenantId: string): string
  sign(answer: AnswerToSign): Promise<ResponseEnvelope>
}

/** Whose key it is: a brand of one publisher. */
export function brandSubject(tenantId: string, brandDomain: string): string {
  return JSON.stringify([tenantId, brandDomain])
}

/** Signs with the keys of the deployment. */
export function createSignedAnswers(keys: Pick<KeyProvider, 'brandSigner'>, origin: string): SignedAnswers {
  const agentUrlOf = (tenantId: string) => brandAgentUrl({ origin }, tenantId)
  return {
    agentUrlOf,
    async sign({ tenantId, ...answer }) {
      const signer = await keys.brandSigner('response-signing', brandSubject(tenantId, answer.brandDomain))
      return signResponse({ ...answer, agentUrl: agentUrlOf(tenantId) }, answer, signer)
    },
  }
}
