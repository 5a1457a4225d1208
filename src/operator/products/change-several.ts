import { AdcpError } from '../../protocol/errors.ts'
import { findOwnProduct } from '../../store/product/product-list.ts'
import { defineAct } from '../act.ts'
import { MAX_ITEMS, oneOf, required, several } from '../fields.ts'
import { oneByOne, REFUSED, refusal, refusedLines } from '../one-by-one.ts'
import { perform } from '../perform.ts'
import { SELLERS } from '../roles.ts'
import { about, integer, listOf, named, object, string } from '../shape.ts'
import { archiveProduct, restoreProduct } from './change-product.ts'

const ACTS = { archived: archiveProduct, active: restoreProduct } as const

/**
 * Takes up to 200 products off sale, or puts them back: each by itself, with an audit entry of its own. Refused by itself is a product that is so already, and
 * one that is not there.
 */
export const changeProducts = defineAct({
  name: 'products.change-several',
  route: 'POST /products/change-several',
  id: 'changeProducts',
  roles: SELLERS,
  summary: `Takes up to ${MAX_ITEMS} products off sale, or puts them back: each by itself, and those that cannot be are named.`,
  inParts: true,
  fields: {
    products: several(MAX_ITEMS, 'products', 'their ids'),
    state: required(oneOf(['archived', 'active'], 'what all of them become: archived, which is off sale, or active')),
  },
  answer: object({
    changed: listOf(
      named('SetProduct', object({ product: string, status: string, orders: about('that run with it, or will', integer) })),
    ),
    refused: about(REFUSED, listOf(named('RefusedProduct', object({ product: string, ...refusal })))),
  }),
  command: {
    text: ({ changed, refused }) => [
      ...changed.map(({ product, status, orders }) => `${product} is ${status}; orders that run with it or will: ${orders}`),
      ...refusedLines(refused.map(({ product: id, ...why }) => ({ id, ...why }))),
    ],
    fails: ({ refused }) => refused.length > 0,
  },
  async run(context, { products, state }) {
    const { done, refused } = await oneByOne(products, async (product) => {
      const found = await findOwnProduct(context.store.read, context.tenantId, product)
      if (found && (found.document.selling.status ?? 'active') === state)
        throw new AdcpError('INVALID_STATE', `it is ${state === 'archived' ? 'off sale' : 'on sale'} already`, {
          field: 'state',
        })
      const { answer } = await perform(context, context.caller, ACTS[state], { product })
      const [live] = answer.orders
      return { product, status: answer.product.selling.status ?? 'active', orders: live?.orders ?? 0 }
    })
    return { changed: done, refused: refused.map(({ id, ...why }) => ({ product: id, ...why })) }
  },
})
