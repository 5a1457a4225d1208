import type { PriceAsk } from './ask-price.ts'
import type { Share } from './draft-id.ts'
import { answerPrice, pricingOption } from './negotiated-price.ts'
import { isAbout } from './plan-draft.ts'
import type { ProductsById } from './product-list.ts'
import type { PlanRefinement } from './refine-plan.ts'

export interface RepriceContext {
  readonly offered: ProductsById
  readonly allowed: { readonly buyer?: string | undefined }
  /** Budget of the whole plan, in major units. */
  readonly total: number
}

/** Answers price asks for every product of a plan; what the publisher's rules grant is in the shares. */
export function repricePlan(plan: PlanRefinement, asks: readonly PriceAsk[], context: RepriceContext): PlanRefinement {
  return asks.reduce((before, ask) => repriced(before, ask, context), plan)
}

function repriced(plan: PlanRefinement, ask: PriceAsk, { offered, allowed: { buyer }, total }: RepriceContext): PlanRefinement {
  if (ask.unclear !== undefined) return { ...plan, failed: [...plan.failed, `"${ask.text}": no, ${ask.unclear}`] }
  const isMeant = ({ productId }: Share) => ask.of === undefined || isAbout(offered.get(productId), ask.of)
  if (!plan.shares.some(isMeant)) return { ...plan, failed: [...plan.failed, `"${ask.text}": the plan holds no such product`] }
  const done: string[] = []
  const failed: string[] = []
  const shares = plan.shares.map((share): Share => {
    if (!isMeant(share)) return share
    const product = offered.get(share.productId)
    const option = product && pricingOption(product, share.optionId, buyer)
    if (!option || (ask.kind === 'amount' && option.pricing_model !== ask.model)) {
      failed.push(`${share.productId} has no such price in the plan`)
      return share
    }
    const answer = answerPrice(product, option, ask, { buyer, budget: (total * share.percent) / 100 })
    if (answer.done !== undefined) done.push(`${share.productId}: ${answer.done}`)
    if (answer.failed !== undefined) failed.push(answer.failed)
    return answer.option ? { ...share, optionId: answer.option.pricing_option_id } : share
  })
  const refused = failed.length > 0 ? [`"${ask.text}": no, ${failed.join(', ')}`] : []
  return { ...plan, shares, done: [...plan.done, ...done], failed: [...plan.failed, ...refused] }
}
