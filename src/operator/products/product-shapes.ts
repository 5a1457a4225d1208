import type { ProductDocument } from '../../domain/product/products-file.ts'
import { exact, required, text } from '../fields.ts'
import { about, documentOf, integer, listOf, named, object, string } from '../shape.ts'

/** The field that names a product. */
export const PRODUCT = required(exact(text('id of the product')))

export const productShape = documentOf<ProductDocument>(
  'A product, as AdCP’s schema core/product has it, with what imports add (schemas/products-import.json).',
)

export const ordersShape = named(
  'ProductOrders',
  object({ product_id: string, orders: integer, examples: about('ids of up to five of them', listOf(string)) }),
)
