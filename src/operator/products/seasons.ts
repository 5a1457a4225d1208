import type { ProductDocument, SeasonDocument } from '../../domain/product/products-file.ts'
import { readNumber, twoReadings } from '../../platform/decode/read-number.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type ActContext, defineAct } from '../act.ts'
import { numberText } from '../amount.ts'
import { atMost, day, required, text } from '../fields.ts'
import { SELLERS } from '../roles.ts'
import { about, listOf, named, number, object, optional, string } from '../shape.ts'
import { idText, inForm, type TextForm } from '../text-form.ts'
import { changeDocument } from './change-product.ts'
import { PRODUCT } from './product-shapes.ts'
import { watchedProduct } from './watched-product.ts'

// Several acts in one file: the same decision or change in its directions, such as approve and reject.

const SEASON_NAME = atMost(32, text('name of the season'))
const SEASON = required(SEASON_NAME)
/** As schemas/products-import.json has it. */
const NAMED: TextForm = {
  pattern: '^[a-z0-9](?:[a-z0-9\\-]*[a-z0-9])?$',
  words: 'small letters, digits and hyphens, e.g. christmas, with a letter or a digit at both ends',
}

const seasonsShape = object({
  product_id: string,
  seasons: listOf(
    named(
      'Season',
      object({
        season_id: string,
        from: about('first day on which flights at its price start (UTC)', string),
        until: about('last day on which they start (UTC)', string),
        pricing_option_id: optional(about('absent: every fixed price of the product', string)),
        percent: optional(number),
        price: optional(number),
      }),
    ),
  ),
})

/**
 * Adds a season to a product, or changes the season of that name: flights that start from `from` to `until` get its prices, and running orders keep theirs.
 * Throws REFERENCE_NOT_FOUND, and INVALID_REQUEST with the field for an unknown price and for days that overlap another season of the same price.
 */
export const setSeason = defineAct({
  name: 'products.set-season',
  route: 'PUT /products/{product}/seasons/{season}',
  id: 'setProductSeason',
  roles: SELLERS,
  summary: 'Sets fixed prices of a product for flights that start between two dates. Running orders keep their prices.',
  subject: 'product',
  fields: {
    product: PRODUCT,
    season: required(inForm(NAMED, SEASON_NAME)),
    from: required(day('first day on which flights at its price start (UTC)')),
    until: required(day('last day on which they start (UTC)')),
    pricing_option_id: idText('the price that it is of; default: every fixed price of the product'),
    percent: numberText('how much more the listed price is, e.g. 25, or -10 for less; or price'),
    price: numberText('the price itself, e.g. 14.50; the pricing option that it is of has to be named'),
  },
  answer: seasonsShape,
  command: { args: ['product', 'season'], flags: { pricing_option_id: 'option' }, text: seasonLines },
  watch: watchedProduct,
  async run(context, { product, season, from, until, pricing_option_id: option, percent, price }) {
    if ((percent === undefined) === (price === undefined)) throw refusal('percent', 'send percent or price, one of both')
    if (price !== undefined && option === undefined)
      throw refusal('pricing_option_id', 'a season with a price of its own names the pricing option that it is of')
    const set: SeasonDocument = {
      season_id: season,
      from,
      until,
      ...(option !== undefined && { pricing_option_id: option }),
      ...(percent !== undefined && { percent: readSigned(percent) }),
      ...(price !== undefined && { price: readNumberOf(price, 'price') }),
    }
    // Last, so that a day that two seasons have is named of this one.
    return changeSeasons(context, product, (seasons) => [...seasons.filter((each) => each.season_id !== season), set])
  },
})

/** Takes a season away: flights that start in its days cost the listed price again. Throws REFERENCE_NOT_FOUND. */
export const removeSeason = defineAct({
  name: 'products.remove-season',
  route: 'DELETE /products/{product}/seasons/{season}',
  id: 'removeProductSeason',
  roles: SELLERS,
  summary: 'Removes a season of a product. Running orders keep their prices.',
  subject: 'product',
  fields: { product: PRODUCT, season: SEASON },
  answer: seasonsShape,
  command: { text: seasonLines },
  watch: watchedProduct,
  run: (context, { product, season }) =>
    changeSeasons(context, product, (seasons) => {
      if (seasons.some((each) => each.season_id === season)) return seasons.filter((each) => each.season_id !== season)
      const known = seasons.map((each) => each.season_id).join(', ') || 'none'
      throw new AdcpError('REFERENCE_NOT_FOUND', `${product} has no season ${season}; it has ${known}`, { field: 'season' })
    }),
})

async function changeSeasons(
  context: ActContext,
  product: string,
  edit: (seasons: readonly SeasonDocument[]) => readonly SeasonDocument[],
) {
  try {
    const next = await changeDocument(context, product, (document) => withSeasonsOf(document, edit))
    return { product_id: product, seasons: [...(next.selling.seasons ?? [])].map((season) => ({ ...season })) }
  } catch (error) {
    throw inSeason(error)
  }
}

function withSeasonsOf(
  document: ProductDocument,
  edit: (seasons: readonly SeasonDocument[]) => readonly SeasonDocument[],
): object {
  const { seasons: before = [], ...selling } = document.selling
  const seasons = edit(before)
  return { ...document, selling: { ...selling, ...(seasons.length > 0 && { seasons }) } }
}

/** What an import would refuse of a season, by the field that it is of. */
function inSeason(error: unknown): unknown {
  const issue = error instanceof AdcpError ? error.issues?.[0] : undefined
  const [, member] = /\/selling\/seasons\/\d+(?:\/(\w+))?$/.exec(issue?.pointer ?? '') ?? []
  if (!issue || member === undefined) return error
  const field = member === 'season_id' ? 'season' : member
  return refusal(field, `${field} ${issue.message}`)
}

function readSigned(written: string): number {
  const minus = /^\s*[-−]/.test(written)
  return readNumberOf(written.replace(/^\s*[-+−]/, ''), 'percent') * (minus ? -1 : 1)
}

function readNumberOf(written: string, field: string): number {
  const read = readNumber(written, { whole: false })
  if (read === 'ambiguous') throw refusal(field, `${field} ${twoReadings(written)}`)
  if (read === undefined)
    throw refusal(
      field,
      `${field} "${written.slice(0, 40)}" must be a number such as ${field === 'price' ? '14.50' : '25 or -10'}`,
    )
  return read
}

function refusal(field: string, message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field })
}

function seasonLines({
  product_id: product,
  seasons,
}: {
  readonly product_id: string
  readonly seasons: readonly SeasonDocument[]
}) {
  if (seasons.length === 0) return [`${product} has no seasons`]
  return seasons.map(
    ({ season_id: id, from, until, pricing_option_id: option = 'every fixed price', percent, price }) =>
      `${id}, ${from} to ${until}: ${option} ${price === undefined ? `${percent} %` : `is ${price}`}`,
  )
}
