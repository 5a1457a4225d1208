import { fixtureOf, invalidParam, oneOf, requiredText } from '../../domain/compliance/params.ts'
import { FORMAT_TYPES } from '../../domain/creative/formats/format.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { seededOption, seededProduct, suiteProduct, withOption } from '../../domain/product/seed-product.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import type { Contract } from '../../protocol/contract.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findProduct } from '../../store/product/products.ts'
import { loadSeededProducts, seedFormat as saveFormat, seedProduct as saveProduct } from '../../store/product/seeded-products.ts'
import { type Scenario, seeded } from './scenario.ts'

/** Official names of channels, to tell them from the looser words of fixtures. */
function officialChannels({ schemas }: Contract): ReadonlySet<string> {
  const { enum: names } = schemas.document('enums/channels.json')
  return new Set(Array.isArray(names) ? names : [])
}

/** `seed_product`: a product that only this agent sees. Seeding it again keeps the pricing options it was given since. */
export const seedProduct: Scenario = async (params, { tx, principal, services, now }) => {
  const productId = requiredText(params, 'product_id')
  const fixture = fixtureOf(params)
  const { base, all } = services.contracts
  // A member is left out where a release that could show the product without it could not show it with it.
  const isOfficial = (offer: object, plain: object) =>
    all.every(({ schemas }) => {
      const faults = schemas.validator('core/product.json')
      return faults(offer).length === 0 || faults(plain).length > 0
    })
  const fresh = seededProduct(productId, fixture, { channels: officialChannels(base), isOfficial })
  const before = (await loadSeededProducts(tx, principal.tenantId, principal.principalId)).find(
    (product) => product.product_id === productId,
  )
  const product = before && fixture.pricing_options === undefined ? { ...fresh, pricing_options: before.pricing_options } : fresh
  await saveProduct(tx, principal.tenantId, principal.principalId, product, now)
  return seeded('product', productId)
}

/** `seed_pricing_option`: one more way to buy a product; of a product of the publisher's the agent gets a copy of its own. */
export const seedPricingOption: Scenario = async (params, context) => {
  const { tx, principal, now } = context
  const productId = requiredText(params, 'product_id')
  const optionId = requiredText(params, 'pricing_option_id')
  const product = await productFor(context, productId)
  const changed = withOption(product, seededOption(optionId, fixtureOf(params)))
  await saveProduct(tx, principal.tenantId, principal.principalId, changed, now)
  return seeded('pricing option', optionId)
}

/** A product that the agent may name: of its own, the publisher's, or the suite's. Throws PRODUCT_NOT_FOUND. */
export async function productFor(
  { tx, principal }: InTransaction<AuthenticatedContext>,
  productId: string,
): Promise<ProductDocument> {
  const own = await loadSeededProducts(tx, principal.tenantId, principal.principalId)
  const found =
    own.find((product) => product.product_id === productId) ??
    (await findProduct(tx, principal.tenantId, productId)) ??
    (principal.conformance && productId === suiteProduct.product_id ? suiteProduct : undefined)
  if (!found) throw new AdcpError('PRODUCT_NOT_FOUND', 'there is no such product', { field: 'params.product_id' })
  return found
}

/** `seed_creative_format`: a format that only this agent sees. */
export const seedCreativeFormat: Scenario = async (params, { tx, principal }) => {
  const id = requiredText(params, 'format_id')
  // core/format-id.json
  if (!/^[a-zA-Z0-9_-]+$/.test(id)) throw invalidParam('format_id', 'must be letters, digits, _ and -')
  const fixture = fixtureOf(params)
  const name = typeof fixture.name === 'string' && fixture.name !== '' ? fixture.name : id
  const type = fixture.type === undefined ? 'display' : oneOf(fixture.type, FORMAT_TYPES, 'fixture.type')
  await saveFormat(tx, principal.tenantId, principal.principalId, { id, name, type })
  return seeded('format', id)
}
