import { type ClaimQuestion, judgeClaim, lifetimeSeconds } from '../../domain/brand/judge-claim.ts'
import { defineTask } from '../../pipeline/task.ts'
import { isLinked } from './is-linked.ts'
import { claimsOf, signedAnswer } from './signed-answer.ts'

/** The manifest of 3.1 calls it mutating; its schema says that it only reads, and it has no idempotency_key. */
export const verifyBrandClaim = defineTask<ClaimQuestion>()({
  name: 'verify_brand_claim',
  since: '3.1',
  access: 'limited',
  scope: 'brand',
  // Its answer is signed, so that no list of members can be added to it.
  takesAnyMember: true,
  summary: 'Ask whether a subsidiary, parent, property or trademark belongs to the house of this agent; the answer is signed.',
  input: {
    'claim.subsidiary_domain': 'of claim_type subsidiary',
    'claim.parent_domain': 'of claim_type parent',
    'claim.property': 'of claim_type property: type and identifier, e.g. website and its domain',
    'claim.mark': 'of claim_type trademark; registry, number and countries narrow it',
  },
  async handle(request, context) {
    const { claims, domain } = await claimsOf(context)
    const answer = judgeClaim(claims, request, { linked: await isLinked(context), now: context.now })
    return signedAnswer(context, domain, {
      task: 'verify_brand_claim',
      request,
      body: answer,
      lifetimeSeconds: lifetimeSeconds([answer]),
    })
  },
})
