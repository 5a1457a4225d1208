import type { ProductDocument } from '../../domain/product/products-file.ts'
import { atMost, exact, required, text } from '../fields.ts'
import { about, documentOf, integer, listOf, named, object, string } from '../shape.ts'
import { idText, inForm } from '../text-form.ts'

/** The field that names a product. */
export const PRODUCT = required(exact(idText('id of the product')))

/** The field for the id of a product that may be new, as schemas/products-import.json has it. */
export const NEW_PRODUCT = required(
  inForm(
    { pattern: '^[A-Za-z0-9_.:\\-]+$', words: 'letters without accents, digits, dots, colons, hyphens and _' },
    exact(atMost(128, text('id of the product'))),
  ),
)

export const productShape = documentOf<ProductDocument>(
  'A product, as AdCP’s schema core/product has it, with what imports add (schemas/products-import.json).',
)

export const ordersShape = named(
  'ProductOrders',
  object({ product_id: string, orders: integer, examples: about('ids of up to five of them', listOf(string)) }),
)
