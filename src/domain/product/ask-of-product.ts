import type { Ask } from './ask.ts'
import { isIn } from './ask-money.ts'
import { partRefusals } from './ask-of-parts.ts'
import { limitRefusals, type Wish } from './ask-wishes.ts'
import { UNCAPPED } from './asked-cap.ts'
import { unclearDates } from './figure-dates.ts'
import { FORECAST_DAYS, withBudgetForecast } from './forecast-budget.ts'
import { boundsOf, unknownOf } from './forecast-conditions.ts'
import { answerPrice, withOption } from './negotiated-price.ts'
import { orderTermRefusal } from './order-terms.ts'
import { placeSharesRefusal } from './place-shares.ts'
import { isAbout } from './plan-draft.ts'
import type { PricingOption } from './pricing-option.ts'
import { isFixedPrice, minimumSpend, type Product } from './product.ts'
import type { RefineContext } from './refine-products.ts'
import { type Verdict, verdictOf } from './refine-verdict.ts'

/** A price ask gets the answer of the publisher's rules and a budget a forecast at the price that is granted; conditions are answered, since a product is as it is. */
export function askOfProduct(
  product: Product,
  ask: Ask,
  { buyer, conditions, takes }: Pick<RefineContext, 'buyer' | 'conditions' | 'takes'>,
): { products: Product[]; verdict: Verdict } {
  const done: string[] = []
  const failed: string[] = []
  let refined = product
  let granted: PricingOption | undefined
  const isMeant = ({ of }: Pick<Wish, 'of'>) => of === undefined || isAbout(product, of)
  const asked = ask.budget && !ask.budget.change && isMeant(ask.budget) ? ask.budget : undefined
  const budget = asked?.amount
  const wanted = asked && inCurrencyOf(product, asked)
  const fault = wanted && budgetFault(product, wanted, conditions)
  if (ask.budget && !asked) failed.push(`"${ask.budget.text}": a product has no budget that this could change`)
  for (const price of ask.prices) {
    if (price.unclear !== undefined || !isMeant(price)) {
      failed.push(`"${price.text}": no, ${price.unclear ?? 'the product is another one'}`)
      continue
    }
    const option = optionFor(product, ask, price.kind === 'amount' ? price.model : undefined)
    const answer = option ? answerPrice(product, option, price, { buyer, budget }) : { failed: 'it has no such price' }
    granted = answer.option ?? granted
    if (answer.option) refined = withOption(refined, answer.option)
    if (answer.done !== undefined) done.push(answer.done)
    if (answer.failed !== undefined) failed.push(`"${price.text}": no, ${answer.failed}`)
  }
  if (fault !== undefined) failed.push(fault)
  else if (wanted) {
    const forecast = budgetForecast(refined, wanted, granted, conditions)
    refined = forecast.product
    done.unshift(...forecast.done)
    failed.unshift(...forecast.failed)
  }
  for (const wish of ask.wishes) {
    if (isMeant(wish)) (wish.satisfies(product, takes) ? done : failed).push(wish.label)
    else failed.push(`${wish.label}: the product is another one`)
  }
  failed.push(...partRefusals(ask, [product], takes))
  if (ask.uncapped) done.push(UNCAPPED)
  failed.push(...limitRefusals(ask.wishes, [product], takes))
  const texts = [
    ...ask.changes.flatMap((change) => (change.kind === 'scale' || change.kind === 'keep' ? [] : change.text)),
    ...ask.unread,
  ]
  failed.push(
    ...placeSharesRefusal(ask.placeShares),
    ...unclearDates(ask.unclearDates),
    ...ask.ordered.map((term) => orderTermRefusal(term, [product], takes)),
    ...texts.map((text) => `"${text}" is nothing that can be changed of a product`),
  )
  return { products: [refined], verdict: verdictOf(done, failed, 'the product is sold as listed; this cannot be changed') }
}

/** The price that an ask is about: in the currency of its budget and of the model that it names, a stated one first. */
function optionFor({ offer }: Product, { budget }: Ask, model: string | undefined): PricingOption | undefined {
  const options = offer.pricing_options.filter(
    ({ currency, pricing_model }) => (!budget || isIn(budget, currency)) && (model === undefined || pricing_model === model),
  )
  return options.find(isFixedPrice) ?? options[0]
}

type Conditions = RefineContext['conditions']
interface Budget {
  readonly amount: number
  readonly currency: string
}

/** A budget that names no currency is in the first that the product is priced in: what is said of it names that. */
function inCurrencyOf({ offer }: Product, budget: NonNullable<Ask['budget']>): Budget {
  const priced = offer.pricing_options.find(({ currency }) => isIn(budget, currency))
  return { amount: budget.amount, currency: priced?.currency ?? budget.currencies?.[0] ?? '' }
}

/** Why a product cannot be bought for a budget; undefined where it can. */
function budgetFault({ offer }: Product, { amount, currency }: Budget, conditions: Conditions): string | undefined {
  const options = offer.pricing_options.filter((option) => option.currency === currency)
  if (options.length === 0) return `it is not priced in ${currency}`
  const least = Math.min(...options.map((option) => minimumSpend(option, conditions?.flight)))
  return least > amount ? `its minimum spend is ${least} ${currency}` : undefined
}

/** The product with the forecast of a budget, at the price that was `granted` or else its first in that currency, and what is said of it. */
function budgetForecast(
  product: Product,
  { amount, currency }: Budget,
  granted: PricingOption | undefined,
  conditions: Conditions,
): { readonly product: Product; readonly done: readonly string[]; readonly failed: readonly string[] } {
  const forecast = `forecast for ${amount} ${currency}`
  const priced = granted?.currency === currency ? granted : undefined
  const option = priced ?? product.offer.pricing_options.find((each) => each.currency === currency)
  const bounds = conditions ? boundsOf(product, conditions) : {}
  // Without a price, as in the limited view, a budget says nothing.
  const made = option && withBudgetForecast(product.offer, option, amount, bounds)
  if (!made) return { product, done: [], failed: [`no ${forecast}`] }
  const budgeted = { ...product, offer: made.offer }
  const unknown = conditions && unknownOf(product, conditions)
  if (unknown !== undefined) return { product: budgeted, done: [], failed: [`no ${forecast}: none is estimated for ${unknown}`] }
  if (!made.fitting) return { product: budgeted, done: [forecast], failed: [] }
  const { metric, count, amount: fits } = made.fitting
  const { days = FORECAST_DAYS } = conditions ?? {}
  const beyond = Math.round((amount - fits) * 100) / 100
  const failure = `${beyond} ${currency} of it do not fit: the ${count} ${metric.replace('_', ' ')} that it has in ${days} ${days === 1 ? 'day' : 'days'} cost ${fits} ${currency}`
  return { product: budgeted, done: [forecast], failed: [failure] }
}
