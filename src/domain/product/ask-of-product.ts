import type { Ask } from './ask.ts'
import { limitRefusals } from './ask-wishes.ts'
import { withBudgetForecast } from './forecast-budget.ts'
import { unknownOf } from './forecast-conditions.ts'
import { answerPrice, withOption } from './negotiated-price.ts'
import { orderTermRefusal } from './order-terms.ts'
import { placeSharesRefusal } from './place-shares.ts'
import type { PricingOption } from './pricing-option.ts'
import { isFixedPrice, minimumSpend, type Product } from './product.ts'
import type { RefineContext } from './refine-products.ts'
import { type Verdict, verdictOf } from './refine-verdict.ts'

/** A budget gets a forecast and a price ask the answer of the publisher's rules; conditions are answered, since a product is as it is. */
export function askOfProduct(
  product: Product,
  ask: Ask,
  { buyer, conditions, takes }: Pick<RefineContext, 'buyer' | 'conditions' | 'takes'>,
): { products: Product[]; verdict: Verdict } {
  const done: string[] = []
  const failed: string[] = []
  let refined = product
  if (ask.budget) {
    const { amount, currency } = ask.budget
    const options = product.offer.pricing_options.filter((option) => option.currency === currency)
    const least = Math.min(...options.map(minimumSpend))
    if (options.length === 0) failed.push(`it is not priced in ${currency}`)
    else if (least > amount) failed.push(`its minimum spend is ${least} ${currency}`)
    else {
      const offer = withBudgetForecast(product.offer, ask.budget)
      refined = { ...product, offer }
      // Without a price, as in the limited view, a budget says nothing.
      const forecast = `forecast for ${amount} ${currency}`
      const unknown = conditions && unknownOf(product, conditions)
      if (offer === product.offer) failed.push(`no ${forecast}`)
      else if (unknown !== undefined) failed.push(`no ${forecast}: none is estimated for ${unknown}`)
      else done.push(forecast)
    }
  }
  const budget = ask.budget?.amount
  for (const price of ask.prices) {
    const option = optionFor(product, ask, price.kind === 'amount' ? price.model : undefined)
    const answer = option ? answerPrice(product, option, price, { buyer, budget }) : { failed: 'it has no such price' }
    if (answer.option) refined = withOption(refined, answer.option)
    if (answer.done !== undefined) done.push(answer.done)
    if (answer.failed !== undefined) failed.push(`"${price.text}": no, ${answer.failed}`)
  }
  for (const { label, satisfies } of ask.wishes) (satisfies(product, takes) ? done : failed).push(label)
  failed.push(...limitRefusals(ask.wishes, [product], takes))
  const texts = [
    ...ask.changes.flatMap((change) => (change.kind === 'scale' || change.kind === 'keep' ? [] : change.text)),
    ...ask.unread,
  ]
  failed.push(
    ...placeSharesRefusal(ask.placeShares),
    ...ask.ordered.map((term) => orderTermRefusal(term, [product], takes)),
    ...texts.map((text) => `"${text}" is nothing that can be changed of a product`),
  )
  return { products: [refined], verdict: verdictOf(done, failed, 'the product is sold as listed; this cannot be changed') }
}

/** The price that an ask is about: in the currency of its budget and of the model that it names, a stated one first. */
function optionFor({ offer }: Product, { budget }: Ask, model: string | undefined): PricingOption | undefined {
  const options = offer.pricing_options.filter(
    ({ currency, pricing_model }) =>
      (budget === undefined || currency === budget.currency) && (model === undefined || pricing_model === model),
  )
  return options.find(isFixedPrice) ?? options[0]
}
