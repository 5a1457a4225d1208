import { DRAFT_FORMATS, type DraftFormat, draftProduct } from '../domain/ad-serving/product-draft.ts'
import type { DeliveryType } from '../domain/product/offer.ts'
import type { suggestFromAdServer } from '../operator/ad-servers/inventory-acts.ts'
import type { Of } from '../operator/shape.ts'
import { foreignJsonIn } from '../platform/decode/foreign-json.ts'
import { readNumber, twoReadings, writeNumber } from '../platform/decode/read-number.ts'
import { AdcpError } from '../protocol/errors.ts'
import { chosenIn, written } from './form-text.ts'

/** A suggested product in a form, as texts that a person may change. */
export interface Draft {
  /** It is saved with the others. */
  readonly isTaken: boolean
  readonly productId: string
  readonly name: string
  readonly description: string
  readonly cpm: string
  readonly dailyCapacity: string
  readonly deliveryType: DeliveryType
  readonly sizes: readonly string[]
  readonly offeredSizes: readonly string[]
  readonly adUnits: readonly string[]
  /** As JSON; empty: there are none. */
  readonly keyValues: string
  readonly isTargeted: boolean
  /** Where its price and targeting come from. */
  readonly why: string
}

/** A form of drafts. */
export interface DraftedForm {
  readonly drafts: readonly Draft[]
  readonly currency: string
  readonly formats: readonly DraftFormat[]
  readonly status: 'active' | 'paused'
}

/** Drafts on one page. */
export const DRAFTS_OF_PAGE = 10

/** Some of the formats that drafts have; images and HTML5 where there is none of them. */
export function formatsIn(names: readonly string[]): readonly DraftFormat[] {
  const found = DRAFT_FORMATS.filter((format) => names.includes(format))
  return found.length > 0 ? found : ['image', 'html5']
}

/** What an ad server suggests, as drafts. */
export function draftsOf({ document, options, explanations }: Of<(typeof suggestFromAdServer)['answer']>): readonly Draft[] {
  return document.products.map((product): Draft => {
    const place = options.products[product.product_id]
    const [sizes, adUnits] = [textsIn(place, 'sizes'), textsIn(place, 'adUnits')]
    const keys = place && 'keyValues' in place ? JSON.stringify(place.keyValues) : ''
    const [price] = product.pricing_options
    return {
      isTaken: true,
      productId: product.product_id,
      name: product.name,
      description: product.description,
      cpm: price?.fixed_price === undefined ? '' : writeNumber(price.fixed_price),
      dailyCapacity: String(product.selling.daily_capacity),
      deliveryType: product.delivery_type,
      ...{ sizes, offeredSizes: sizes, adUnits, keyValues: keys, isTargeted: keys !== '' },
      why: explanations[product.product_id] ?? '',
    }
  })
}

function textsIn(value: object | undefined, name: string): readonly string[] {
  const list: unknown = value && Reflect.get(value, name)
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}

/** The drafts that a form sent. */
export function draftsOfForm(form: URLSearchParams): DraftedForm {
  const listIn = (name: string) => (form.get(name) ?? '').split(',').filter((each) => each !== '')
  const drafts: Draft[] = []
  for (let at = 0; at < DRAFTS_OF_PAGE && form.has(`units-${at}`); at += 1) {
    const textOf = (name: string) => written(form, `${name}-${at}`) ?? ''
    drafts.push({
      isTaken: form.has(`take-${at}`),
      productId: textOf('id'),
      name: textOf('name'),
      description: textOf('description'),
      cpm: textOf('price'),
      dailyCapacity: textOf('capacity'),
      deliveryType: textOf('delivery') === 'guaranteed' ? 'guaranteed' : 'non_guaranteed',
      sizes: form.getAll(`sizes-${at}`),
      offeredSizes: listIn(`offered-${at}`),
      adUnits: listIn(`units-${at}`),
      keyValues: textOf('keys'),
      isTargeted: form.has(`target-${at}`),
      why: textOf('why'),
    })
  }
  return {
    drafts,
    currency: written(form, 'currency') ?? '',
    formats: formatsIn(listIn('formats')),
    status: chosenIn(form, 'status', ['paused', 'active']),
  }
}

/** The ticked drafts as `adservers.save-drafts` takes them. Throws INVALID_REQUEST for a number that is none, and when nothing is ticked. */
export function documentOf(
  { drafts, currency, formats, status }: DraftedForm,
  domain: string,
): Readonly<Record<string, unknown>> {
  const taken = drafts.filter(({ isTaken }) => isTaken)
  if (taken.length === 0) throw refused('tick at least one product')
  const products = taken.map((draft) => {
    if (draft.sizes.length === 0) throw refused(`${draft.name}: tick at least one size`)
    return draftProduct({
      ...{ domain, currency, formats, status },
      ...{ productId: draft.productId, name: draft.name, description: draft.description, sizes: draft.sizes },
      deliveryType: draft.deliveryType,
      cpm: numberIn(draft.cpm, false, `${draft.name}: the price`),
      dailyCapacity: numberIn(draft.dailyCapacity, true, `${draft.name}: the impressions a day`),
    })
  })
  const places = taken.map(({ productId, adUnits, sizes, isTargeted, keyValues }) => {
    const targeting = isTargeted && keyValues !== '' ? { keyValues: listOf(keyValues) } : {}
    return [productId, { adUnits, sizes, ...targeting }] as const
  })
  return { document: { version: 1, products }, options: { products: Object.fromEntries(places) } }
}

function numberIn(text: string, whole: boolean, what: string): number {
  const value = readNumber(text, { whole })
  if (value === 'ambiguous') throw refused(`${what} ${twoReadings(text)}`)
  if (value !== undefined && value > 0) return value
  throw refused(`${what} is "${text}"; write a number above 0, such as 4.5`)
}

/** Keys and values as the form carried them; the options of the ad server are checked with them. */
function listOf(json: string): unknown {
  const list = foreignJsonIn(json)
  if (Array.isArray(list)) return list
  throw refused('the keys and values of a draft were changed on the way; open the drafts again')
}

function refused(message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field: 'drafts' })
}
