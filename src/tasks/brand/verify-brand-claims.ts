import { type ClaimAnswer, type ClaimQuestion, judgeClaim, lifetimeSeconds } from '../../domain/brand/judge-claim.ts'
import { defineTask } from '../../pipeline/task.ts'
import { AdcpError, type RecoveryOf, toWireError, type WireError } from '../../protocol/errors.ts'
import { isLinked } from './is-linked.ts'
import { claimsOf, signedAnswer } from './signed-answer.ts'

interface VerifyBrandClaimsRequest {
  readonly claims: readonly ClaimQuestion[]
}

/** A result has the status of its claim under another name than a single answer has. */
type Result = { readonly claim_type: string; readonly status: string } | { readonly error: WireError }

/** The manifest of 3.1 calls it mutating; its schema says that it only reads, and it has no idempotency_key. */
export const verifyBrandClaims = defineTask<VerifyBrandClaimsRequest>()({
  name: 'verify_brand_claims',
  since: '3.1',
  access: 'limited',
  scope: 'brand',
  // Its answer is signed, so that no list of members can be added to it.
  takesAnyMember: true,
  summary: 'Ask about up to 100 claims at once, as verify_brand_claim does: one result each, in order, under one signature.',
  async handle(request, context) {
    const { claims, domain } = await claimsOf(context)
    const view = { linked: await isLinked(context), now: context.now }
    const judged = request.claims.map((question, index) => attempt(() => judgeClaim(claims, question, view), index))
    const answers = judged.filter((each): each is ClaimAnswer => !(each instanceof AdcpError))
    return signedAnswer(context, domain, {
      task: 'verify_brand_claims',
      request,
      body: { results: judged.map((each) => presentResult(each, context.contract.recoveryOf)) },
      lifetimeSeconds: lifetimeSeconds(answers),
    })
  },
})

/** What is wrong with one claim is its result; the others are answered. */
function attempt(judge: () => ClaimAnswer, index: number): ClaimAnswer | AdcpError {
  try {
    return judge()
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return new AdcpError(error.code, error.message, { field: `claims[${index}].${error.field ?? 'claim'}` })
  }
}

function presentResult(judged: ClaimAnswer | AdcpError, recoveryOf: RecoveryOf): Result {
  if (judged instanceof AdcpError) return { error: toWireError(judged, recoveryOf) }
  const { verification_status: status, ...rest } = judged
  return { ...rest, status }
}
